//! Jobs are taken from workers that are gone. The one place that does so; every caller passes its evidence.

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::EventKind;

use super::fail::{Failure, end_attempt};
use super::leave::{Exit, after_loss, leave};
use super::startup;
use crate::app::App;
use crate::db::events::Event;
use crate::db::job_leave::{self, Guard, Suspect};
use crate::db::workers::{self, WorkerRow};
use crate::db::{Tx, events, jobs};
use crate::error::Result;
use crate::lifecycle::FARM;
use crate::metrics::Loss;

/// How much longer than its length a claim may be expired while its worker still beats.
const HARD_CAP: i32 = 2;

/// Marks silent workers, releases abandoned claims, fails stalled attempts; nothing in the grace after an outage.
pub async fn sweep(app: &App) -> Result<Vec<(&'static str, u64)>> {
    if startup::in_grace(app).await? {
        return Ok(Vec::new());
    }
    let offline = mark_silent_workers(app).await?;
    let released = release_abandoned(app).await?;
    let stalled = fail_stalled(app).await?;
    Ok(vec![("workers_offline", offline), ("jobs_released", released), ("attempts_stalled", stalled)])
}

/// Each worker on its own: the statement looks again, so a heartbeat that arrives meanwhile wins.
async fn mark_silent_workers(app: &App) -> Result<u64> {
    let since = app.clock.now() - app.settings.offline_after();
    let mut marked = 0;
    for worker in workers::silent_since(&app.db, since).await? {
        let mut tx = app.db.begin().await?;
        if workers::offline_if_silent(&mut tx, worker.id, since).await? {
            let event = Event::of_worker(EventKind::WorkerOffline, FARM, worker.id);
            events::append(&mut tx, event.because("no heartbeat"), app.clock.now()).await?;
            marked += 1;
            tracing::warn!(worker.id = %worker.id, worker.name = worker.name, "worker is offline");
        } else {
            tracing::info!(worker.id = %worker.id, worker.name = worker.name, "worker came back in time");
        }
        tx.commit().await?;
    }
    Ok(marked)
}

/// Releases every claim that is expired and whose worker is gone, silent, or has let it lapse for too long.
pub async fn release_abandoned(app: &App) -> Result<u64> {
    let now = app.clock.now();
    let cap = now - app.settings.lease() * HARD_CAP;
    let mut released = 0;
    for suspect in job_leave::abandoned(&app.db, now, cap).await? {
        released += u64::from(release_one(app, &suspect, Guard::Abandoned { now, cap }).await?);
    }
    if released > 0 {
        tracing::warn!(count = released, "released stale running jobs");
    }
    Ok(released)
}

async fn release_one(app: &App, suspect: &Suspect, guard: Guard) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let exit = lost(app, suspect.lost_count, suspect.max_lost, guard, suspect.worker_id, Loss::ClaimExpired);
    let left = leave(&mut tx, suspect.id, suspect.fence, exit).await?;
    tx.commit().await?;
    Ok(left.is_some())
}

/// Proof of death, or an admin's word: releases all that a worker holds, whatever the leases say.
pub(super) async fn release_all(app: &App, tx: &mut Tx, worker: &WorkerRow, why: Loss) -> Result<()> {
    for job in job_leave::held_by(tx, worker.id).await? {
        let exit = lost(app, job.lost_count, job.max_lost, Guard::Whatever, Some(worker.id), why);
        leave(tx, job.id, job.fence, exit).await?;
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
    let leave = after_loss(app, lost_count, max_lost, why);
    let kind = if leave.status == JobStatus::Failed { EventKind::JobFailed } else { EventKind::JobLost };
    Exit { guard, leave, kind, outcome: "lost", actor: FARM, reason: why.words().to_owned(), worker }
}

/// Fails every attempt on which nothing moved for too long, whatever its heartbeat says.
pub async fn fail_stalled(app: &App) -> Result<u64> {
    let limit = app.settings.no_progress_after();
    let since = app.clock.now() - limit;
    let mut failed = 0;
    for suspect in job_leave::stalled(&app.db, since).await? {
        let mut tx = app.db.begin().await?;
        let Some(job) = jobs::get_in(&mut tx, suspect.id).await? else { continue };
        let message = format!("Timeout after {}s", limit.num_seconds());
        let failure = Failure {
            class: ErrorClass::Timeout,
            message: &message,
            guard: Guard::Stalled { since },
            worker: suspect.worker_id,
            loss: Some(Loss::NoProgress),
        };
        failed += u64::from(end_attempt(app, &mut tx, &job, suspect.fence, failure).await?.is_some());
        tx.commit().await?;
    }
    if failed > 0 {
        tracing::warn!(count = failed, "failed attempts without progress");
    }
    Ok(failed)
}
