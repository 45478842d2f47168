//! What decides whether a worker may take a job, in one question.

use chrono::{DateTime, Utc};
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::QueueType;
use sqlx_macros::FromRow;

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

pub const CLAIM_CONTEXT: &str = include_str!("claim_context.sql");

/// `None` if there is no such worker.
pub async fn look(
    tx: &mut Tx,
    worker: WorkerId,
    kind: QueueType,
    now: DateTime<Utc>,
    gpu_heard_since: DateTime<Utc>,
) -> sqlx::Result<Option<ClaimContext>> {
    sql!(tx, |conn| sqlx::query_as(CLAIM_CONTEXT)
        .bind(worker)
        .bind(kind)
        .bind(now)
        .bind(gpu_heard_since)
        .fetch_optional(conn)
        .await)
}
