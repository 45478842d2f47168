//! Heartbeats, sent whatever the work does, and the end of exactly those jobs whose claim is lost.
//!
//! Two tasks share the set of held jobs. One sends heartbeats: it renews what the farm renews and drops what the farm
//! denies. The other watches the time alone, so that a hanging request cannot hide a lease that runs out.

mod held;
mod lease_guard;
mod pace;

use std::sync::Arc;
use std::time::Duration;

use framefarm_shared::id::BootId;
use framefarm_shared::wire::worker_api::{HeartbeatReply, HeartbeatRequest, HeldJob, ReportedStatus};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

pub use lease_guard::LeaseGuard;

use crate::client::{CallError, Client, Sent};
use crate::gpu::GpuPool;
use crate::lease::Lease;
use held::Held;
use pace::Pace;

/// Whoever looks at GPUs wants to see them move.
const GPUS_EVERY: Duration = Duration::from_secs(5);
/// A process that ends waits no longer for the farm to hear it.
const LAST_WORD: Duration = Duration::from_secs(3);

/// What the farm said last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    #[default]
    NotYetHeard,
    Welcome {
        draining: bool,
    },
    /// The key, or this process, is no longer wanted.
    Refused {
        code: String,
        detail: String,
    },
}

/// Runs until it is dropped.
#[derive(Debug)]
pub struct Heartbeat {
    held: Arc<Held>,
    standing: watch::Receiver<Standing>,
    ending: CancellationToken,
    ended: CancellationToken,
    _tasks: [AbortOnDropHandle<()>; 2],
}

impl Heartbeat {
    /// `capabilities` go out with the first heartbeat that arrives.
    pub fn start(
        client: Client,
        boot_id: BootId,
        every: Duration,
        capabilities: Option<Value>,
        gpus: GpuPool,
    ) -> Self {
        let held = Arc::new(Held::default());
        let (tell, standing) = watch::channel(Standing::default());
        let (pace, held_by_beating) = (Pace::new(every), Arc::clone(&held));
        let (ending, ended) = (CancellationToken::new(), CancellationToken::new());
        let beating = Beating { client, boot_id, capabilities, held: held_by_beating, tell, pace, gpus };
        let beating = beating.until(ending.clone(), ended.clone());
        let tasks = [tokio::spawn(beating), tokio::spawn(watch_time(Arc::clone(&held)))];
        Self { held, standing, ending, ended, _tasks: tasks.map(AbortOnDropHandle::new) }
    }

    /// Tells the farm that this process ends, after the heartbeat that is on its way: nobody then waits for its silence.
    pub async fn farewell(&self) {
        self.ending.cancel();
        let _told_or_not = timeout(LAST_WORD, self.ended.cancelled()).await;
    }

    /// Keeps a fresh claim alive until the [`LeaseGuard`] is dropped.
    ///
    /// A long poll does not say when the claim was made, so its lease runs from now for the time being, and a
    /// heartbeat goes out at once to learn how it stands.
    pub fn hold(&self, job: HeldJob, lease: Duration) -> LeaseGuard {
        let lost = self.held.add(job, Lease::granted(Instant::now(), lease));
        LeaseGuard::new(job, Arc::clone(&self.held), lost)
    }

    pub fn standing(&self) -> watch::Receiver<Standing> {
        self.standing.clone()
    }
}

async fn watch_time(held: Arc<Held>) {
    loop {
        match held.end_what_ran_out(Instant::now()) {
            Some(next) => tokio::select! { () = sleep_until(next) => {}, () = held.changed() => {} },
            None => held.changed().await,
        }
    }
}

struct Beating {
    client: Client,
    boot_id: BootId,
    capabilities: Option<Value>,
    held: Arc<Held>,
    tell: watch::Sender<Standing>,
    pace: Pace,
    gpus: GpuPool,
}

impl Beating {
    async fn until(mut self, ending: CancellationToken, ended: CancellationToken) {
        let mut gpus = self.gpus.changes();
        while !ending.is_cancelled() {
            let pause = match self.beat(false).await {
                Ok(sent) => self.heard(sent),
                Err(error) => self.not_heard(error),
            };
            tokio::select! {
                () = ending.cancelled() => {}
                () = sleep(pause) => {}
                () = self.held.added() => {}
                Ok(()) = gpus.changed() => {}
            }
        }
        // An older farm does not know the word; it finds out by the silence.
        if let Err(error) = self.beat(true).await {
            tracing::debug!(error = %error, "cannot tell the farm that this worker is stopping");
        }
        ended.cancel();
    }

    async fn beat(&self, stopping: bool) -> Result<Sent<HeartbeatReply>, CallError> {
        let held = self.held.list();
        let status = if held.is_empty() { ReportedStatus::Idle } else { ReportedStatus::Busy };
        let capabilities = self.capabilities.clone();
        let request = HeartbeatRequest {
            boot_id: self.boot_id,
            status,
            held,
            capabilities,
            metadata: None,
            gpus: Some(self.gpus.report()),
            stopping,
        };
        self.client.heartbeat(&request, Pace::timeout(self.held.shortest_lease())).await
    }

    fn heard(&mut self, Sent { sent_at, reply }: Sent<HeartbeatReply>) -> Duration {
        self.capabilities = None;
        for job in reply.renewed {
            self.held.renewed(job, sent_at, reply.lease_seconds);
        }
        for lost in reply.lost {
            self.held.deny(HeldJob { job_id: lost.job_id, fence: lost.fence }, lost.code.as_str());
        }
        self.tell
            .send_if_modified(|standing| changed(standing, Standing::Welcome { draining: reply.draining }));
        self.pace.heard(reply.heartbeat_seconds);
        let pause = self.pace.pause(self.held.shortest_lease());
        if self.gpus.are_there() { pause.min(GPUS_EVERY) } else { pause }
    }

    /// A definite no ends every job, since nothing can renew them. Anything else only costs time.
    fn not_heard(&mut self, error: CallError) -> Duration {
        tracing::warn!(error = %error, "heartbeat failed");
        if let CallError::Stop { code, detail } = error {
            self.held.deny_all(&code);
            self.tell.send_if_modified(|standing| changed(standing, Standing::Refused { code, detail }));
        }
        self.pace.failed();
        self.pace.pause(self.held.shortest_lease())
    }
}

fn changed(standing: &mut Standing, new: Standing) -> bool {
    let differs = *standing != new;
    *standing = new;
    differs
}

#[cfg(test)]
mod tests;
