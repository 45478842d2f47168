//! Where segments begin: at frames near every sixth second, or at the source's own IDR frames.

use framefarm_shared::plan::{MAX_DURATION_US, SEGMENT_US};

use super::time::{TICKS, ticks_of_us};

/// A tail shorter than this joins the segment before it.
const SHORTEST: i64 = TICKS;
/// What copied segments may last.
const COPIED: std::ops::RangeInclusive<i64> = 2 * TICKS..=10 * TICKS;

/// The first frame in each stretch of six seconds.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    firsts: Vec<Option<i64>>,
}

impl Stretches {
    pub(super) fn note(&mut self, at: i64) {
        // A time beyond all that is taken must not cost memory.
        if !(0..=ticks_of_us(MAX_DURATION_US)).contains(&at) {
            return;
        }
        let Ok(stretch) = usize::try_from(at / ticks_of_us(SEGMENT_US)) else { return };
        if self.firsts.len() <= stretch {
            self.firsts.resize(stretch + 1, None);
        }
        let first = &mut self.firsts[stretch];
        *first = Some(first.map_or(at, |known| known.min(at)));
    }

    /// Each segment begins with the first frame of its stretch; a stretch without a frame begins at its own time.
    pub(super) fn boundaries(&self, end: i64) -> Vec<i64> {
        let length = ticks_of_us(SEGMENT_US);
        let mut boundaries = vec![0];
        let mut next = length;
        while next + SHORTEST <= end {
            let stretch = usize::try_from(next / length).unwrap_or(usize::MAX);
            let frame = self.firsts.get(stretch).copied().flatten().unwrap_or(next);
            let before = boundaries.last().copied().unwrap_or(0);
            if frame + SHORTEST <= end && frame - before >= SHORTEST {
                boundaries.push(frame);
            }
            next += length;
        }
        boundaries.push(end);
        boundaries
    }
}

/// Some of the IDR frames, about six seconds apart. None if they are too far apart, or the first is missing.
pub(super) fn at_idr_frames(frames: &[i64], end: i64) -> Option<Vec<i64>> {
    if frames.first() != Some(&0) {
        return None;
    }
    let wanted = ticks_of_us(SEGMENT_US) + TICKS / 2;
    let mut boundaries = vec![0];
    let mut at = 0;
    while end - at > wanted {
        let after = frames.partition_point(|frame| *frame < at + COPIED.start());
        let near =
            frames[after..].iter().rev().find(|frame| **frame <= at + wanted && **frame <= end - SHORTEST);
        let Some(next) = near.or_else(|| frames.get(after)).copied() else { break };
        if next > end - SHORTEST {
            break;
        }
        if !COPIED.contains(&(next - at)) {
            return None;
        }
        boundaries.push(next);
        at = next;
    }
    let tail = end - at;
    boundaries.push(end);
    (tail > 0 && tail <= *COPIED.end()).then_some(boundaries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(list: &[f64]) -> Vec<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "a few seconds")]
        list.iter().map(|second| (second * 90_000.0) as i64).collect()
    }

    #[test]
    fn a_segment_begins_with_a_frame() {
        let mut stretches = Stretches::default();
        for at in seconds(&[0.0, 0.04, 6.006, 6.04, 12.012, 13.0]) {
            stretches.note(at);
        }
        assert_eq!(stretches.boundaries(seconds(&[14.0])[0]), seconds(&[0.0, 6.006, 12.012, 14.0]));
    }

    #[test]
    fn a_time_beyond_all_reason_costs_no_memory() {
        let mut stretches = Stretches::default();
        for at in [i64::MIN, -1, i64::MAX] {
            stretches.note(at);
        }
        assert!(stretches.firsts.is_empty());
    }

    #[test]
    fn idr_frames_of_two_seconds_make_segments_of_six() {
        let frames: Vec<f64> = (0..15).map(|n| f64::from(n) * 2.0).collect();
        let found = at_idr_frames(&seconds(&frames), seconds(&[30.0])[0]);
        assert_eq!(found, Some(seconds(&[0.0, 6.0, 12.0, 18.0, 24.0, 30.0])));
    }

    #[test]
    fn idr_frames_too_far_apart_cannot_be_segments() {
        assert_eq!(at_idr_frames(&seconds(&[0.0, 10.4, 11.9, 15.8]), seconds(&[20.0])[0]), None);
        assert_eq!(at_idr_frames(&seconds(&[0.1, 4.0]), seconds(&[8.0])[0]), None);
        assert_eq!(at_idr_frames(&seconds(&[0.0]), seconds(&[11.0])[0]), None);
    }

    proptest! {
        #[test]
        fn copied_segments_last_from_two_to_ten_seconds(
            gaps in proptest::collection::vec(9_000i64..900_000, 1..40), tail in 1i64..900_000,
        ) {
            let mut frames = vec![0];
            frames.extend(gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }));
            let end = frames[frames.len() - 1] + tail;
            if let Some(found) = at_idr_frames(&frames, end) {
                let last = found.len() - 2;
                for (index, pair) in found.windows(2).enumerate() {
                    let length = pair[1] - pair[0];
                    prop_assert!(length <= *COPIED.end() && (index == last || length >= *COPIED.start()));
                    prop_assert!(index == 0 || frames.contains(&pair[0]));
                }
            }
        }
    }
}
