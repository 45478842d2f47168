//! Conditions: what is wrong now and what is normal again. Between the two thresholds a condition stays as it was.

use chrono::Duration;
use framefarm_shared::alert::AlertType;
use framefarm_shared::state::JobStatus;

use crate::app::App;
use crate::broker::BrokerStatus;
use crate::db::alert_conditions;
use crate::error::Result;
use crate::lifecycle::startup;

/// Beyond, the exact number says nothing new and takes long to count.
pub(crate) const COUNTED: i64 = 100_000;
/// Of the last so many jobs, once there are some.
const LAST_FINISHED: i64 = 100;
const ENOUGH_FINISHED: usize = 20;

/// `Unchanged` is neither wrong nor well: an open incident stays open, and none begins.
pub(super) enum Finding {
    Wrong { title: &'static str, text: String },
    Unchanged,
    Well { text: String },
}

use Finding::{Unchanged, Well, Wrong};

pub(super) async fn look(app: &App, kind: AlertType) -> Result<Finding> {
    let settings = &app.settings.alerts;
    match kind {
        AlertType::QueueDepthHigh => {
            Ok(depth(alert_conditions::waiting(&app.db, COUNTED).await?, settings.alert_queue_depth.into()))
        }
        AlertType::ErrorRateHigh => {
            let last = alert_conditions::last_finished(&app.db, LAST_FINISHED).await?;
            Ok(error_rate(&last, settings.alert_error_rate))
        }
        AlertType::NoDequeue => no_dequeue(app).await,
        AlertType::DiskLow => Ok(disk(app.storage.space()?, app.settings.disk_reserve_bytes)),
        AlertType::RedisDown => Ok(redis(app)),
        _ => Ok(Unchanged),
    }
}

/// A type that is found by looking.
pub(super) struct Condition {
    pub(super) kind: AlertType,
    /// The title of the message that it is over.
    pub(super) resolved: &'static str,
    /// Its path on the web page.
    pub(super) page: Option<&'static str>,
}

pub(super) const ALL: [Condition; 5] = [
    Condition {
        kind: AlertType::QueueDepthHigh,
        resolved: "Queue depth is back to normal",
        page: Some("/queue"),
    },
    Condition {
        kind: AlertType::ErrorRateHigh,
        resolved: "Failure rate is back to normal",
        page: Some("/queue"),
    },
    Condition {
        kind: AlertType::NoDequeue,
        resolved: "Workers are claiming jobs again",
        page: Some("/queue"),
    },
    Condition { kind: AlertType::DiskLow, resolved: "Disk has enough free space again", page: None },
    Condition { kind: AlertType::RedisDown, resolved: "Redis is up again", page: None },
];

fn depth(waiting: i64, most: i64) -> Finding {
    let text = format!("Jobs waiting: {waiting}{}.", if waiting == COUNTED { " or more" } else { "" });
    match waiting {
        _ if waiting > most => Wrong { title: "Queue depth is high", text },
        _ if waiting * 10 <= most * 9 => Well { text },
        _ => Unchanged,
    }
}

fn error_rate(last: &[JobStatus], percent: u32) -> Finding {
    let (all, failed) = (last.len(), last.iter().filter(|status| **status == JobStatus::Failed).count());
    let text = format!("{failed} of the last {all} finished jobs failed.");
    match all {
        ..ENOUGH_FINISHED => Well { text },
        _ if failed * 100 > all * percent as usize => Wrong { title: "Failure rate is high", text },
        _ if failed * 200 <= all * percent as usize => Well { text },
        _ => Unchanged,
    }
}

/// A job was claimable for a while and no worker claimed one. While all workers are busy, waiting is normal.
async fn no_dequeue(app: &App) -> Result<Finding> {
    let seconds = app.settings.alerts.alert_no_claim_seconds;
    let since = app.clock.now() - Duration::seconds(seconds.into());
    let Some(queue) = alert_conditions::passed_over_since(&app.db, since).await? else {
        return Ok(Well { text: "No due job is waiting for a worker.".to_owned() });
    };
    if alert_conditions::any_claim_since(&app.db, since).await? {
        return Ok(Well { text: "Workers are claiming jobs again.".to_owned() });
    }
    let (free, busy) = alert_conditions::free_and_busy_workers(&app.db).await?;
    if free == 0 && busy > 0 {
        return Ok(Well { text: "All workers are busy.".to_owned() });
    }
    // Workers need time to reconnect first.
    if startup::in_grace(app).await? {
        return Ok(Unchanged);
    }
    let who = match free {
        0 => "no worker is online".to_owned(),
        1 => "1 worker is idle".to_owned(),
        count => format!("{count} workers are idle"),
    };
    let text =
        format!("Jobs are due in the “{queue}” queue, but none has been claimed for {seconds} s; {who}.");
    Ok(Wrong { title: "No worker is claiming jobs", text })
}

fn disk(space: Option<crate::storage::Space>, reserve: u64) -> Finding {
    let Some(space) = space else {
        return Well { text: "The store reports no capacity limit.".to_owned() };
    };
    let gigabytes = |bytes: u64| format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10);
    let free = gigabytes(space.free);
    let text = format!("{free} free; uploads are rejected below {}.", gigabytes(reserve));
    if space.free < reserve.saturating_mul(2) {
        return Wrong { title: "Disk is nearly full", text };
    }
    if space.free >= reserve.saturating_mul(5) / 2 { Well { text } } else { Unchanged }
}

fn redis(app: &App) -> Finding {
    match app.broker.as_ref().map(crate::broker::Broker::status) {
        Some(BrokerStatus::Down) => {
            let text = "Redis is not responding; the farm is using the database instead, which is slower."
                .to_owned();
            Wrong { title: "Redis is down", text }
        }
        _ => Well { text: "Redis is responding.".to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Space;

    fn verdict(finding: &Finding) -> i32 {
        match finding {
            Wrong { .. } => 1,
            Unchanged => 0,
            Well { .. } => -1,
        }
    }

    #[test]
    fn the_queue_is_long_from_10_001_on_and_well_again_at_9_000() {
        let found: Vec<i32> =
            [10_001, 10_000, 9_001, 9_000, 0].map(|count| verdict(&depth(count, 10_000))).into();
        assert_eq!(found, [1, 0, 0, -1, -1]);
    }

    #[test]
    fn more_than_a_tenth_failing_is_too_much_and_a_twentieth_is_not() {
        let of = |all: usize, failed: usize| {
            let last: Vec<JobStatus> =
                (0..all).map(|i| if i < failed { JobStatus::Failed } else { JobStatus::Completed }).collect();
            verdict(&error_rate(&last, 10))
        };
        assert_eq!([of(100, 11), of(100, 10), of(100, 6), of(100, 5), of(100, 0)], [1, 0, 0, -1, -1]);
        assert_eq!([of(19, 19), of(20, 3), of(20, 2), of(20, 1)], [-1, 1, 0, -1], "few say little");
    }

    #[test]
    fn a_disk_is_low_below_twice_the_reserve_and_well_at_two_and_a_half_times() {
        let of = |free: u64, reserve: u64| verdict(&disk(Some(Space { free, total: 1_000 }), reserve));
        assert_eq!([of(199, 100), of(200, 100), of(249, 100), of(250, 100), of(0, 0)], [1, 0, 0, -1, -1]);
        assert_eq!(verdict(&disk(None, 100)), -1);
    }
}
