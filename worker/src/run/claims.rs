//! One slot: a job after the other, until the process is to stop.

use std::sync::Arc;
use std::time::Duration;

use framefarm_shared::wire::worker_api::{ClaimRequest, ClaimedJob, MAX_CLAIM_WAIT_SECONDS};
use tokio::time::{Instant, sleep, sleep_until};

use super::{Phase, Supervisor, job};
use crate::heartbeat::Standing;

/// A farm that says no at once is not asked again before this.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

pub(super) async fn fill_slot(supervisor: Arc<Supervisor>) {
    while let Some(claimed) = next_job(&supervisor).await {
        job::work(&supervisor, claimed).await;
    }
}

/// `None` when no more jobs are to be taken.
async fn next_job(supervisor: &Supervisor) -> Option<ClaimedJob> {
    tokio::select! {
        biased;
        () = supervisor.stop.reached(Phase::Draining) => None,
        claimed = claim(supervisor) => Some(claimed),
    }
}

async fn claim(supervisor: &Supervisor) -> ClaimedJob {
    let mut pause = LOOK_EVERY;
    let request = ClaimRequest {
        boot_id: supervisor.boot_id,
        queue_types: Some(supervisor.options.queues.clone()),
        job_id: None,
        wait_seconds: Some(MAX_CLAIM_WAIT_SECONDS),
    };
    loop {
        welcome(supervisor).await;
        let asked_at = Instant::now();
        match supervisor.client.claim(&request).await {
            Ok(sent) => {
                if let Some(claimed) = sent.reply.job {
                    return claimed;
                }
                pause = LOOK_EVERY;
                sleep_until(asked_at + LOOK_EVERY).await;
            }
            Err(error) => {
                tracing::warn!(error = %error, "claim request failed");
                sleep(pause.mul_f64(rand::random_range(0.5..=1.0))).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Waits while the farm wants this worker to take nothing.
async fn welcome(supervisor: &Supervisor) {
    let mut standing = supervisor.heartbeat.standing();
    let welcome = |now: &Standing| matches!(now, Standing::Welcome { draining: false });
    let heartbeat_ended = standing.wait_for(welcome).await.is_err();
    if heartbeat_ended {
        // The heartbeat has ended, and with it this process.
        std::future::pending::<()>().await;
    }
}
