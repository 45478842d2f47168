//! Time as the encoder counts it: ticks of 1/90000 s from the beginning of the video.

use ffmpeg_next::Rational;
use framefarm_shared::plan::Plan;

/// Ticks a second of every picture track.
pub(super) const TICKS: i64 = 90_000;
pub(super) const TICK_BASE: Rational = Rational(1, 90_000);
/// Samples a second of every sound track.
pub(super) const SAMPLES: i64 = 48_000;
/// Samples in one AAC packet.
pub(super) const PACKET_SAMPLES: i64 = 1_024;

/// `value` of `from` in units of `to`, to the nearest.
pub(super) fn rescale(value: i64, from: Rational, to: Rational) -> i64 {
    let numerator = i128::from(value) * i128::from(from.0) * i128::from(to.1);
    let denominator = (i128::from(from.1) * i128::from(to.0)).max(1);
    let half = denominator / 2;
    let rounded = if numerator >= 0 { numerator + half } else { numerator - half } / denominator;
    i64::try_from(rounded).unwrap_or(if rounded > 0 { i64::MAX } else { i64::MIN })
}

pub(super) fn ticks_of_us(us: u64) -> i64 {
    rescale(i64::try_from(us).unwrap_or(i64::MAX), Rational(1, 1_000_000), TICK_BASE)
}

pub(super) fn us_of_ticks(ticks: i64) -> u64 {
    u64::try_from(rescale(ticks, TICK_BASE, Rational(1, 1_000_000))).unwrap_or(0)
}

pub(super) fn ticks_of_signed_us(us: i64) -> i64 {
    rescale(us, Rational(1, 1_000_000), TICK_BASE)
}

pub(super) fn us_of_signed_ticks(ticks: i64) -> i64 {
    rescale(ticks, TICK_BASE, Rational(1, 1_000_000))
}

/// The instants of the plan in ticks, the end included.
pub(super) fn video_starts(plan: &Plan) -> Vec<i64> {
    plan.boundaries_us.iter().map(|us| ticks_of_us(*us)).collect()
}

/// The instants of the plan in samples, each at the border of an AAC packet.
pub(super) fn audio_starts(plan: &Plan) -> Vec<i64> {
    let mut starts: Vec<i64> = Vec::with_capacity(plan.boundaries_us.len());
    for us in &plan.boundaries_us {
        let samples =
            rescale(i64::try_from(*us).unwrap_or(i64::MAX), Rational(1, 1_000_000), Rational(1, 48_000));
        let packets = (samples + PACKET_SAMPLES / 2) / PACKET_SAMPLES;
        let at_least = starts.last().map_or(0, |before| before / PACKET_SAMPLES + 1);
        starts.push(packets.max(at_least) * PACKET_SAMPLES);
    }
    starts
}

/// Which segment an instant belongs to; before the first it is the first, after the last it is none.
pub(super) fn segment_at(starts: &[i64], at: i64) -> Option<usize> {
    let after = starts.partition_point(|start| *start <= at);
    (after < starts.len()).then(|| after.saturating_sub(1))
}

/// `12:31` or `1:02:31`, as a person reads a player.
pub(super) fn clock_words(ticks: i64) -> String {
    let seconds = ticks.max(0) / TICKS;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ticks_survive_the_way_through_microseconds(ticks in 0i64..24 * 3600 * TICKS) {
            prop_assert_eq!(ticks_of_us(us_of_ticks(ticks)), ticks);
        }
    }

    #[test]
    fn an_instant_belongs_to_the_segment_that_began_last() {
        let starts = [0, 100, 200];
        let found = [-5, 0, 99, 100, 199, 200].map(|at| segment_at(&starts, at));
        assert_eq!(found, [Some(0), Some(0), Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn times_read_like_on_a_player() {
        assert_eq!(clock_words(751 * TICKS), "12:31");
        assert_eq!(clock_words(3_751 * TICKS), "1:02:31");
    }
}
