//! What a good part turns into.

use framefarm_api::parts::{Expectation, KnownStream, PartLimits, TrackKind};
use framefarm_api::testing::media::{self, AUDIO_TIMESCALE, RawEntry, VIDEO_TIMESCALE};
use sha2::{Digest, Sha256};

use super::{PLAN, audio_expectation, deliver, expectation, good, good_audio};

#[test]
fn a_good_video_part_is_verified_with_its_facts() {
    let part = good();
    let delivery = deliver(&part.build(), &PartLimits::default(), &expectation());
    let verified = delivery.result.expect("the part is good");

    let init = &verified.init;
    assert_eq!((init.width, init.height, init.channels), (1280, 720, 0));
    assert_eq!((init.kind, init.timescale), (TrackKind::Video, VIDEO_TIMESCALE));
    assert_eq!(init.codecs, "avc1.64001f");
    assert_eq!(std::fs::read(&init.path).expect("the init"), part.init);

    let facts = |n: usize| {
        let s = &verified.segments[n];
        (s.index, s.start_ticks, s.duration_ticks, s.sample_count)
    };
    assert_eq!(verified.segments.len(), 2);
    assert_eq!(facts(0), (1, 540_000, 540_000, 150));
    assert_eq!(facts(1), (2, 1_080_000, 540_000, 150));
    for (segment, sent) in verified.segments.iter().zip(&part.segments) {
        assert_eq!(segment.size, sent.len() as u64);
        assert_eq!(segment.sha256, <[u8; 32]>::from(Sha256::digest(sent)));
        assert_eq!(&std::fs::read(&segment.path).expect("the segment"), sent);
    }
}

#[test]
fn a_good_audio_part_is_verified_with_its_facts() {
    let delivery = deliver(&good_audio().build(), &PartLimits::default(), &audio_expectation());
    let verified = delivery.result.expect("the part is good");
    assert_eq!(verified.init.codecs, "mp4a.40.2");
    assert_eq!((verified.init.width, verified.init.channels), (0, 2));
    assert_eq!(verified.init.timescale, AUDIO_TIMESCALE);
    let [first, second] = &verified.segments[..] else {
        panic!("two segments");
    };
    assert_eq!(first.start_ticks + first.duration_ticks, second.start_ticks);
}

#[test]
fn a_part_of_another_encoder_of_the_same_codec_is_accepted() {
    let part = good();
    let stream = Some(KnownStream { codecs: "avc1.4d401e".into(), timescale: VIDEO_TIMESCALE });
    let expect = Expectation { stream, ..expectation() };
    assert!(deliver(&part.build(), &PartLimits::default(), &expect).result.is_ok());
}

#[test]
fn the_last_segment_of_the_plan_may_be_shorter_than_planned() {
    let part = media::part("720p", 3, &[18_000_000, 19_000_000]);
    let expect = Expectation { first_segment: 3, ..expectation() };
    assert!(deliver(&part.build(), &PartLimits::default(), &expect).result.is_ok());
}

#[test]
fn several_fragments_in_one_segment_are_one_segment() {
    let two = [media::video_segment(PLAN[1], 9_000_000), media::video_segment(9_000_000, PLAN[2])];
    let part = good().segment(0, two.concat()).build();
    let delivery = deliver(&part, &PartLimits::default(), &expectation());
    let verified = delivery.result.expect("the part is good");
    assert_eq!(verified.segments[0].duration_ticks, 540_000);
    assert_eq!(verified.segments[0].sample_count, 150);
}

#[test]
fn setuid_bits_and_owners_in_the_archive_mean_nothing() {
    let part = good().build_with_entries(|entries| {
        for entry in entries {
            entry.header.set_mode(0o7777);
            entry.header.set_uid(0);
        }
    });
    // `deliver` checks that every unpacked file has mode 0644.
    assert!(deliver(&part, &PartLimits::default(), &expectation()).result.is_ok());
}

#[test]
fn archives_of_gnu_tar_with_a_padded_last_record_are_accepted() {
    let part = good().build_with_tar(|tar| tar.resize(tar.len().next_multiple_of(10_240), 0));
    assert!(deliver(&part, &PartLimits::default(), &expectation()).result.is_ok());
}

#[test]
fn gnu_headers_without_extensions_are_accepted() {
    let part = good().build_with_entries(|entries| {
        for entry in entries {
            let mut gnu = RawEntry::file("", entry.content.clone());
            gnu.header = tar::Header::new_gnu();
            gnu.header.set_size(entry.content.len() as u64);
            gnu.set_kind(b'0');
            gnu.rename(entry.header.as_old().name);
            *entry = gnu;
        }
    });
    assert!(deliver(&part, &PartLimits::default(), &expectation()).result.is_ok());
}

#[test]
fn a_scratch_that_is_not_fresh_is_our_own_failure() {
    let dir = tempfile::tempdir().expect("a directory");
    let verify = || {
        framefarm_api::parts::verify(
            &mut &good().build()[..],
            dir.path(),
            &PartLimits::default(),
            &expectation(),
        )
    };
    assert!(verify().is_ok());
    let error = verify().expect_err("files are never overwritten");
    assert_eq!(error.code(), "part_scratch_failed");
    assert!(error.is_ours());
}
