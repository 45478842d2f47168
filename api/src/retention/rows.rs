//! Rows that leave the database when their time is over. Short transactions one after the other, so that claims get in
//! between.

use chrono::Duration;
use framefarm_shared::state::JobStatus;

use super::gc::{Swept, Walk, days_ago};
use crate::app::App;
use crate::db::job::retention::{Due, count_due, delete_due};
use crate::db::sources::Whose;
use crate::db::{
    Tx, alert_deliveries as sent, collections, credentials, events as table, intakes as brought,
    invitations as invited,
};
use crate::error::Result;

const BATCH: i64 = 500;

/// By the rule of their collection, or the farm's.
pub(super) async fn completed_jobs(app: &App, walk: Walk) -> Result<Swept> {
    let mut swept = Swept::default();
    let farm = (Whose::Others, app.settings.completed_retention_days);
    let mut rules = vec![farm];
    for collection in collections::all(&app.db).await? {
        let days = collection.completed_retention_days.and_then(|days| u32::try_from(days).ok());
        rules.extend(days.map(|days| (Whose::Collection(collection.id), days)));
    }
    for (whose, days) in rules {
        let statuses = &[JobStatus::Completed];
        let due = Due { statuses, whose: Some(whose), finished_by: days_ago(app, days) };
        swept.add(jobs(app, walk, due).await?, 0);
    }
    Ok(swept)
}

pub(super) async fn failed_jobs(app: &App, walk: Walk) -> Result<Swept> {
    let finished_by = days_ago(app, app.settings.retention.failed_retention_days);
    let statuses = &[JobStatus::Failed, JobStatus::Cancelled];
    Ok(Swept::rows(jobs(app, walk, Due { statuses, whose: None, finished_by }).await?))
}

/// Removes until a batch is empty, in a transaction for each. Returns how many.
macro_rules! in_batches {
    ($app:expr, |$tx:ident| $delete:expr) => {{
        let mut gone = 0;
        loop {
            let mut transaction = $app.db.begin().await?;
            let batch = {
                let $tx = &mut transaction;
                $delete.await?
            };
            transaction.commit().await?;
            gone += batch;
            if batch == 0 {
                break gone;
            }
        }
    }};
}

async fn jobs(app: &App, walk: Walk, due: Due<'_>) -> Result<u64> {
    if walk.dry_run {
        return Ok(count_due(&app.db, due).await?.unsigned_abs());
    }
    Ok(in_batches!(app, |tx| delete_due(tx, due, BATCH)))
}

pub(super) async fn events(app: &App, walk: Walk) -> Result<Swept> {
    let instant = days_ago(app, app.settings.event_retention_days);
    if walk.dry_run {
        return Ok(Swept::rows(table::count_before(&app.db, instant).await?.unsigned_abs()));
    }
    Ok(Swept::rows(in_batches!(app, |tx| table::delete_before(tx, instant, BATCH))))
}

/// What was brought in, or was not, is history like that of jobs.
pub(super) async fn intakes(app: &App, walk: Walk) -> Result<Swept> {
    let instant = days_ago(app, app.settings.completed_retention_days);
    if walk.dry_run {
        return Ok(Swept::rows(brought::count_ended_by(&app.db, instant).await?.unsigned_abs()));
    }
    Ok(Swept::rows(in_batches!(app, |tx| brought::delete_ended_by(tx, instant, BATCH))))
}

pub(super) async fn alert_deliveries(app: &App, walk: Walk) -> Result<Swept> {
    let instant = days_ago(app, app.settings.alerts.alert_retention_days);
    if walk.dry_run {
        return Ok(Swept::rows(sent::count_finished_before(&app.db, instant).await?.unsigned_abs()));
    }
    Ok(Swept::rows(in_batches!(app, |tx| sent::delete_finished_before(tx, instant, BATCH))))
}

pub(super) async fn sessions(app: &App, walk: Walk) -> Result<Swept> {
    let mut tx = app.db.begin().await?;
    let ended = credentials::delete_expired_sessions(&mut tx, app.clock.now()).await?;
    end(tx, walk).await?;
    Ok(Swept::rows(ended))
}

/// A day longer than they are good for: who comes late is told that it expired.
pub(super) async fn invitations(app: &App, walk: Walk) -> Result<Swept> {
    let mut tx = app.db.begin().await?;
    let forgotten = invited::delete_expired(&mut tx, app.clock.now() - Duration::days(1)).await?;
    end(tx, walk).await?;
    Ok(Swept::rows(forgotten))
}

/// Of few rows: they are removed in a look as well, and come back with its end.
async fn end(tx: Tx, walk: Walk) -> Result<()> {
    Ok(if walk.dry_run { tx.rollback().await } else { tx.commit().await }?)
}
