//! A person has many failed and cancelled jobs tried again: a batch is one transaction of a few statements.
//!
//! Of several that do the same work, or work of one kind on one video, the newest goes back. What a batch finds when it begins may be overtaken by somebody
//! who enqueues the same work; then the batch is done again and leaves that job alone.

use std::collections::HashSet;

use framefarm_shared::id::VideoId;
use framefarm_shared::queue::{QueueType, SkipReason};
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::EventKind;

use super::bulk::{BATCH, Choice, Skipped};
use super::retranscode;
use crate::app::App;
use crate::db::events::Event;
use crate::db::job;
use crate::db::job::bulk::Candidate;
use crate::db::job::lists::JobFilter;
use crate::db::{Tx, events};
use crate::error::Result;

/// What a bulk retry did, or would do.
#[derive(Clone, Debug, Default)]
pub struct Retried {
    pub retried: u64,
    pub skipped: Skipped,
    pub batches: u32,
    /// Batches that were done again because somebody enqueued the same work meanwhile.
    pub overtaken: u32,
}

/// What went back in this run.
#[derive(Clone, Debug, Default)]
struct Taken {
    work: HashSet<(QueueType, String)>,
    videos: HashSet<(QueueType, VideoId)>,
}

impl Taken {
    /// Whether nothing of the kind was taken before.
    fn take(&mut self, job: &Candidate) -> bool {
        let kind = job.queue_type;
        self.work.insert((kind, job.identity.clone())) & self.videos.insert((kind, job.video_id))
    }
}

/// Every failed or cancelled job that is meant.
pub async fn retry_many(app: &App, choice: Choice, actor: &str, dry_run: bool) -> Result<Retried> {
    let mut done = Retried::default();
    let mut taken = Taken::default();
    let ended = |status| matches!(status, JobStatus::Failed | JobStatus::Cancelled);
    for filter in choice.filters(app, ended, SkipReason::NotEnded, &mut done.skipped).await? {
        let mut before = i64::MAX;
        loop {
            match retry_batch(app, &filter, before, actor, dry_run, &taken).await? {
                Step::Nothing => break,
                Step::Overtaken => done.overtaken += 1,
                Step::Done { last, batch } => {
                    before = last;
                    done.batches += 1;
                    done.retried += batch.back.len() as u64;
                    for (job, reason) in &batch.left {
                        done.skipped.add(job.id, Some(job.number), *reason);
                    }
                    for job in &batch.back {
                        taken.take(job);
                    }
                }
            }
        }
    }
    Ok(done)
}

enum Step {
    /// No such job is left.
    Nothing,
    /// Somebody enqueued the same work meanwhile; nothing was changed.
    Overtaken,
    Done {
        /// The number that the next batch begins before.
        last: i64,
        batch: Batch,
    },
}

/// A batch, sorted.
#[derive(Default)]
struct Batch {
    back: Vec<Candidate>,
    left: Vec<(Candidate, SkipReason)>,
}

async fn retry_batch(
    app: &App,
    filter: &JobFilter,
    before: i64,
    actor: &str,
    dry_run: bool,
    taken: &Taken,
) -> Result<Step> {
    let mut tx = app.db.begin().await?;
    let numbers = job::bulk::hold_ended(&mut tx, filter, before, BATCH).await?;
    let Some(last) = numbers.last().copied() else { return Ok(Step::Nothing) };
    job::bulk::hold_videos(&mut tx, &numbers).await?;
    let batch = Batch::sort(job::bulk::candidates(&mut tx, &numbers).await?, taken);
    if dry_run {
        tx.rollback().await?;
        return Ok(Step::Done { last, batch });
    }
    if !put_back(app, &mut tx, &batch.back, actor).await? {
        return Ok(Step::Overtaken);
    }
    tx.commit().await?;
    Ok(Step::Done { last, batch })
}

impl Batch {
    fn sort(candidates: Vec<Candidate>, taken: &Taken) -> Self {
        let mut batch = Self::default();
        let mut taken = taken.clone();
        for job in candidates {
            if job.video_is_deleted {
                batch.left.push((job, SkipReason::VideoDeleted));
            } else if job.source_is_gone {
                batch.left.push((job, SkipReason::SourceGone));
            } else if job.has_twin || !taken.take(&job) {
                batch.left.push((job, SkipReason::SameWork));
            } else {
                batch.back.push(job);
            }
        }
        batch
    }
}

/// `false` if one of them met the same work on its way in; the transaction is spoilt then.
async fn put_back(app: &App, tx: &mut Tx, jobs: &[Candidate], actor: &str) -> Result<bool> {
    let now = app.clock.now();
    let numbers: Vec<i64> = jobs.iter().map(|job| job.number).collect();
    match job::bulk::retry_all_if_ended(tx, &numbers, now).await {
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => return Ok(false),
        done => done?,
    };
    job::bulk::wait_all_if_failed(tx, &numbers).await?;
    // A generation's number is never used twice.
    let without = jobs.iter().filter(|job| job.needs_generation && job.queue_type.makes_generation());
    let without: Vec<i64> = without.map(|job| job.number).collect();
    job::bulk::begin_generations(tx, &without, &retranscode::everything(app), now).await?;
    events::append_of_jobs(tx, Event::new(EventKind::JobRequeued, actor), &numbers, now).await?;
    Ok(true)
}
