//! Why a worker's call about a job was refused.

use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::worker_api::RefusalCode;

use crate::app::App;
use crate::db::job::renew::Holder;
use crate::db::{Tx, job};
use crate::error::{ApiError, Result};

/// To be asked in the transaction whose guarded statement changed nothing.
pub(super) async fn why_refused(app: &App, tx: &mut Tx, by: Holder) -> Result<RefusalCode> {
    let code = found_out(tx, by).await?;
    app.metrics.jobs.told_of_loss(code);
    Ok(code)
}

async fn found_out(tx: &mut Tx, by: Holder) -> Result<RefusalCode> {
    let Some(job) = job::get_in(tx, by.job).await? else {
        return Ok(RefusalCode::Unknown);
    };
    if !job::attempts::ever_held(tx, by.job, by.worker).await? {
        return Ok(RefusalCode::NotYours);
    }
    if job.fence != by.fence || job.worker_id.is_some_and(|holder| holder != by.worker) {
        return Ok(RefusalCode::Fenced);
    }
    if job.status != JobStatus::Running {
        return Ok(RefusalCode::ClaimLost);
    }
    Ok(RefusalCode::ClaimExpired)
}

/// The refusal as an error.
pub(super) async fn refuse<T>(app: &App, tx: &mut Tx, by: Holder) -> Result<T> {
    Err(ApiError::refused(why_refused(app, tx, by).await?))
}
