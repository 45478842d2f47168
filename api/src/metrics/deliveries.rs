//! Deliveries of workers, and their encode speed.

use std::time::Duration;

use prometheus::{Histogram, HistogramVec, IntCounterVec, Result};

use super::few::{Few, OTHER};
use super::make::Maker;

const DELIVERY: [f64; 12] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
const SPEED: [f64; 11] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
/// Ladders are short; a small source has a rung of its own size.
const MOST_QUALITIES: usize = 64;

/// The encoders that workers use, as ffmpeg calls them; `copy` is no encoder at all.
const ENCODERS: [&str; 14] = [
    "aac",
    "copy",
    "libx264",
    "libx265",
    "libsvtav1",
    "h264_nvenc",
    "hevc_nvenc",
    "av1_nvenc",
    "h264_qsv",
    "hevc_qsv",
    "av1_qsv",
    "h264_vaapi",
    "hevc_vaapi",
    "av1_vaapi",
];

#[derive(Debug)]
pub struct Deliveries {
    segments: IntCounterVec,
    bytes: IntCounterVec,
    delivery: Histogram,
    verify: Histogram,
    speed: HistogramVec,
    qualities: Few,
}

impl Deliveries {
    pub(super) fn new(make: &Maker) -> Result<Self> {
        Ok(Self {
            segments: make.counters(
                "framefarm_segments_delivered_total",
                "Total number of segments in verified and accepted parts.",
                &["quality"],
            )?,
            bytes: make.counters(
                "framefarm_segments_delivered_bytes_total",
                "Total size of the delivered segments in bytes.",
                &["quality"],
            )?,
            delivery: make.histogram(
                "framefarm_segment_delivery_duration_seconds",
                "Time the API spent per segment: from the first byte of its part until the part was accepted, divided by the number of segments.",
                &DELIVERY,
            )?,
            verify: make.histogram(
                "framefarm_part_verify_duration_seconds",
                "Time to verify a part, including the wait for a free slot.",
                &DELIVERY,
            )?,
            speed: make.histograms(
                "framefarm_encode_speed_ratio",
                "Seconds of video encoded per second, as reported by workers every few seconds.",
                &SPEED,
                &["quality", "encoder"],
            )?,
            qualities: Few::new(MOST_QUALITIES),
        })
    }

    pub fn verified(&self, took: Duration) {
        self.verify.observe(took.as_secs_f64());
    }

    pub fn counted(&self, quality: &str, segments: usize, bytes: u64) {
        let quality = self.qualities.label(quality);
        self.segments.with_label_values(&[quality]).inc_by(segments as u64);
        self.bytes.with_label_values(&[quality]).inc_by(bytes);
    }

    /// A part was taken from its first byte to its last row.
    pub fn delivered(&self, segments: usize, took: Duration) {
        #[expect(clippy::cast_precision_loss, reason = "a part has few segments")]
        let each = took.as_secs_f64() / segments.max(1) as f64;
        for _ in 0..segments {
            self.delivery.observe(each);
        }
    }

    pub fn speed(&self, quality: &str, encoder: Option<&str>, speed: f64) {
        let encoder = match encoder {
            Some(name) => ENCODERS.into_iter().find(|known| *known == name).unwrap_or(OTHER),
            None => "unknown",
        };
        self.speed.with_label_values(&[self.qualities.label(quality), encoder]).observe(speed);
    }
}
