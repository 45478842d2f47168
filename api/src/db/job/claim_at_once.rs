//! The claim of an ordinary job on PostgreSQL: everything it writes, in one statement.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{BootId, WorkerId};
use framefarm_shared::plan::Plan;
use framefarm_shared::queue::QueueType;
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::ClaimedSource;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use crate::db::job::JobRow;
use crate::db::job::claim::Deferral;
use crate::db::{Engine, Tx, job};

/// A job, and what its worker has to know of its video.
#[derive(Clone, Debug, FromRow)]
pub struct Grant {
    #[sqlx(flatten)]
    pub job: JobRow,
    video_name: String,
    video_size: i64,
    video_sha256: String,
    video_plan: Option<Json<Plan>>,
}

impl Grant {
    pub fn into_parts(self) -> (JobRow, ClaimedSource, Option<Plan>) {
        let source =
            ClaimedSource { name: self.video_name, size: self.video_size, sha256: self.video_sha256 };
        (self.job, source, self.video_plan.map(|plan| plan.0))
    }
}

pub const CLAIM_AT_ONCE: &str = include_str!("claim_at_once.sql");

/// Who claims, and until when.
#[derive(Clone, Copy, Debug)]
pub struct Asker {
    pub worker: WorkerId,
    pub boot_id: BootId,
    pub now: DateTime<Utc>,
    pub expires: DateTime<Utc>,
    /// A worker with a GPU that was not heard of since is not waited for.
    pub gpu_heard_since: DateTime<Utc>,
}

/// `None` says nothing about the queue: the longer way finds out.
pub async fn claim(tx: &mut Tx, by: Asker, kind: QueueType) -> sqlx::Result<Option<Grant>> {
    let Engine::Postgres(conn) = tx.engine() else { return Ok(None) };
    let everything = Deferral::from(by.now);
    let has_counted = false;
    let grant: Option<Grant> = sqlx::query_as(CLAIM_AT_ONCE)
        .bind(by.worker)
        .bind(by.now)
        .bind(by.expires)
        .bind(by.gpu_heard_since)
        .bind(kind)
        .bind(everything.claimable_by)
        .bind(has_counted)
        .bind(everything.unknown_needs)
        .bind(everything.abilities)
        .bind(kind.makes_generation())
        .bind(by.boot_id)
        .bind(EventKind::JobClaimed)
        .fetch_optional(conn)
        .await?;
    tx.has_events |= grant.is_some();
    job::claim::noted(tx, grant.as_ref().map(|grant| &grant.job), Some(by.now));
    Ok(grant)
}
