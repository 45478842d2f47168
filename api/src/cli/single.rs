//! An embedded data directory belongs to one process: take its lock first, renew it, give it back at the end.

use std::time::Duration;

use anyhow::Context;
use framefarm_shared::clock::Clock;
use tokio_util::sync::CancellationToken;

use crate::config::Settings;
use crate::instance_lock::{Identity, InstanceLock, LockError};

const RENEW_EVERY: Duration = Duration::from_secs(30);
const STALE_AFTER: Duration = Duration::from_mins(2);

/// `None` where PostgreSQL keeps order among several processes.
pub(super) fn lock(settings: &Settings, clock: &Clock) -> anyhow::Result<Option<InstanceLock>> {
    if !settings.uses_sqlite() {
        return Ok(None);
    }
    let dir = &settings.data_dir;
    std::fs::create_dir_all(dir)
        .with_context(|| format!("cannot create the data directory {}", dir.display()))?;
    let me = Identity::of_this_process().context("cannot tell who this process is")?;
    Ok(Some(InstanceLock::acquire(dir, clock.now(), me, STALE_AFTER)?))
}

/// Renews the lock until `stop`, then releases it. Ends early, with an error, when the lock is lost.
pub(super) async fn keep(lock: InstanceLock, clock: Clock, stop: CancellationToken) -> anyhow::Result<()> {
    let mut held = lock;
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep(RENEW_EVERY) => {}
        }
        let now = clock.now();
        let (lock, renewed) = tokio::task::spawn_blocking(move || {
            let renewed = held.renew(now);
            (held, renewed)
        })
        .await?;
        held = lock;
        match renewed {
            Err(error @ LockError::Lost { .. }) => return Err(error.into()),
            Err(error) => tracing::warn!(%error, "the data directory's lock was not renewed; trying again"),
            Ok(()) => {}
        }
    }
    let now = clock.now();
    tokio::task::spawn_blocking(move || held.release(now)).await??;
    Ok(())
}
