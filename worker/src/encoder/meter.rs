//! How far each quality is and how fast it goes, told about once a second.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::protocol::{QualityPace, Report, Spent};
use super::report::Reporter;

const EVERY: Duration = Duration::from_secs(1);

/// Counted up by the thread of one quality.
#[derive(Debug)]
pub(super) struct Meter {
    quality: String,
    /// Who codes it.
    encoder: String,
    /// Seconds of the video a unit of `position` stands for.
    unit: f64,
    total_seconds: f64,
    /// Seconds that were there before this process began.
    had_seconds: f64,
    frames: AtomicU64,
    position: AtomicI64,
    /// What came out, while `position` counts what went in.
    packets: AtomicU64,
    /// When the first of it was coded, and when its thread was through with it.
    began: OnceLock<Instant>,
    ended: Mutex<Option<Instant>>,
}

impl Meter {
    pub(super) fn new(
        quality: &str,
        encoder: String,
        units_a_second: i64,
        total_seconds: f64,
        had_seconds: f64,
    ) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "90000 and 48000 fit")]
        let unit = 1.0 / units_a_second.max(1) as f64;
        let (frames, position, packets, began, ended) = <_>::default();
        let quality = quality.to_owned();
        Self { quality, encoder, unit, total_seconds, had_seconds, frames, position, packets, began, ended }
    }

    /// So much of the video was coded.
    pub(super) fn advance(&self, frames: u64, units: i64) {
        self.began.get_or_init(Instant::now);
        self.frames.fetch_add(frames, Ordering::Relaxed);
        self.position.fetch_add(units, Ordering::Relaxed);
    }

    /// The encoder gave a packet.
    pub(super) fn packet(&self) {
        self.packets.fetch_add(1, Ordering::Relaxed);
    }

    /// All of it was coded: the last frame is shown until the end.
    #[expect(clippy::cast_possible_truncation, reason = "a day of ticks fits")]
    pub(super) fn complete(&self) {
        let units = (self.total_seconds - self.had_seconds) / self.unit;
        self.position.fetch_max(units.ceil() as i64, Ordering::Relaxed);
    }

    /// Nothing more is coded, for whatever reason.
    pub(super) fn end(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// `None` if nothing of it was coded.
    fn coded(&self, reporter: &Reporter) -> Option<Report> {
        let began = *self.began.get()?;
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(Instant::now);
        let (frames, (_, seconds)) = (self.frames.load(Ordering::Relaxed), self.now());
        let spent = Spent { frames, seconds, ..reporter.spent(began, ended) };
        Some(Report::Coded { quality: self.quality.clone(), encoder: self.encoder.clone(), spent })
    }

    #[expect(clippy::cast_precision_loss, reason = "a day of ticks fits in 52 bits")]
    fn now(&self) -> (f64, f64) {
        let seconds = self.position.load(Ordering::Relaxed) as f64 * self.unit;
        (self.frames.load(Ordering::Relaxed) as f64, seconds)
    }

    fn pace(&self, before: (f64, f64), now: (f64, f64), elapsed: f64) -> QualityPace {
        let percent = (self.had_seconds + now.1) / self.total_seconds.max(f64::MIN_POSITIVE) * 100.0;
        QualityPace {
            quality: self.quality.clone(),
            encoder: self.encoder.clone(),
            percent: percent.clamp(0.0, 100.0),
            fps: (now.0 - before.0) / elapsed,
            speed: (now.1 - before.1) / elapsed,
            packets: self.packets.load(Ordering::Relaxed),
        }
    }
}

/// Tells the pace of all until `over` hangs up. Speeds are over the last five looks.
pub(super) fn tell(meters: &[Arc<Meter>], reporter: &Reporter, over: &std::sync::mpsc::Receiver<()>) {
    let mut looks = std::collections::VecDeque::from([(Instant::now(), values(meters))]);
    while over.recv_timeout(EVERY) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
        let (now, current) = (Instant::now(), values(meters));
        if let Some((then, before)) = looks.front() {
            let elapsed = now.duration_since(*then).as_secs_f64().max(0.001);
            let paces = meters.iter().zip(before.iter().zip(&current));
            let qualities = paces.map(|(meter, (before, now))| meter.pace(*before, *now, elapsed)).collect();
            reporter.say(&Report::Progress { qualities, read: reporter.bytes_read() });
        }
        looks.push_back((now, current));
        if looks.len() > 5 {
            looks.pop_front();
        }
    }
}

/// What became of each, at the end.
pub(super) fn sum_up(meters: &[Arc<Meter>], reporter: &Reporter) {
    for report in meters.iter().filter_map(|meter| meter.coded(reporter)) {
        reporter.say(&report);
    }
}

fn values(meters: &[Arc<Meter>]) -> Vec<(f64, f64)> {
    meters.iter().map(|meter| meter.now()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_frame_that_is_shown_for_long_counts_when_it_was_coded() {
        let meter = Meter::new("720p", "libx264".to_owned(), 90_000, 20.0, 5.0);
        meter.advance(1, 90_000);
        let percent = || meter.pace((0.0, 0.0), meter.now(), 1.0).percent;
        assert!((percent() - 30.0).abs() < 0.01, "{}", percent());
        meter.complete();
        assert!((percent() - 100.0).abs() < 0.01, "{}", percent());
    }
}
