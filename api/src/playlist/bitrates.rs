//! The bit rates a master playlist promises, measured from the segments.

use super::timeline::{micros, target_seconds};

/// Bits per second of one rendition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bitrates {
    pub peak: u64,
    pub average: u64,
}

impl Bitrates {
    /// Measures `(bytes, duration_seconds)` of all segments in order.
    ///
    /// The peak is that of RFC 8216, 4.1: over every run of segments that lasts 0.5 to 1.5 target durations. A last
    /// segment of a few frames, mostly one IDR frame, is too short to be a run of its own.
    pub fn measure(segments: &[(u64, f64)]) -> Self {
        let micros = micros(segments.iter().map(|(_, duration)| *duration));
        let target = target_seconds(&micros) * 1_000_000;
        let sized: Vec<(u64, u64)> = segments.iter().map(|(bytes, _)| *bytes).zip(micros).collect();

        let average = rate_of_run(sized.iter().copied());
        let peak = (0..sized.len()).filter_map(|start| peak_from(&sized[start..], target)).max().unwrap_or(0);
        Self { peak: peak.max(average), average }
    }
}

/// The highest rate of the runs that begin with the first segment and have a length that counts.
fn peak_from(segments: &[(u64, u64)], target: u64) -> Option<u64> {
    let mut bytes = 0_u64;
    let mut length = 0_u64;
    let mut peak = None;
    for (size, duration) in segments {
        bytes = bytes.saturating_add(*size);
        length = length.saturating_add(*duration);
        if length > target + target / 2 {
            break;
        }
        if length >= target / 2 {
            peak = peak.max(Some(rate(bytes, length)));
        }
    }
    peak
}

fn rate_of_run(segments: impl Iterator<Item = (u64, u64)>) -> u64 {
    let (bytes, length) = segments.fold((0_u64, 0_u64), |(bytes, length), (size, duration)| {
        (bytes.saturating_add(size), length.saturating_add(duration))
    });
    rate(bytes, length)
}

fn rate(bytes: u64, micros: u64) -> u64 {
    if micros == 0 {
        return 0;
    }
    let bits = u128::from(bytes) * 8 * 1_000_000;
    u64::try_from(bits.div_ceil(u128::from(micros))).unwrap_or(u64::MAX)
}
