//! What a granted claim writes beside its job: the worker is busy, an attempt begins, the timeline tells.

use chrono::{DateTime, Utc};
use framefarm_shared::id::BootId;
use sqlx::types::Json;

use crate::db::events::{self, Event};
use crate::db::job::JobRow;
use crate::db::workers::WorkerRow;
use crate::db::{Engine, Tx, job, workers};

/// `false`, and nothing is written, if the worker was disabled meanwhile.
pub async fn record_unless_disabled(
    tx: &mut Tx,
    job: &JobRow,
    worker: &WorkerRow,
    boot_id: BootId,
    event: Event,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    // One way to the server and back instead of three, on the busiest road of all.
    const POSTGRES: &str = "WITH held AS (UPDATE worker SET status = 'busy', current_job_id = $2, boot_id = $3 \
         WHERE id = $1 AND status <> 'disabled' RETURNING id), \
         begun AS (INSERT INTO attempt (job_id, fence, number, worker_id, worker_name, started_at) \
         SELECT $2, $4, $5, id, $6, $7 FROM held), \
         told AS (INSERT INTO event (at, kind, video_id, job_id, worker_id, actor, reason, data) \
         SELECT $7, $8, $9, $2, $1, $10, $11, $12 FROM held) SELECT count(*) FROM held";
    if let Engine::Postgres(conn) = tx.engine() {
        let held: i64 = sqlx::query_scalar(POSTGRES)
            .bind(worker.id)
            .bind(job.id)
            .bind(boot_id)
            .bind(job.fence)
            .bind(job.attempt_number)
            .bind(&worker.name)
            .bind(now)
            .bind(event.kind)
            .bind(event.video_id)
            .bind(event.actor)
            .bind(event.reason)
            .bind(event.data.map(Json))
            .fetch_one(conn)
            .await?;
        tx.has_events |= held == 1;
        return Ok(held == 1);
    }
    if !workers::hold(tx, worker.id, job.id, boot_id).await? {
        return Ok(false);
    }
    job::attempts::begin(tx, job, worker.id, &worker.name, now).await?;
    events::append(tx, event, now).await?;
    Ok(true)
}
