//! The jobs this process holds, each with its lease and the token that ends it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use framefarm_shared::wire::worker_api::HeldJob;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::lease::Lease;

#[derive(Debug, Default)]
pub(super) struct Held {
    jobs: Mutex<Vec<Entry>>,
    added: Notify,
    changed: Notify,
}

#[derive(Debug)]
struct Entry {
    job: HeldJob,
    lease: Lease,
    lost: CancellationToken,
}

impl Held {
    pub(super) fn add(&self, job: HeldJob, lease: Lease) -> CancellationToken {
        let lost = CancellationToken::new();
        self.jobs().push(Entry { job, lease, lost: lost.clone() });
        self.added.notify_one();
        self.changed.notify_one();
        lost
    }

    pub(super) fn remove(&self, job: HeldJob) {
        self.jobs().retain(|entry| entry.job != job);
    }

    pub(super) fn list(&self) -> Vec<HeldJob> {
        self.jobs().iter().map(|entry| entry.job).collect()
    }

    pub(super) fn shortest_lease(&self) -> Option<Duration> {
        self.jobs().iter().map(|entry| entry.lease.length()).min()
    }

    /// `lease_seconds` of zero: the reply named none.
    pub(super) fn renewed(&self, job: HeldJob, sent_at: Instant, lease_seconds: u64) {
        let length = (lease_seconds > 0).then(|| Duration::from_secs(lease_seconds));
        for entry in self.jobs().iter_mut().filter(|entry| entry.job == job) {
            entry.lease.renewed(sent_at, length);
        }
        self.changed.notify_one();
    }

    /// The farm said no to this claim.
    pub(super) fn deny(&self, job: HeldJob, reason: &str) {
        self.end(reason, |entry| entry.job == job);
    }

    pub(super) fn deny_all(&self, reason: &str) {
        self.end(reason, |_| true);
    }

    /// Ends the jobs whose lease is over, and says when the next one would be.
    pub(super) fn end_what_ran_out(&self, now: Instant) -> Option<Instant> {
        self.end("lease expired", |entry| entry.lease.is_lost(now));
        self.jobs().iter().map(|entry| entry.lease.runs_out_at()).min()
    }

    pub(super) async fn added(&self) {
        self.added.notified().await;
    }

    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// A lost job leaves the set, so that no later reply can touch it.
    fn end(&self, reason: &str, is_lost: impl Fn(&Entry) -> bool) {
        for entry in self.jobs().extract_if(.., |entry| is_lost(entry)) {
            let HeldJob { job_id, fence } = entry.job;
            tracing::warn!(job.id = %job_id, fence, reason, "claim lost; stopping the job");
            entry.lost.cancel();
        }
    }

    fn jobs(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
