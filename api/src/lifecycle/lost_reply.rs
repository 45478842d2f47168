//! A claim was granted, and the reply never reached its worker: it works on, and its heartbeats do not name the job.
//!
//! One heartbeat may have been on its way when the claim was granted; two that are apart cannot.

use framefarm_shared::id::WorkerId;
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::wire::event::EventKind;

use super::job_end::{Exit, end_job};
use crate::app::App;
use crate::db::job::end::{Guard, JobEnd};
use crate::db::job::renew::Claim;
use crate::db::{Tx, job};
use crate::error::Result;
use crate::lifecycle::FARM;

/// For a job that its worker's heartbeat does not name. It goes back to the queue as if it had not been claimed.
pub(super) async fn release_if_unknown(app: &App, tx: &mut Tx, claim: Claim, worker: WorkerId) -> Result<()> {
    let (now, heartbeat) = (app.clock.now(), app.settings.heartbeat());
    let claimed_long_ago = claim.claimed_at.is_some_and(|at| at <= now - heartbeat * 2);
    let absent_before = claim.absent_since.is_some_and(|since| since <= now - heartbeat / 2);
    if !(claimed_long_ago && absent_before) {
        return Ok(job::renew::note_absent(tx, claim.id, claim.fence, now).await?);
    }
    let exit = Exit {
        guard: Guard::Whatever,
        job_end: JobEnd { refund: 1, ..JobEnd::to(JobStatus::Pending, now) },
        kind: EventKind::JobReleased,
        outcome: AttemptOutcome::Released,
        actor: FARM,
        reason: Some("the reply to the claim never reached its worker".to_owned()),
        worker: Some(worker),
    };
    end_job(tx, claim.id, claim.fence, exit).await?;
    Ok(())
}
