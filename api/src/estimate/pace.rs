//! How long jobs take, from those that are done.

use std::collections::HashMap;

use framefarm_shared::id::WorkerId;

use super::{Span, seconds};
use crate::db::job::outlook::DoneJob;

/// Seconds of work for each second (or byte) of video: mean and spread.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Pace {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }

    /// One job says little about the next one; many say as much as they agree.
    fn deviation(self) -> f64 {
        let mean = self.mean();
        let variance = (self.squares / self.count - mean * mean).max(0.0);
        variance.sqrt() + mean * (0.1 + 0.4 / self.count)
    }

    fn over(self, amount: f64) -> Span {
        Span::around(self.mean() * amount, self.deviation() * amount)
    }
}

/// Measured paces, by worker and best quality as far as known.
#[derive(Clone, Debug, Default)]
pub struct Paces {
    exact: HashMap<(WorkerId, i32), Pace>,
    by_height: HashMap<i32, Pace>,
    by_worker: HashMap<WorkerId, Pace>,
    any: Option<Pace>,
    by_byte: Option<Pace>,
}

impl Paces {
    pub fn of(jobs: &[DoneJob]) -> Self {
        let mut paces = Self::default();
        for job in jobs {
            paces.add(job);
        }
        paces
    }

    fn add(&mut self, job: &DoneJob) {
        let took = seconds(job.finished_at - job.started_at);
        if job.source_size > 0 {
            self.by_byte.get_or_insert_default().add(took / roughly(job.source_size));
        }
        let Some(length) = job.duration_us.filter(|us| *us > 0) else { return };
        let (pace, height) = (took / (roughly(length) / 1e6), job.height.unwrap_or(0));
        self.any.get_or_insert_default().add(pace);
        self.by_height.entry(height).or_default().add(pace);
        if let Some(worker) = job.worker_id {
            self.exact.entry((worker, height)).or_default().add(pace);
            self.by_worker.entry(worker).or_default().add(pace);
        }
    }

    /// How long a video will take; by its size alone while nobody has looked into it.
    pub(super) fn estimate(&self, seconds: Option<f64>, height: Option<i32>, bytes: i64) -> Option<Span> {
        let Some(seconds) = seconds else { return self.by_byte.map(|pace| pace.over(roughly(bytes))) };
        let known = height.and_then(|height| self.nearest(height)).or(self.any);
        known.map(|pace| pace.over(seconds))
    }

    /// Of the best quality that such a source would get.
    fn nearest(&self, height: i32) -> Option<Pace> {
        let below = self.by_height.iter().filter(|(known, _)| **known <= height);
        below.max_by_key(|(known, _)| **known).map(|(_, pace)| *pace)
    }

    /// Seconds of video that a worker does in a second.
    pub fn speed(&self, worker: WorkerId) -> Option<f64> {
        self.by_worker.get(&worker).map(|pace| 1.0 / pace.mean()).filter(|speed| speed.is_finite())
    }

    /// How much faster or slower than the others a worker is.
    pub(super) fn factor(&self, worker: WorkerId) -> f64 {
        let ratios =
            self.exact.iter().filter(|((by, _), _)| *by == worker).filter_map(|((_, height), own)| {
                let all = self.by_height.get(height)?;
                Some((own.mean() / all.mean(), own.count))
            });
        let (sum, count) = ratios.fold((0.0, 0.0), |(sum, count), (ratio, n)| (sum + ratio * n, count + n));
        if count > 0.0 && sum > 0.0 { sum / count } else { 1.0 }
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs no more than 52 bits")]
pub(super) fn roughly(count: i64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Duration};

    use super::*;

    fn job(worker: u128, height: i32, took: i64, seconds: i64) -> DoneJob {
        let started_at = DateTime::UNIX_EPOCH;
        DoneJob {
            worker_id: Some(WorkerId(uuid::Uuid::from_u128(worker))),
            height: Some(height),
            started_at,
            finished_at: started_at + Duration::seconds(took),
            duration_us: Some(seconds * 1_000_000),
            source_size: 1000,
        }
    }

    #[test]
    fn a_video_takes_as_long_as_others_of_its_kind() {
        let paces = Paces::of(&[job(1, 1080, 100, 100), job(1, 1080, 110, 100), job(1, 360, 10, 100)]);
        let hd = paces.estimate(Some(60.0), Some(1440), 0).unwrap();
        assert!((hd.likely - 63.0).abs() < 1e-9, "{hd:?}");
        assert!(hd.low > 30.0 && hd.high < 100.0, "{hd:?}");
        let small = paces.estimate(Some(60.0), Some(480), 0).unwrap();
        assert!((small.likely - 6.0).abs() < 1e-9, "{small:?}");
    }

    #[test]
    fn a_video_nobody_looked_into_is_judged_by_its_size() {
        let paces = Paces::of(&[job(1, 720, 20, 100)]);
        assert!((paces.estimate(None, None, 500).unwrap().likely - 10.0).abs() < 1e-9);
        assert_eq!(Paces::default().estimate(None, None, 500), None);
        assert_eq!(Paces::default().estimate(Some(9.0), Some(720), 500), None);
    }

    #[test]
    fn the_more_jobs_agree_the_narrower_is_the_range() {
        let few = Paces::of(&[job(1, 720, 50, 100)]).estimate(Some(100.0), Some(720), 0).unwrap();
        let many = Paces::of(&vec![job(1, 720, 50, 100); 50]).estimate(Some(100.0), Some(720), 0).unwrap();
        assert!(many.high - many.low < few.high - few.low);
    }

    #[test]
    fn a_worker_twice_as_slow_has_a_factor_above_one() {
        let paces = Paces::of(&[job(1, 720, 50, 100), job(2, 720, 100, 100)]);
        let worker = |n| WorkerId(uuid::Uuid::from_u128(n));
        assert!(paces.factor(worker(2)) > 1.2 && paces.factor(worker(1)) < 0.8);
        assert!((paces.factor(worker(3)) - 1.0).abs() < 1e-9);
        assert!((paces.speed(worker(1)).unwrap() - 2.0).abs() < 1e-9);
    }
}
