//! Manifests that do not fit their files, the plan or the limits.

use framefarm_api::parts::{Expectation, KnownStream, PartLimits};
use framefarm_api::testing::media::{RawEntry, VIDEO_TIMESCALE};
use framefarm_shared::part::{PartManifest, Sha256Hex};
use serde_json::{Value, json};

use super::{PLAN, assert_refused_with, expectation, good, refused};

fn bent(bend: impl FnOnce(&mut PartManifest)) -> Vec<u8> {
    good().build_with_manifest(bend)
}

/// The good part with a manifest of any text.
fn written(text: impl Into<Vec<u8>>) -> Vec<u8> {
    good().build_with_entries(|entries| entries[0] = RawEntry::file("manifest.json", text))
}

fn bent_json(bend: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value = serde_json::to_value(good().manifest()).expect("plain data");
    bend(&mut value);
    written(value.to_string())
}

refused! {
    an_unknown_version_is_refused: "part_manifest_invalid", bent(|m| m.version = 2);
    a_manifest_without_segments_is_refused: "part_manifest_invalid", bent(|m| m.segments.clear());
    a_gap_in_the_indices_is_refused: "part_manifest_invalid", bent(|m| m.segments[1].index = 3);
    a_repeated_index_is_refused: "part_manifest_invalid", bent(|m| m.segments[1].index = 1);
    indices_that_do_not_start_at_first_segment_are_refused: "part_manifest_invalid", bent(|m| {
        m.first_segment = 0;
    });
    indices_that_overflow_are_refused: "part_manifest_invalid", bent(|m| {
        m.first_segment = u32::MAX;
        m.segments[0].index = u32::MAX;
        m.segments[1].index = 0;
    });
    an_empty_manifest_is_refused: "part_manifest_invalid", written("");
    a_manifest_that_is_not_json_is_refused: "part_manifest_invalid", written("{");
    a_manifest_that_is_not_utf8_is_refused: "part_manifest_invalid", written(b"{\"version\":\"\xff\"}");
    json_behind_the_manifest_is_refused: "part_manifest_invalid", {
        let text = serde_json::to_string(&good().manifest()).expect("plain data");
        written(format!("{text}{text}"))
    };
    deeply_nested_json_is_refused: "part_manifest_invalid", written("[".repeat(100_000));
    an_unknown_field_is_refused: "part_manifest_invalid", bent_json(|m| m["extra"] = json!(1));
    an_unknown_field_of_a_segment_is_refused: "part_manifest_invalid", bent_json(|m| {
        m["segments"][0]["path"] = json!("../x");
    });
    a_missing_field_is_refused: "part_manifest_invalid", bent_json(|m| {
        m.as_object_mut().expect("an object").remove("init");
    });
    a_field_given_twice_is_refused: "part_manifest_invalid", {
        let text = serde_json::to_string(&good().manifest()).expect("plain data");
        written(text.replacen('{', "{\"version\":1,", 1))
    };
    a_negative_size_is_refused: "part_manifest_invalid", bent_json(|m| m["init"]["size"] = json!(-1));
    a_fractional_index_is_refused: "part_manifest_invalid", bent_json(|m| {
        m["segments"][0]["index"] = json!(1.5);
    });
    a_hash_that_is_too_short_is_refused: "part_manifest_invalid", bent_json(|m| {
        m["init"]["sha256"] = json!("abcd");
    });
    a_hash_in_capitals_is_refused: "part_manifest_invalid", bent_json(|m| {
        m["init"]["sha256"] = json!("A".repeat(64));
    });
    another_quality_is_refused: "part_wrong_quality", bent(|m| m.quality = "1080p".to_owned());
    an_endless_quality_is_refused_in_a_short_sentence: "part_wrong_quality", bent(|m| {
        m.quality = "x\n\0".repeat(10_000);
    });
    another_first_segment_is_refused: "part_wrong_first_segment", bent(|m| {
        m.first_segment = 0;
        m.segments[0].index = 0;
        m.segments[1].index = 1;
    });
    a_wrong_hash_of_the_init_is_refused: "part_hash_mismatch", bent(|m| m.init.sha256 = Sha256Hex([0; 32]));
    a_wrong_hash_of_a_segment_is_refused: "part_hash_mismatch", bent(|m| {
        m.segments[1].sha256 = m.segments[0].sha256;
    });
    a_wrong_size_of_the_init_is_refused: "part_size_mismatch", bent(|m| m.init.size += 1);
    a_wrong_size_of_a_segment_is_refused: "part_size_mismatch", bent(|m| m.segments[1].size -= 1);
    a_size_of_zero_is_refused: "part_size_mismatch", bent(|m| m.segments[0].size = 0);
    an_init_over_its_limit_is_refused: "part_too_big", bent(|m| m.init.size = (64 << 10) + 1);
    a_segment_over_its_limit_is_refused: "part_too_big", bent(|m| m.segments[0].size = u64::MAX);
    a_manifest_over_its_limit_is_refused: "part_too_big", written(" ".repeat((256 << 10) + 1));
}

#[test]
fn sizes_that_add_up_over_the_limit_are_refused_before_unpacking() {
    let limits = PartLimits { max_unpacked_bytes: 50_000, ..PartLimits::default() };
    let part = bent(|m| {
        m.segments[0].size = 40_000;
        m.segments[1].size = 40_000;
    });
    assert_refused_with(&part, &limits, &expectation(), "part_too_big");
}

#[test]
fn more_segments_than_allowed_are_refused() {
    let limits = PartLimits { max_segments: 1, ..PartLimits::default() };
    assert_refused_with(&good().build(), &limits, &expectation(), "part_too_many_entries");
}

#[test]
fn a_segment_beyond_the_plan_is_refused() {
    let expect = Expectation { boundaries_us: PLAN[..3].into(), ..expectation() };
    assert_refused_with(&good().build(), &PartLimits::default(), &expect, "part_out_of_range");
}

#[test]
fn any_segment_is_beyond_an_empty_plan() {
    for boundaries in [&[][..], &[0]] {
        let expect = Expectation { boundaries_us: boundaries.into(), ..expectation() };
        assert_refused_with(&good().build(), &PartLimits::default(), &expect, "part_out_of_range");
    }
}

#[test]
fn an_init_of_another_codec_or_timescale_than_the_known_one_is_refused() {
    for (codecs, timescale) in [("hvc1.1.6.L93.B0", VIDEO_TIMESCALE), ("avc1.64001f", 1000)] {
        let stream = Some(KnownStream { codecs: codecs.into(), timescale });
        let expect = Expectation { stream, ..expectation() };
        assert_refused_with(&good().build(), &PartLimits::default(), &expect, "part_init_differs");
    }
}
