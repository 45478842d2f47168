//! The transcode queue as it stands: who can work, what runs, what comes next.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::JobId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, WorkerStatus};
use serde::Serialize;
use utoipa::ToSchema;

use super::pace::{Paces, roughly};
use super::schedule::{Place, play};
use super::{Eta, Span, remaining, running_eta, seconds};
use crate::app::App;
use crate::db::job;
use crate::db::job::JobRow;
use crate::db::job::claim::CPU_AFTER;
use crate::db::job::outlook::{DueJob, RunningJob, SourceFacts};
use crate::db::queues::{self, QueueRow};
use crate::db::workers::{self, WorkerRow};
use crate::error::Result;

/// Finished jobs that estimates are made from.
const MEASURED: i64 = 200;
/// Waiting jobs whose place is told.
const FORESEEN: u16 = 1_000;

/// Why a job waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Waiting {
    pub reason: WaitingFor,
    /// The reason as a sentence.
    pub text: String,
    /// When this reason ends without any action, if that is known.
    pub until: Option<DateTime<Utc>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitingFor {
    /// The queue is paused.
    Paused,
    /// It failed or was lost, and its retry is not due yet.
    Retry,
    /// No worker is online that accepts jobs.
    NoWorker,
    /// It is held for an idle GPU worker for a short time.
    Gpu,
    /// The limit of running jobs is reached.
    Limit,
    /// All workers are busy.
    Busy,
    /// A worker is about to claim it.
    Starting,
}

pub struct Outlook {
    now: DateTime<Utc>,
    gpu_deferral: Duration,
    /// The GPU abilities a job needs as long as its source has not been probed.
    unknown_needs: i32,
    queues: Vec<QueueRow>,
    workers: Vec<WorkerRow>,
    running: Vec<RunningJob>,
    paces: Paces,
    /// Place in the queue, from 1, and when it is done, if that can be told.
    next: HashMap<JobId, (i64, Option<Eta>)>,
    queue_done: Option<Eta>,
}

impl Outlook {
    pub async fn load(app: &App) -> Result<Self> {
        let due = job::outlook::due(&app.db, QueueType::Transcode, FORESEEN.into()).await?;
        let mut outlook = Self {
            now: app.clock.now(),
            gpu_deferral: app.settings.gpu_deferral(),
            unknown_needs: app.settings.ladder.needs().bits(),
            queues: queues::all(&app.db).await?,
            workers: workers::all(&app.db).await?,
            running: job::outlook::running(&app.db, QueueType::Transcode).await?,
            paces: Paces::of(&job::outlook::done(&app.db, MEASURED).await?),
            next: HashMap::new(),
            queue_done: None,
        };
        outlook.look_ahead(&due);
        Ok(outlook)
    }

    pub fn paces(&self) -> &Paces {
        &self.paces
    }

    /// The position among the claimable jobs, from 1.
    pub fn position(&self, job: JobId) -> Option<i64> {
        self.next.get(&job).map(|(position, _)| *position)
    }

    pub fn eta(&self, job: &JobRow) -> Option<Eta> {
        match job.status {
            JobStatus::Running => {
                running_eta(job.eta_seconds, job.progress_percent, job.attempt_started_at?, self.now)
            }
            JobStatus::Pending => self.next.get(&job.id).and_then(|(_, eta)| *eta),
            JobStatus::Completed | JobStatus::Failed | JobStatus::Cancelled => None,
        }
    }

    /// Until nothing waits or runs any more.
    pub fn queue_done(&self) -> Option<Eta> {
        self.queue_done
    }

    pub fn waiting(&self, job: &JobRow) -> Option<Waiting> {
        if job.status != JobStatus::Pending {
            return None;
        }
        let because = |reason, text: String, until| Some(Waiting { reason, text, until });
        let queue = self.queue(job.queue_type);
        if queue.is_some_and(|queue| queue.paused) {
            return because(WaitingFor::Paused, format!("The {} queue is paused.", job.queue_type), None);
        }
        if let Some(due) = job.retry_after.filter(|due| *due > self.now) {
            let text = if job.error.is_some() {
                "It failed and will be retried after a delay."
            } else {
                "It is back in the queue and can be claimed after a delay."
            };
            return because(WaitingFor::Retry, text.to_owned(), Some(due));
        }
        if job.queue_type != QueueType::Transcode {
            return None;
        }
        let (able, places) = (self.able().count(), self.places_of_all());
        if able == 0 {
            let text = if self.workers.iter().any(|worker| is_online(worker) && worker.draining) {
                "All online workers are draining and accept no new jobs."
            } else {
                "No worker is online."
            };
            return because(WaitingFor::NoWorker, text.to_owned(), None);
        }
        let running = self.running.len();
        if let Some(most) = queue.and_then(|queue| queue.max_running).filter(|most| running >= least(*most)) {
            let jobs = if most == 1 { "running job" } else { "running jobs" };
            let text = format!("The limit of {most} {jobs} is reached.");
            return because(WaitingFor::Limit, text, None);
        }
        if let Some(gpu) = self.idle_gpu(job)
            && self.now < job.claimable_at + self.gpu_deferral
        {
            let until = job.claimable_at + self.gpu_deferral;
            let text =
                format!("Waiting for {}, at most {} s.", gpu.name, (until - self.now).num_seconds() + 1);
            return because(WaitingFor::Gpu, text, Some(until));
        }
        if running >= places {
            return because(WaitingFor::Busy, "All workers are busy.".to_owned(), None);
        }
        because(WaitingFor::Starting, "A worker is about to claim it.".to_owned(), None)
    }

