//! A worker hands a job back without spending an attempt: drain, shutdown.

use framefarm_shared::failure::error_text;
use framefarm_shared::id::WorkerId;
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::ReleaseRequest;

use super::job_end::{Exit, end_job};
use super::refusal::refuse;
use crate::app::App;
use crate::db::job::end::JobEnd;
use crate::db::job::renew::Holder;
use crate::error::Result;

pub async fn release(app: &App, worker: WorkerId, request: &ReleaseRequest) -> Result<()> {
    let now = app.clock.now();
    let by = Holder { worker, job: request.job_id, fence: request.fence, now };
    let exit = Exit {
        guard: by.into(),
        job_end: JobEnd { refund: 1, ..JobEnd::to(JobStatus::Pending, now) },
        kind: EventKind::JobReleased,
        outcome: AttemptOutcome::Released,
        actor: "worker",
        reason: request.reason.as_deref().map(error_text),
        worker: Some(worker),
    };
    let mut tx = app.db.begin().await?;
    if end_job(&mut tx, by.job, by.fence, exit).await?.is_none() {
        return refuse(app, &mut tx, by).await;
    }
    tx.commit().await?;
    Ok(())
}
