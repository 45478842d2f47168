//! Files with the right hash and the wrong content.

use framefarm_api::parts::PartLimits;
use framefarm_api::testing::media::{
    PartBuilder, audio_init, audio_segment, boxed, find_box, patched, payload, video_init, video_segment,
};

use super::{PLAN, assert_refused_with, audio_expectation, good, good_audio, refused};

const TFHD: &[&[u8; 4]] = &[b"moof", b"traf", b"tfhd"];
const TFDT: &[&[u8; 4]] = &[b"moof", b"traf", b"tfdt"];
const TRUN: &[&[u8; 4]] = &[b"moof", b"traf", b"trun"];
const TRAK: &[&[u8; 4]] = &[b"moov", b"trak"];
const MDHD: &[&[u8; 4]] = &[b"moov", b"trak", b"mdia", b"mdhd"];
const HDLR: &[&[u8; 4]] = &[b"moov", b"trak", b"mdia", b"hdlr"];
const STSD: &[&[u8; 4]] = &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd"];
const TREX: &[&[u8; 4]] = &[b"moov", b"mvex", b"trex"];
/// From the header of an `stsd` to the header of its entry.
const TO_ENTRY: usize = 16;
/// From the header of a visual sample entry to its width.
const TO_WIDTH: usize = 32;

fn segment() -> Vec<u8> {
    video_segment(PLAN[1], PLAN[2])
}

fn init() -> Vec<u8> {
    video_init(1280, 720)
}

fn with_segment(bytes: Vec<u8>) -> Vec<u8> {
    good().segment(0, bytes).build()
}

fn with_init(bytes: Vec<u8>) -> Vec<u8> {
    good().init(bytes).build()
}

/// The good segment with bytes overwritten.
fn bent(path: &[&[u8; 4]], offset: usize, bytes: &[u8]) -> Vec<u8> {
    with_segment(patched(&segment(), path, offset, bytes))
}

fn bent_init(path: &[&[u8; 4]], offset: usize, bytes: &[u8]) -> Vec<u8> {
    with_init(patched(&init(), path, offset, bytes))
}

/// The good segment without its leading `styp`.
fn bare_segment() -> Vec<u8> {
    let segment = segment();
    segment[find_box(&segment, &[b"moof"])..].to_vec()
}

/// A box inside a box inside a box.
fn nested(kind: [u8; 4], depth: usize) -> Vec<u8> {
    (0..depth)
        .rev()
        .flat_map(|left| {
            let size = u32::try_from((left + 1) * 8).expect("small");
            [size.to_be_bytes(), kind].concat()
        })
        .collect()
}

/// `init` with its `moov` made of these children.
fn moov_of(children: &[&[u8]]) -> Vec<u8> {
    let ftyp = &init()[..find_box(&init(), &[b"moov"])];
    [ftyp, &boxed(b"moov", &children.concat())].concat()
}

/// One child of the good `moov`.
fn moov_child(kind: [u8; 4]) -> Vec<u8> {
    let init = init();
    let at = find_box(&init, &[b"moov", &kind]);
    let size = u32::from_be_bytes(init[at..at + 4].try_into().expect("four bytes"));
    init[at..at + size as usize].to_vec()
}

/// `init` with another sample entry.
fn with_sample_entry(init: &[u8], entry: Vec<u8>) -> Vec<u8> {
    let stsd = boxed(b"stsd", &[words(&[0, 1]), entry].concat());
    let minf = boxed(b"minf", &boxed(b"stbl", &stsd));
    let mdia_at = find_box(init, &[b"moov", b"trak", b"mdia"]);
    let minf_at = find_box(init, &[b"moov", b"trak", b"mdia", b"minf"]);
    let tkhd_at = find_box(init, &[b"moov", b"trak", b"tkhd"]);
    let mdia = boxed(b"mdia", &[&init[mdia_at + 8..minf_at], &minf].concat());
    let trak = boxed(b"trak", &[&init[tkhd_at..mdia_at], &mdia].concat());
    moov_of(&[&trak, &moov_child(*b"mvex")])
}

/// A segment with one `moof` with this `traf` body and an empty `mdat`.
fn fragment_of(traf: &[&[u8]]) -> Vec<u8> {
    let moof = boxed(b"moof", &boxed(b"traf", &traf.concat()));
    [moof, boxed(b"mdat", &[])].concat()
}

fn tfhd() -> Vec<u8> {
    boxed(b"tfhd", &[0, 2, 0, 0, 0, 0, 0, 1])
}

