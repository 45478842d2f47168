//! How much a worker may store for one job: what its plan can need, with generous room.
//!
//! The plan bounds the number of segments, and names bound the number of images and subtitles. This bounds their bytes and
//! the number of init segments.

use framefarm_shared::plan::Plan;

use crate::error::{ApiError, Result};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Encoders keep to the bit rate of their quality over some seconds, and a copied source may be a little above it.
const TIMES_THE_BITRATE: u64 = 4;
/// For what short videos and empty segments take whatever their bit rate.
const SMALL_VIDEO: u64 = 64 * MIB;
const A_SEGMENT: u64 = 64 * KIB;
const A_SECOND_OF_SIDECARS: u64 = 64 * KIB;

/// Each encoder that works on a quality has an init segment of its own.
pub(super) const MOST_INITS: usize = 32;

/// The most bytes that all segments of a quality may have.
pub(super) fn of_quality(plan: &Plan, bitrate_kbps: i32) -> u64 {
    let bytes_a_second = u64::from(bitrate_kbps.max(0).unsigned_abs()) * 1000 / 8;
    let media = seconds(plan) * bytes_a_second * TIMES_THE_BITRATE;
    media + plan.boundaries_us.len() as u64 * A_SEGMENT + SMALL_VIDEO
}

/// The most bytes that all images and subtitles of a generation may have.
pub(super) fn of_sidecars(plan: Option<&Plan>) -> u64 {
    plan.map_or(0, seconds) * A_SECOND_OF_SIDECARS + SMALL_VIDEO
}

fn seconds(plan: &Plan) -> u64 {
    plan.source.duration_us.div_ceil(1_000_000)
}

pub(super) fn check(what: &str, bytes: u64, most: u64) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    let detail = format!("{what} would have {bytes} bytes; the plan of this job allows at most {most}.");
    Err(ApiError::unprocessable("output_too_large", detail))
}

#[cfg(test)]
mod tests {
    use framefarm_shared::plan::SourceInfo;

    use super::*;

    fn plan_of(duration_us: u64) -> Plan {
        Plan::regular(SourceInfo {
            duration_us,
            video: None,
            has_cover: None,
            audio: vec![],
            subtitles: vec![],
            notes: vec![],
        })
    }

    #[test]
    fn the_allowance_grows_with_the_video_and_has_room_for_short_ones() {
        let second = of_quality(&plan_of(1_000_000), 600);
        assert!(second > 64 * MIB);
        let day = of_quality(&plan_of(24 * 3_600 * 1_000_000), 15_000);
        let at_its_bitrate = 24 * 3_600 * 15_000 * 1000 / 8;
        assert!(day > 4 * at_its_bitrate && day < 5 * at_its_bitrate, "{day}");
        assert_eq!(of_quality(&plan_of(1_000_000), -1), of_quality(&plan_of(1_000_000), 0));
        assert!(of_sidecars(None) < of_sidecars(Some(&plan_of(1_000_000))));
    }
}
