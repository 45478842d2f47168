//! What decides whether a worker may take a job, in one question.

use chrono::{DateTime, Utc};
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::QueueType;
use sqlx::FromRow;

use crate::db::workers::WorkerRow;
use crate::db::{Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct ClaimContext {
    #[sqlx(flatten)]
    pub worker: WorkerRow,
    pub paused: bool,
    pub max_running: Option<i32>,
    /// Jobs wait whose time has come.
    pub any_due: bool,
    /// The fastest worker with a GPU, by far faster than this one, that could take a job right now.
    pub better: Option<String>,
    /// What its GPUs can do, as bits.
    pub better_abilities: Option<i32>,
}

/// When the first of those jobs may be claimed that wait for a time. The first of an index, for the reason in
/// `anything_due`.
macro_rules! first_due {
    () => {
        "(SELECT retry_after FROM job WHERE status = 'pending' AND retry_after IS NOT NULL \
         ORDER BY retry_after LIMIT 1)"
    };
}
pub(in crate::db) use first_due;

/// `g` has a GPU, could take a job right now, and is faster than `w`: by a quarter at least, since two measurements of
/// one kind of GPU differ by less.
macro_rules! is_better {
    ($heard_since:literal) => {
        concat!(
            "g.gpu_abilities <> 0 AND g.status = 'idle' AND NOT g.draining AND g.last_heartbeat >= ",
            $heard_since,
            " AND (w.gpu_abilities = 0 OR g.gpu_speed > w.gpu_speed * 1.25) AND g.id <> w.id"
        )
    };
}
pub(in crate::db) use is_better;

/// `None` if there is no such worker.
pub async fn look(
    tx: &mut Tx,
    worker: WorkerId,
    kind: QueueType,
    now: DateTime<Utc>,
    gpu_heard_since: DateTime<Utc>,
) -> sqlx::Result<Option<ClaimContext>> {
    const SQL: &str = concat!(
        "SELECT w.*, q.paused, q.max_running, COALESCE(",
        first_due!(),
        " <= $3, false) AS any_due, b.name AS better, b.gpu_abilities AS better_abilities \
         FROM worker w CROSS JOIN queue q LEFT JOIN worker b ON b.id = (SELECT g.id FROM worker g WHERE ",
        is_better!("$4"),
        " ORDER BY g.gpu_speed DESC, g.name LIMIT 1) WHERE w.id = $1 AND q.queue_type = $2"
    );
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(worker)
        .bind(kind)
        .bind(now)
        .bind(gpu_heard_since)
        .fetch_optional(conn)
        .await)
}
