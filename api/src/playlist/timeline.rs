//! Segment durations in whole microseconds.

use std::time::Duration;

/// The duration of each segment, such that their sum is the rounded sum of the input: each end is rounded, not each
/// duration, or a two-hour video would drift by milliseconds. A duration that is no number or below zero counts as none.
pub(super) fn micros(durations: impl IntoIterator<Item = f64>) -> Vec<u64> {
    let mut exact_end = 0.0_f64;
    let mut written_end = 0_u64;
    durations
        .into_iter()
        .map(|duration| {
            if duration.is_finite() && duration > 0.0 {
                exact_end += duration;
            }
            let end = round_to_micros(exact_end).unwrap_or(written_end);
            let written = end - written_end;
            written_end = end;
            written
        })
        .collect()
}

/// The target duration in seconds: the least integer that no segment exceeds when rounded to the nearest one
/// (RFC 8216, 4.3.3.1).
pub(super) fn target_seconds(micros: &[u64]) -> u64 {
    let rounded = micros.iter().map(|micros| (micros + 500_000) / 1_000_000);
    rounded.max().unwrap_or(0).max(1)
}

fn round_to_micros(seconds: f64) -> Option<u64> {
    let nanos = Duration::try_from_secs_f64(seconds).ok()?.as_nanos();
    u64::try_from((nanos + 500) / 1_000).ok()
}
