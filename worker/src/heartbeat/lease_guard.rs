//! One held job, as its work sees it.

use std::sync::Arc;

use framefarm_shared::wire::worker_api::HeldJob;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::held::Held;
use crate::client::CallError;

/// While this lives, the heartbeat renews the claim.
#[derive(Debug)]
pub struct LeaseGuard {
    job: HeldJob,
    held: Arc<Held>,
    lost: CancellationToken,
}

impl LeaseGuard {
    pub(super) fn new(job: HeldJob, held: Arc<Held>, lost: CancellationToken) -> Self {
        Self { job, held, lost }
    }

    pub fn job(&self) -> HeldJob {
        self.job
    }

    /// Cancelled when the claim is lost, and only then.
    pub fn lost(&self) -> &CancellationToken {
        &self.lost
    }

    /// Takes note of a call that renewed the lease.
    pub fn renewed(&self, sent_at: Instant, lease_seconds: u64) {
        self.held.renewed(self.job, sent_at, lease_seconds);
    }

    /// Makes a call about the job, unless the claim is lost or gets lost meanwhile: then not a byte more is sent.
    /// An answer that ends the claim ends it at once, not at the next heartbeat.
    pub async fn unless_lost<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        // A process that was stopped and goes on must look at the time before it sends anything.
        self.held.end_what_ran_out(Instant::now());
        let result = tokio::select! {
            biased;
            () = self.lost.cancelled() => return Err(CallError::lock_lost()),
            result = call => result,
        };
        if let Err(error) = &result
            && let Some(code) = error.ends_the_claim()
        {
            self.held.deny(self.job, code);
        }
        result
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        self.held.remove(self.job);
    }
}
