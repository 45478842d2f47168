//! A worker says that all is delivered: its generation is checked and its playlists are written, then job, video and
//! worker change in one transaction and the new generation plays.

use framefarm_shared::id::WorkerId;
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{CompleteReply, CompleteRequest, LeftOut, check_results};

use super::job_end::{Exit, end_job};
use super::left_out::{self, missing};
use super::publish::{self, Delivered};
use super::refusal::refuse;
use super::trace;
use crate::app::App;
use crate::cluster::ClusterMessage;
use crate::db::job::end::{Completed, JobEnd};
use crate::db::job::renew::Holder;
use crate::db::qualities::GenerationKey;
use crate::db::{generations, job, qualities, workers};
use crate::error::{ApiError, Result};
use crate::lifecycle::FARM;

pub async fn complete(app: &App, worker: WorkerId, request: &CompleteRequest) -> Result<CompleteReply> {
    let now = app.clock.now();
    let by = Holder { worker, job: request.job_id, fence: request.fence, now };
    let Some(job) = job::get(&app.db, request.job_id).await? else {
        return Err(ApiError::no_such("job"));
    };
    // A look before the work; the guard of the statement that ends the claim decides.
    if !by.holds(&job) {
        return already_completed(app, by).await;
    }
    check_results(job.queue_type, request.results.as_ref())
        .map_err(|detail| ApiError::bad_request("bad_results", detail))?;
    let key = GenerationKey { video: job.video_id, number: job.generation };
    let published = if job.queue_type.makes_generation() {
        let delivered = check_delivered(app, key, &request.left_out).await?;
        Some(publish::write_files(app, delivered).await?)
    } else {
        None
    };
    let results = published.as_ref().map(|new| new.renditions.clone()).or_else(|| request.results.clone());

    // Without anything to publish it is one statement.
    let mut tx = if published.is_some() { app.db.begin().await? } else { app.db.begin_single().await? };
    let reason = format!("generation {}", job.generation);
    let Some(Completed { job, has_others }) = job::end::complete(&mut tx, by, results, &reason).await? else {
        return refuse(app, &mut tx, by).await;
    };
    trace::ended(&mut tx, &job, now).await?;
    if let Some(new) = published {
        left_out::record(&mut tx, &job, by, &request.left_out).await?;
        if !publish::switch(app, &mut tx, key, new).await? {
            tx.rollback().await?;
            return superseded(app, by).await;
        }
    }
    tx.commit().await?;
    if has_others {
        let mut tx = app.db.begin().await?;
        workers::lock(&mut tx, worker).await?;
        workers::settle(&mut tx, worker).await?;
        tx.commit().await?;
    }
    app.cluster.tell(ClusterMessage::Completed { video_id: job.video_id });
    Ok(CompleteReply { job_id: job.id, status: job.status, generation: job.generation })
}

/// Every planned quality must be complete, but for what the worker leaves out.
async fn check_delivered(app: &App, key: GenerationKey, left_out: &[LeftOut]) -> Result<Delivered> {
    let qualities = qualities::of_generation(&app.db, key).await?;
    let plan = generations::plan(&app.db, key.video, key.number).await?;
    let Some(mut plan) = plan.filter(|_| !qualities.is_empty()) else {
        return Err(ApiError::unprocessable("not_complete", "No plan or part was delivered for this job."));
    };
    plan.source = plan.source.with_normal_languages();
    let missing = missing(&qualities, left_out);
    if !missing.is_empty() {
        let detail = format!("Still missing: {}.", missing.join(", "));
        return Err(ApiError::unprocessable("not_complete", detail));
    }
    Ok(Delivered { key, plan, qualities })
}

/// The answer to a completion may get lost; asking again under the same fence gives it again.
async fn already_completed(app: &App, by: Holder) -> Result<CompleteReply> {
    let mut tx = app.db.begin().await?;
    let held =
        job::attempts::get(&mut tx, by.job, by.fence).await?.filter(|attempt| attempt.worker_id == by.worker);
    if held.is_some_and(|attempt| attempt.outcome == Some(AttemptOutcome::Completed))
        && let Some(job) = job::get_in(&mut tx, by.job).await?
    {
        return Ok(CompleteReply { job_id: job.id, status: job.status, generation: job.generation });
    }
    refuse(app, &mut tx, by).await
}

/// The result is no longer needed, and must not be made again.
async fn superseded(app: &App, by: Holder) -> Result<CompleteReply> {
    let why = "The video was deleted, or a newer generation is already published.";
    let exit = Exit {
        guard: by.into(),
        job_end: JobEnd::to(JobStatus::Cancelled, by.now),
        kind: EventKind::JobCancelled,
        outcome: AttemptOutcome::Superseded,
        actor: FARM,
        reason: Some(why.to_owned()),
        worker: Some(by.worker),
    };
    let mut tx = app.db.begin().await?;
    end_job(&mut tx, by.job, by.fence, exit).await?;
    tx.commit().await?;
    Err(ApiError::conflict("claim_lost", why))
}
