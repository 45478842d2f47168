//! Jobs are taken from workers that are gone. The one place that does so; every caller passes its evidence.

use chrono::{DateTime, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;

use super::fail::{Failure, end_attempt};
use super::job_end::{Exit, after_loss, end_job};
use super::startup;
use crate::app::App;
use crate::db::events::Event;
use crate::db::job::end::{Guard, Suspect};
use crate::db::job::loss::Loss;
use crate::db::workers::{self, WorkerRow};
use crate::db::{Tx, events, job};
use crate::error::Result;
use crate::lifecycle::FARM;
use crate::services::{Run, timekeeping};

/// How much longer than its length a claim may be expired while its worker still beats.
const HARD_CAP: i32 = 2;

/// Marks silent workers, releases abandoned claims, fails stalled attempts; nothing while the clock is wrong, and nothing
/// in or right after an outage.
pub async fn sweep(app: &App) -> Result<Vec<(&'static str, u64)>> {
    let may_judge = timekeeping::is_right(app).await?
        && !startup::is_unaccounted(app).await?
        && !startup::in_grace(app).await?;
    if !may_judge {
        return Ok(Vec::new());
    }
    let (offline, released, stalled) =
        (mark_silent_workers(app).await, release_abandoned(app).await, fail_stalled(app).await);
    Ok(vec![("workers_offline", offline?), ("jobs_released", released?), ("attempts_stalled", stalled?)])
}

/// Each worker on its own: the statement looks again, so a heartbeat that arrives meanwhile wins.
async fn mark_silent_workers(app: &App) -> Result<u64> {
    let since = app.clock.now() - app.settings.offline_after();
    let mut run = Run::default();
    for worker in workers::silent_since(&app.db, since).await? {
        run.note(mark_if_silent(app, &worker, since).await);
    }
    run.end()
}

async fn mark_if_silent(app: &App, worker: &WorkerRow, since: DateTime<Utc>) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let marked = workers::offline_if_silent(&mut tx, worker.id, since).await?;
    if marked {
        let event = Event::of_worker(EventKind::WorkerOffline, FARM, worker.id);
        events::append(&mut tx, event.because("no heartbeat"), app.clock.now()).await?;
        tracing::warn!(worker.id = %worker.id, worker.name = worker.name, "worker is offline");
    } else {
        tracing::info!(worker.id = %worker.id, worker.name = worker.name, "worker sent a heartbeat in time");
    }
    tx.commit().await?;
    Ok(marked)
}

/// Releases every claim that is expired and whose worker is gone, silent, or has let it lapse for too long.
pub async fn release_abandoned(app: &App) -> Result<u64> {
    let now = app.clock.now();
    let cap = now - app.settings.lease() * HARD_CAP;
    let mut run = Run::default();
    let mut after = 0;
    loop {
        let suspects = job::end::abandoned(&app.db, now, cap, after).await?;
        let Some(last) = suspects.last() else { break };
        after = last.number;
        for suspect in &suspects {
            run.note(release_one(app, suspect, Guard::Abandoned { now, cap }).await);
        }
    }
    if run.done > 0 {
        tracing::warn!(count = run.done, "released stale running jobs");
    }
    run.end()
}

async fn release_one(app: &App, suspect: &Suspect, guard: Guard) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let exit = lost(app, suspect.lost_count, suspect.max_lost, guard, suspect.worker_id, Loss::ClaimExpired);
    let left = end_job(&mut tx, suspect.id, suspect.fence, exit).await?;
    tx.commit().await?;
    Ok(left.is_some())
}

/// Proof of death, or an admin's word: releases all that a worker holds, whatever the leases say.
pub(super) async fn release_all(app: &App, tx: &mut Tx, worker: &WorkerRow, why: Loss) -> Result<()> {
    for job in job::end::held_by(tx, worker.id).await? {
        let exit = lost(app, job.lost_count, job.max_lost, Guard::Whatever, Some(worker.id), why);
        end_job(tx, job.id, job.fence, exit).await?;
    }
    Ok(())
}

fn lost<'a>(
    app: &App,
    lost_count: i32,
    max_lost: i32,
    guard: Guard,
    worker: Option<framefarm_shared::id::WorkerId>,
    why: Loss,
) -> Exit<'a> {
    let job_end = after_loss(app, lost_count, max_lost, why);
    let kind = if job_end.status == JobStatus::Failed { EventKind::JobFailed } else { EventKind::JobLost };
    Exit {
        guard,
        job_end,
        kind,
        outcome: AttemptOutcome::Lost,
        actor: FARM,
        reason: Some(why.words().to_owned()),
        worker,
    }
}

/// Fails every attempt on which nothing moved for too long, whatever its heartbeat says.
pub async fn fail_stalled(app: &App) -> Result<u64> {
    let since = app.clock.now() - app.settings.no_progress_after();
    let mut run = Run::default();
    let mut after = 0;
    loop {
        let suspects = job::end::stalled(&app.db, since, after).await?;
        let Some(last) = suspects.last() else { break };
        after = last.number;
        for suspect in &suspects {
            run.note(fail_one(app, suspect, since).await);
        }
    }
    if run.done > 0 {
        tracing::warn!(count = run.done, "failed attempts without progress");
    }
    run.end()
}

async fn fail_one(app: &App, suspect: &Suspect, since: DateTime<Utc>) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let Some(job) = job::get_in(&mut tx, suspect.id).await? else { return Ok(false) };
    let message = format!("Timeout after {}s", app.settings.no_progress_after().num_seconds());
    let failure = Failure {
        class: ErrorClass::Timeout,
        message: &message,
        guard: Guard::Stalled { since },
        worker: suspect.worker_id,
        loss: Some(Loss::NoProgress),
    };
    let failed = end_attempt(app, &mut tx, &job, suspect.fence, failure).await?.is_some();
    tx.commit().await?;
    Ok(failed)
}