fn tfdt() -> Vec<u8> {
    boxed(b"tfdt", &[0, 0, 0, 0, 0, 8, 0x3d, 0x60])
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

refused! {
    a_segment_of_noise_is_refused: "part_bad_media", with_segment(payload(1, 100_000));
    an_empty_segment_is_refused: "part_bad_media", with_segment(Vec::new());
    a_segment_of_three_bytes_is_refused: "part_bad_media", with_segment(vec![0, 0, 0]);
    a_segment_of_styp_alone_is_refused: "part_bad_media", with_segment(boxed(b"styp", b"msdh\0\0\0\0"));
    a_segment_that_is_an_init_is_refused: "part_bad_media", with_segment(init());
    a_segment_with_an_unknown_box_is_refused: "part_bad_media", with_segment({
        [boxed(b"evil", &[]), bare_segment()].concat()
    });
    a_segment_with_a_box_behind_it_is_refused: "part_bad_media", with_segment({
        [segment(), boxed(b"emsg", &[0; 20])].concat()
    });
    a_segment_with_bytes_behind_it_is_refused: "part_bad_media", with_segment([segment(), vec![0; 7]].concat());
    a_box_of_size_zero_is_refused: "part_bad_media", bent(&[b"mdat"], 0, &[0; 4]);
    a_box_smaller_than_its_header_is_refused: "part_bad_media", bent(&[b"mdat"], 0, &[0, 0, 0, 7]);
    a_box_larger_than_the_file_is_refused: "part_bad_media", bent(&[b"mdat"], 0, &[0xff; 4]);
    a_box_with_a_huge_large_size_is_refused: "part_bad_media", with_segment({
        [&boxed(b"styp", b"msdh\0\0\0\0"), &[0, 0, 0, 1][..], b"moof", &[0xff; 8]].concat()
    });
    a_large_size_smaller_than_its_header_is_refused: "part_bad_media", with_segment({
        [&[0, 0, 0, 1][..], b"styp", &[0, 0, 0, 0, 0, 0, 0, 8]].concat()
    });
    a_large_size_that_is_cut_off_is_refused: "part_bad_media", with_segment([&[0, 0, 0, 1][..], b"styp", &[0; 3]].concat());
    a_child_box_larger_than_its_parent_is_refused: "part_bad_media", bent(TFDT, 0, &[0, 0xff, 0xff, 0xff]);
    a_child_box_of_size_zero_is_refused: "part_bad_media", bent(TFHD, 0, &[0; 4]);
    a_moof_over_its_limit_is_refused: "part_bad_media", with_segment({
        [boxed(b"moof", &boxed(b"free", &payload(3, 5 << 20))), boxed(b"mdat", &[])].concat()
    });
    a_moof_without_an_mdat_is_refused: "part_bad_media", with_segment({
        let segment = segment();
        segment[..find_box(&segment, &[b"mdat"])].to_vec()
    });
    a_moof_behind_a_moof_is_refused: "part_bad_media", with_segment({
        let segment = segment();
        let mdat = find_box(&segment, &[b"mdat"]);
        let moof = find_box(&segment, &[b"moof"]);
        [&segment[..mdat], &segment[moof..]].concat()
    });
    a_moof_nested_half_a_million_times_is_refused: "part_bad_media", with_segment(nested(*b"moof", 500_000));
    a_traf_nested_half_a_million_times_is_refused: "part_bad_media", with_segment({
        boxed(b"moof", &nested(*b"traf", 500_000))
    });
    thousands_of_boxes_are_refused: "part_bad_media", with_segment(boxed(b"emsg", &[]).repeat(200_000));
    two_tracks_in_a_fragment_are_refused: "part_bad_media", with_segment({
        let traf = boxed(b"traf", &[tfhd(), tfdt()].concat());
        [boxed(b"moof", &traf.repeat(2)), boxed(b"mdat", &[])].concat()
    });
    a_fragment_of_another_track_is_refused: "part_bad_media", bent(TFHD, 12, &words(&[2]));
    a_fragment_without_tfdt_is_refused: "part_bad_media", bent(TFDT, 4, b"free");
    a_fragment_with_two_tfdt_is_refused: "part_bad_media", with_segment(fragment_of(&[&tfhd(), &tfdt(), &tfdt()]));
    a_fragment_without_tfhd_is_refused: "part_bad_media", bent(TFHD, 4, b"free");
    a_fragment_without_runs_is_refused: "part_bad_media", with_segment(fragment_of(&[&tfhd(), &tfdt()]));
    a_fragment_with_an_empty_run_is_refused: "part_bad_media", with_segment({
        fragment_of(&[&tfhd(), &tfdt(), &boxed(b"trun", &words(&[1, 0, 8]))])
    });
    an_absolute_data_offset_is_refused: "part_bad_media", with_segment({
        fragment_of(&[&boxed(b"tfhd", &words(&[1, 1, 0, 0])), &tfdt(), &boxed(b"trun", &words(&[1, 0, 8]))])
    });
    a_run_of_four_billion_samples_without_fields_is_refused: "part_bad_media", with_segment({
        fragment_of(&[&tfhd(), &tfdt(), &boxed(b"trun", &words(&[1, u32::MAX, 8]))])
    });
    a_run_of_four_billion_samples_with_fields_is_refused: "part_bad_media", bent(TRUN, 12, &[0xff; 4]);
    many_runs_that_add_up_to_too_many_samples_are_refused: "part_bad_media", with_segment({
        let run = boxed(b"trun", &words(&[1, 59_999, 8]));
        fragment_of(&[&tfhd(), &tfdt(), &run.repeat(1_000)])
    });
    a_run_that_claims_more_samples_than_it_holds_is_refused: "part_bad_media", bent(TRUN, 12, &words(&[151]));
    a_run_that_holds_more_samples_than_it_claims_is_refused: "part_bad_media", bent(TRUN, 12, &words(&[149]));
    a_run_cut_to_its_header_is_refused: "part_bad_media", with_segment({
        fragment_of(&[&tfhd(), &tfdt(), &boxed(b"trun", &[])])
    });
    a_run_with_flags_given_twice_is_refused: "part_bad_media", with_segment({
        fragment_of(&[&tfhd(), &tfdt(), &boxed(b"trun", &words(&[0x405, 1, 8, 0, 0]))])
    });
    samples_before_their_mdat_are_refused: "part_bad_media", bent(TRUN, 16, &words(&[0]));
    samples_at_a_negative_offset_are_refused: "part_bad_media", bent(TRUN, 16, &words(&[u32::MAX]));
    samples_beyond_their_mdat_are_refused: "part_bad_media", bent(TRUN, 24, &words(&[u32::MAX]));
    a_first_sample_that_is_not_a_key_frame_is_refused: "part_bad_media", bent(TRUN, 28, &words(&[0x0101_0000]));
    an_unknown_version_of_tfdt_is_refused: "part_bad_media", bent(TFDT, 8, &[9]);

    a_segment_that_starts_late_is_refused: "part_timeline", with_segment(video_segment(PLAN[1] + 40_000, PLAN[2]));
    a_segment_that_starts_early_is_refused: "part_timeline", with_segment(video_segment(PLAN[1] - 40_000, PLAN[2]));
    a_segment_at_the_end_of_time_is_refused: "part_bad_media", bent(TFDT, 12, &[0xff; 8]);
    a_segment_far_in_the_future_is_refused: "part_timeline", bent(TFDT, 12, &[0x7f; 8]);
    a_segment_from_elsewhere_in_the_video_is_refused: "part_timeline", with_segment(video_segment(PLAN[2], PLAN[3]));
    a_segment_one_tick_short_is_refused: "part_timeline", bent(TRUN, 20, &words(&[3_599]));
    a_segment_one_tick_long_is_refused: "part_timeline", bent(TRUN, 20, &words(&[3_601]));
    a_first_segment_that_ends_early_is_refused: "part_timeline", with_segment(video_segment(PLAN[1], PLAN[2] - 80_000));
    a_last_segment_of_the_part_that_ends_early_is_refused: "part_timeline", {
        good().segment(1, video_segment(PLAN[2], PLAN[3] - 80_000)).build()
    };
    a_hole_between_fragments_is_refused: "part_timeline", with_segment({
        [video_segment(PLAN[1], 9_000_000), video_segment(9_040_000, PLAN[2])].concat()
    });
    fragments_that_overlap_are_refused: "part_timeline", with_segment({
        [video_segment(PLAN[1], 9_000_000), video_segment(8_960_000, PLAN[2])].concat()
    });
    another_timescale_in_the_init_is_refused: "part_timeline", bent_init(MDHD, 28, &words(&[48_000]));

    an_init_of_noise_is_refused: "part_bad_media", with_init(payload(2, 1_000));
    an_empty_init_is_refused: "part_bad_media", with_init(Vec::new());
    an_init_without_ftyp_is_refused: "part_bad_media", with_init(init()[find_box(&init(), &[b"moov"])..].to_vec());
    an_init_without_moov_is_refused: "part_bad_media", with_init(init()[..find_box(&init(), &[b"moov"])].to_vec());
    an_init_with_two_moov_is_refused: "part_bad_media", with_init({
        let init = init();
        [&init[..], &init[find_box(&init, &[b"moov"])..]].concat()
    });
    an_init_with_media_in_it_is_refused: "part_bad_media", with_init([init(), segment()].concat());
    an_init_with_two_tracks_is_refused: "part_bad_media", with_init({
        moov_of(&[&moov_child(*b"trak"), &moov_child(*b"trak"), &moov_child(*b"mvex")])
    });
    an_init_without_a_track_is_refused: "part_bad_media", bent_init(TRAK, 4, b"free");
    an_init_without_mvex_is_refused: "part_bad_media", with_init(moov_of(&[&moov_child(*b"trak")]));
    an_init_with_defaults_for_another_track_is_refused: "part_bad_media", bent_init(TREX, 12, &words(&[9]));
    an_init_with_a_timescale_of_zero_is_refused: "part_bad_media", bent_init(MDHD, 28, &words(&[0]));
    an_init_of_audio_for_a_video_quality_is_refused: "part_bad_media", with_init(audio_init());
    an_init_with_another_handler_is_refused: "part_bad_media", bent_init(HDLR, 16, b"subt");
    an_init_with_an_unknown_coding_is_refused: "part_bad_media", bent_init(STSD, TO_ENTRY + 4, b"encv");
    an_init_with_an_unprintable_coding_is_refused: "part_bad_media", bent_init(STSD, TO_ENTRY + 4, &[0, 10, 27, 255]);
    an_init_that_claims_two_codings_is_refused: "part_bad_media", bent_init(STSD, 12, &words(&[2]));
    an_init_with_a_picture_of_no_width_is_refused: "part_bad_media", bent_init(STSD, TO_ENTRY + TO_WIDTH, &[0, 0]);
    an_init_without_a_decoder_configuration_is_refused: "part_bad_media", bent_init(STSD, TO_ENTRY + 86 + 4, b"free");
    an_init_with_a_cut_decoder_configuration_is_refused: "part_bad_media", bent_init(STSD, TO_ENTRY + 86 + 8 + 5, &[0xff]);
    an_init_with_sample_entries_in_each_other_is_refused: "part_bad_media", with_init({
        let entry = (0..600).fold(Vec::new(), |inner, _| boxed(b"avc1", &[&[0; 78][..], &inner].concat()));
        with_sample_entry(&init(), entry)
    });
    an_init_of_nested_boxes_is_refused: "part_bad_media", with_init(moov_of(&[&nested(*b"trak", 2_000)]));
}

#[track_caller]
fn assert_audio_refused(part: &PartBuilder) {
    let limits = PartLimits::default();
    assert_refused_with(&part.build(), &limits, &audio_expectation(), "part_bad_media");
}

#[test]
fn an_audio_quality_with_video_in_it_is_refused() {
    assert_audio_refused(&good_audio().init(init()));
}

#[test]
fn audio_that_is_not_mpeg4_audio_is_refused() {
    let init = audio_init();
    let esds = find_box(&init, STSD) + TO_ENTRY + 36;
    let at = esds + init[esds..].iter().position(|b| *b == 0x40).expect("the object type");
    let mut other = init.clone();
    other[at] = 0x6b;
    assert_audio_refused(&good_audio().init(other));
}

#[test]
fn descriptors_nested_in_each_other_are_refused() {
    let descriptors = (0..3_000).fold(Vec::new(), |inner: Vec<u8>, _| {
        let body = [&[0, 1, 0][..], &inner].concat();
        let size = body.len();
        let group = |shift: usize| u8::try_from(size >> shift & 0x7f).expect("seven bits");
        let length = [group(21) | 0x80, group(14) | 0x80, group(7) | 0x80, group(0)];
        [&[3][..], &length, &body].concat()
    });
    let esds = boxed(b"esds", &[&[0; 4][..], &descriptors].concat());
    let whole = audio_init();
    let stsd = find_box(&whole, STSD);
    let sample_entry = &whole[stsd + TO_ENTRY + 8..stsd + TO_ENTRY + 36];
    let entry = boxed(b"mp4a", &[sample_entry, &esds].concat());
    let init = with_sample_entry(&whole, entry);
    assert!(init.len() < 64 << 10, "it passes the size limit");
    assert_audio_refused(&good_audio().init(init));
}

#[test]
fn audio_need_not_start_with_anything_special_but_must_continue() {
    let part = good_audio().segment(1, audio_segment(PLAN[2] + 22_000, PLAN[3]));
    let limits = PartLimits::default();
    assert_refused_with(&part.build(), &limits, &audio_expectation(), "part_timeline");
}
