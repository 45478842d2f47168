//! What a child may use up for its task.

use framefarm_shared::plan::MAX_PIXELS;

use super::protocol::EncodeTask;
use crate::sandbox::Limits;

/// CPU time for a million pixels of one frame, decoded or encoded. The slowest preset of the slowest codec takes about a
/// second on an old core; the preset that workers use by default takes a hundredth of that.
const SECONDS_A_MEGAPIXEL: u64 = 4;
/// For audio, images, subtitles, and short videos.
const LEAST_SECONDS: u64 = 3600;
const SECONDS_A_SECOND_OF_AUDIO: u64 = 10;
/// Of a source whose packets are only looked at; most are read a hundred times as fast.
const PROBED_BYTES_A_SECOND: u64 = 1_000_000;

pub(super) fn of_probe(source_bytes: u64) -> Limits {
    let cpu_seconds = LEAST_SECONDS + source_bytes / PROBED_BYTES_A_SECOND;
    Limits { cpu_seconds, ..Limits::for_task(MAX_PIXELS, 1) }
}

pub(super) fn of_encode(task: &EncodeTask) -> Limits {
    let video = task.plan.source.video.as_ref();
    let pixels = video.map_or(0, |video| area(video.width, video.height));
    let made: u64 = task.qualities.iter().map(|task| area(task.quality.width, task.quality.height)).sum();
    let rate = video.map_or(0.0, |video| video.frame_rate);
    let cpu_seconds = cpu_seconds(task.plan.source.duration_us, rate, pixels.saturating_add(made));
    Limits { cpu_seconds, ..Limits::for_task(pixels, task.qualities.len() as u64) }
}

/// `pixels` are those of one frame, as it is decoded and in every quality.
fn cpu_seconds(duration_us: u64, frame_rate: f64, pixels: u64) -> u64 {
    let seconds = duration_us / 1_000_000 + 1;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let frames = seconds * frame_rate.clamp(30.0, 1000.0).ceil() as u64;
    let of_frames = frames.saturating_mul(pixels).saturating_mul(SECONDS_A_MEGAPIXEL) / 1_000_000;
    of_frames.saturating_add(seconds.saturating_mul(SECONDS_A_SECOND_OF_AUDIO)).saturating_add(LEAST_SECONDS)
}

fn area(width: u32, height: u32) -> u64 {
    u64::from(width) * u64::from(height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_bounded_by_what_the_video_is() {
        const HOUR: u64 = 3600;
        let minute_of_full_hd = cpu_seconds(60_000_000, 25.0, 4 * 1920 * 1080);
        assert!((10 * HOUR..24 * HOUR).contains(&minute_of_full_hd), "{minute_of_full_hd}");
        assert!((HOUR..2 * HOUR).contains(&cpu_seconds(60_000_000, 0.0, 0)), "audio alone");
        assert!(cpu_seconds(u64::MAX, f64::NAN, u64::MAX) > HOUR, "no number overflows");
    }

    #[test]
    fn a_large_source_may_be_read_for_longer() {
        assert_eq!(of_probe(0).cpu_seconds, LEAST_SECONDS);
        assert_eq!(of_probe(100_000_000_000).cpu_seconds, LEAST_SECONDS + 100_000);
    }
}
