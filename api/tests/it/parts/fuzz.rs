//! Damage at random: a part is verified as it was sent or refused, and nothing panics.

use framefarm_api::parts::{PartLimits, VerifiedPart};
use framefarm_api::testing::media::{self, PartBuilder, RawEntry, gzip};
use proptest::prelude::*;

use super::{PLAN, audio_expectation, deliver, expectation, good, good_audio};

/// A short part, so that a flipped byte is likely to hit something that matters.
fn short() -> PartBuilder {
    media::part("720p", 1, &[PLAN[1], PLAN[2]])
}

/// What a part says, without where it was unpacked.
fn facts(mut part: VerifiedPart) -> VerifiedPart {
    part.init.path.clear();
    for segment in &mut part.segments {
        segment.path.clear();
    }
    part
}

fn flip(bytes: &mut [u8], flips: &[(prop::sample::Index, u8)]) {
    for (at, mask) in flips {
        bytes[at.index(bytes.len())] ^= mask;
    }
}

fn flips() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn flipped_bytes_of_the_archive_are_refused_or_change_nothing(flips in flips()) {
        let mut part = short().build();
        let sent = deliver(&part, &PartLimits::default(), &expectation());
        flip(&mut part, &flips);
        let damaged = deliver(&part, &PartLimits::default(), &expectation());
        if let Ok(damaged) = damaged.result {
            prop_assert_eq!(facts(damaged), facts(sent.result.expect("the part is good")));
        }
    }

    #[test]
    fn flipped_bytes_of_the_tar_are_refused_or_change_nothing(flips in flips()) {
        let mut tar = RawEntry::tar(&short().entries());
        let sent = deliver(&gzip(&tar), &PartLimits::default(), &expectation());
        flip(&mut tar, &flips);
        let damaged = deliver(&gzip(&tar), &PartLimits::default(), &expectation());
        if let Ok(damaged) = damaged.result {
            prop_assert_eq!(facts(damaged), facts(sent.result.expect("the part is good")));
        }
    }

    #[test]
    fn a_truncated_archive_is_always_refused(at: prop::sample::Index) {
        let part = good().build();
        let cut = &part[..at.index(part.len())];
        prop_assert!(deliver(cut, &PartLimits::default(), &expectation()).result.is_err());
    }

    #[test]
    fn a_damaged_init_with_the_right_hash_never_panics(flips in flips()) {
        let mut part = short();
        flip(&mut part.init, &flips);
        let _ = deliver(&part.build(), &PartLimits::default(), &expectation()).result;
    }

    #[test]
    fn a_damaged_audio_init_with_the_right_hash_never_panics(flips in flips()) {
        let mut part = good_audio();
        flip(&mut part.init, &flips);
        let _ = deliver(&part.build(), &PartLimits::default(), &audio_expectation()).result;
    }

    #[test]
    fn damaged_boxes_with_the_right_hash_never_panic(flips in flips()) {
        let mut part = short();
        let mdat = media::find_box(&part.segments[0], &[b"mdat"]);
        flip(&mut part.segments[0][..mdat + 8], &flips);
        let _ = deliver(&part.build(), &PartLimits::default(), &expectation()).result;
    }

    #[test]
    fn a_truncated_segment_with_the_right_hash_is_refused(at: prop::sample::Index) {
        let mut part = short();
        let cut = at.index(part.segments[0].len());
        part.segments[0].truncate(cut);
        prop_assert!(deliver(&part.build(), &PartLimits::default(), &expectation()).result.is_err());
    }

    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
        prop_assert!(deliver(&bytes, &PartLimits::default(), &expectation()).result.is_err());
        prop_assert!(deliver(&gzip(&bytes), &PartLimits::default(), &expectation()).result.is_err());
    }
}
