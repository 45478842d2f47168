//! What decides whether a worker may take a job, in one question.

use chrono::{DateTime, Utc};
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::QueueType;
use sqlx::FromRow;

use super::workers::WorkerRow;
use super::{Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct Scene {
    #[sqlx(flatten)]
    pub worker: WorkerRow,
    pub paused: bool,
    pub max_running: Option<i32>,
    /// Jobs wait whose time has come.
    pub any_due: bool,
    /// A GPU worker that could take a job right now.
    pub idle_gpu: Option<String>,
}

/// `None` if there is no such worker.
pub async fn look(
    tx: &mut Tx,
    worker: WorkerId,
    kind: QueueType,
    now: DateTime<Utc>,
    gpu_heard_since: DateTime<Utc>,
) -> sqlx::Result<Option<Scene>> {
    const SQL: &str = "SELECT w.*, q.paused, q.max_running, \
         EXISTS (SELECT 1 FROM job WHERE status = 'pending' AND retry_after <= $3) AS any_due, \
         (SELECT g.name FROM worker g WHERE g.has_gpu AND g.status = 'idle' AND NOT g.draining \
         AND g.last_heartbeat >= $4 ORDER BY g.name LIMIT 1) AS idle_gpu \
         FROM worker w CROSS JOIN queue q WHERE w.id = $1 AND q.queue_type = $2";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(worker)
        .bind(kind)
        .bind(now)
        .bind(gpu_heard_since)
        .fetch_optional(conn)
        .await)
}