    fn queue(&self, kind: QueueType) -> Option<&QueueRow> {
        self.queues.iter().find(|queue| queue.queue_type == kind)
    }

    /// Workers that may take a job now or when they are done with another.
    fn able(&self) -> impl Iterator<Item = &WorkerRow> {
        self.workers.iter().filter(|worker| is_online(worker) && !worker.draining)
    }

    /// An idle worker with a suitable GPU, for which the other workers leave the job for a while.
    fn idle_gpu(&self, job: &JobRow) -> Option<&WorkerRow> {
        let heard = self.now - self.gpu_deferral;
        let needs = job.gpu_needs.unwrap_or(self.unknown_needs);
        self.able().filter(|_| job.encoder_failures < CPU_AFTER).find(|worker| {
            worker.gpu_abilities & needs != 0
                && worker.status == WorkerStatus::Idle
                && worker.last_heartbeat.is_some_and(|at| at >= heard)
        })
    }

    fn places_of_all(&self) -> usize {
        self.able().map(slots).sum()
    }

    fn look_ahead(&mut self, due: &[DueJob]) {
        let lengths = due.iter().map(|job| self.length_of(&job.source));
        let places = self.places();
        let played = play(&places, lengths);
        let eta = |(start, end): &(Span, Span)| end.eta(Some(start.likely), self.now);
        let etas = played.iter().map(|span| Some(eta(span))).chain(std::iter::repeat(None));
        let next = due.iter().zip(1..).zip(etas).map(|((job, position), eta)| (job.id, (position, eta)));
        let next = next.collect();
        let all_played = played.len() == due.len() && due.len() < usize::from(FORESEEN);
        if all_played {
            let ends = played.iter().map(|(_, end)| *end).chain(places.iter().map(|place| place.free));
            let last = ends.max_by(|a, b| a.likely.total_cmp(&b.likely)).filter(|end| end.likely > 0.0);
            self.queue_done = last.map(|end| end.eta(None, self.now));
        }
        self.next = next;
    }

    /// Where jobs are done, and when each place is free. None while the queue is paused.
    fn places(&self) -> Vec<Place> {
        let queue = self.queue(QueueType::Transcode);
        if queue.is_some_and(|queue| queue.paused) {
            return Vec::new();
        }
        let mut places: Vec<Place> = self.able().flat_map(|worker| self.places_of(worker)).collect();
        places.sort_by(|a, b| b.free.likely.total_cmp(&a.free.likely));
        if let Some(most) = queue.and_then(|queue| queue.max_running) {
            places.truncate(least(most));
        }
        places
    }

    fn places_of(&self, worker: &WorkerRow) -> Vec<Place> {
        let factor = self.paces.factor(worker.id);
        let held = self.running.iter().filter(|job| job.worker_id == Some(worker.id));
        let mut frees: Vec<Option<Span>> = held.map(|job| self.left_of(job)).collect();
        frees.resize(slots(worker).max(frees.len()), Some(Span::default()));
        // A job that may take for ever: nothing is planned behind it.
        frees.into_iter().flatten().map(|free| Place { free, factor }).collect()
    }

    fn left_of(&self, job: &RunningJob) -> Option<Span> {
        let elapsed = job.attempt_started_at.map_or(0.0, |at| seconds(self.now - at));
        remaining(job.eta_seconds, job.progress_percent, elapsed).or_else(|| self.length_of(&job.source))
    }

    fn length_of(&self, source: &SourceFacts) -> Option<Span> {
        let side = source.width.zip(source.height).map(|(width, height)| width.min(height));
        self.paces.estimate(source.duration_us.map(|us| roughly(us) / 1e6), side, source.source_size)
    }
}

fn least(most: i32) -> usize {
    usize::try_from(most).unwrap_or(0)
}

fn is_online(worker: &WorkerRow) -> bool {
    matches!(worker.status, WorkerStatus::Active | WorkerStatus::Idle | WorkerStatus::Busy)
}

/// Jobs at once, as the worker says.
pub fn slots(worker: &WorkerRow) -> usize {
    let told = worker.capabilities.0.get("slots").and_then(serde_json::Value::as_u64);
    told.and_then(|slots| usize::try_from(slots).ok()).unwrap_or(1).clamp(1, 64)
}
