//! What the end of a claim writes beside its job: the attempt is over, the worker is free, the timeline tells.

use chrono::{DateTime, Utc};
use framefarm_shared::state::AttemptOutcome;
use sqlx::types::Json;

use crate::db::events::{self, Event};
use crate::db::{Engine, Tx, job, workers};

/// How an attempt ended.
pub struct AttemptEnd<'a> {
    pub fence: i64,
    pub outcome: AttemptOutcome,
    /// Its class and its text.
    pub error: Option<(&'a str, &'a str)>,
    /// Tells it, of which job, and whose claim it was: that worker is set free.
    pub event: Event,
    pub now: DateTime<Utc>,
}

/// The job has left by now: its worker is counted free of it.
pub async fn record(tx: &mut Tx, end: AttemptEnd<'_>) -> sqlx::Result<()> {
    let AttemptEnd { fence, outcome, error, event, now } = end;
    let Some(job) = event.job_id else { return events::append(tx, event, now).await };
    if let Some(worker) = event.worker_id {
        workers::lock(tx, worker).await?;
    }
    // One way to the server and back instead of three, as with a grant.
    if let Engine::Postgres(conn) = tx.engine() {
        const POSTGRES: &str = include_str!("end_effects.sql");
        sqlx::query(POSTGRES)
            .bind(job)
            .bind(fence)
            .bind(now)
            .bind(outcome)
            .bind(error.map(|(class, _)| class))
            .bind(error.map(|(_, text)| text))
            .bind(event.worker_id)
            .bind(event.kind)
            .bind(event.video_id)
            .bind(event.actor)
            .bind(event.reason)
            .bind(event.data.map(Json))
            .execute(conn)
            .await?;
        tx.has_events = true;
        return Ok(());
    }
    job::attempts::end(tx, job, fence, outcome, error, now).await?;
    if let Some(worker) = event.worker_id {
        workers::settle(tx, worker).await?;
    }
    events::append(tx, event, now).await
}
