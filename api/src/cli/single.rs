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
    let me = Identity::of_this_process().context("cannot identify this process")?;
    Ok(Some(InstanceLock::acquire(dir, clock.now(), me, STALE_AFTER)?))
}

/// Renews the lock until `stop`, then releases it. Ends early, with an error, when the lock is lost.
pub(super) async fn keep(lock: InstanceLock, clock: Clock, stop: CancellationToken) -> anyhow::Result<()> {
    keep_every(RENEW_EVERY, lock, clock, stop).await
}

async fn keep_every(
    period: Duration,
    lock: InstanceLock,
    clock: Clock,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut held = lock;
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep(period) => {}
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
            Err(error) => tracing::warn!(%error, "could not renew the lock on the data directory; retrying"),
            Ok(()) => {}
        }
    }
    let now = clock.now();
    tokio::task::spawn_blocking(move || held.release(now)).await??;
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::{TimeDelta, Utc};

    use super::*;
    use crate::instance_lock::{Status, describe};

    fn a_clock() -> Clock {
        Clock::manual(chrono::DateTime::<Utc>::from_timestamp(1_800_000_000, 0).expect("a time"))
    }

    #[tokio::test]
    async fn the_holder_of_a_data_directory_gives_a_sign_of_life_every_thirty_seconds() {
        assert_eq!(RENEW_EVERY, Duration::from_secs(30));
        let (dir, clock, stop) =
            (tempfile::tempdir().expect("a directory"), a_clock(), CancellationToken::new());
        let me = Identity::of_this_process().expect("this process");
        let lock = InstanceLock::acquire(dir.path(), clock.now(), me, STALE_AFTER).expect("nobody else");
        let keeper = tokio::spawn(keep_every(Duration::from_millis(5), lock, clock.clone(), stop.clone()));
        let silence = || match describe(dir.path(), clock.now()).expect("a record") {
            Status::Held { seconds_since_sign_of_life, .. } => seconds_since_sign_of_life,
            other => panic!("{other}"),
        };
        for _ in 0..4 {
            clock.advance(TimeDelta::seconds(30));
            while silence() > 0 {
                assert!(!keeper.is_finished(), "nobody keeps it");
                tokio::task::yield_now().await;
            }
        }
        stop.cancel();
        keeper.await.expect("no panic").expect("still ours");
    }

    #[test]
    fn a_data_directory_is_taken_over_when_its_holder_was_silent_for_two_minutes() {
        let (dir, clock) = (tempfile::tempdir().expect("a directory"), a_clock());
        let settings =
            Settings { data_dir: dir.path().to_owned(), ..Settings::defaults().expect("no flags") };
        let other = Identity { pid: 1, process_start_time_unix: 0, hostname: "elsewhere".into() };
        let theirs = InstanceLock::acquire(dir.path(), clock.now(), other, STALE_AFTER).expect("nobody else");
        clock.advance(TimeDelta::seconds(119));
        let error = lock(&settings, &clock).expect_err("they may live");
        assert!(error.to_string().contains("elsewhere"), "{error}");
        clock.advance(TimeDelta::seconds(1));
        assert!(lock(&settings, &clock).expect("they are gone").is_some());
        drop(theirs);
    }
}
