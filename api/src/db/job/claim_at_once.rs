//! The claim of an ordinary job on PostgreSQL: everything it writes, in one statement.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{BootId, WorkerId};
use framefarm_shared::plan::Plan;
use framefarm_shared::queue::QueueType;
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::ClaimedSource;
use sqlx::FromRow;
use sqlx::types::Json;

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

/// For a worker that has no other business here (its process is known, no job's time has come, nobody with a better GPU
/// is free), so that nothing has to be asked before.
///
/// Rows are locked in the order of the longer way: queue, job, video, worker. Each lock is asked for only if those before
/// it were had, and what is written hangs on the last one: all of it or nothing. Afterwards nothing else can hold a row
/// back, since each one that is written was locked as it is now.
///
/// A job that brings more with it (a plan to go on with, a generation to replace) is left at the head of the queue.
pub const CLAIM_AT_ONCE: &str = concat!(
    job::claim::head!(
        concat!(
            " AND COALESCE(",
            job::claim_context::first_due!(),
            " > $2, true) AND EXISTS (SELECT 1 FROM worker w WHERE w.id = $1 AND w.boot_id = $11 \
             AND NOT ($10 AND EXISTS (SELECT 1 FROM worker g WHERE ",
            job::claim_context::is_better!("$4"),
            "))) FOR SHARE"
        ),
        " FOR UPDATE OF j SKIP LOCKED"
    ),
    ", chosen_video AS MATERIALIZED (SELECT v.id, v.source_name, v.source_size, v.source_sha256, g.plan \
     FROM next JOIN video v ON v.id = next.video_id \
     LEFT JOIN generation g ON g.video_id = next.video_id AND g.number = next.generation \
     WHERE v.deleted_at IS NULL AND (NOT $10 \
     OR (v.status = 'pending' AND next.fence = 0 AND next.retranscode IS NULL AND g.plan IS NULL)) \
     FOR NO KEY UPDATE OF v), \
     claimer AS MATERIALIZED (SELECT name FROM worker WHERE id = $1 AND status <> 'disabled' AND NOT draining \
     AND boot_id = $11 AND EXISTS (SELECT 1 FROM chosen_video) FOR NO KEY UPDATE), \
     granted AS (",
    job::claim::grant!(
        "(SELECT name FROM claimer)",
        "number = (SELECT number FROM next) AND status = 'pending' AND EXISTS (SELECT 1 FROM claimer)"
    ),
    "), moved AS (UPDATE video SET status = 'processing' \
     WHERE $10 AND id = (SELECT video_id FROM granted)), \
     held AS (UPDATE worker SET status = 'busy', current_job_id = (SELECT id FROM granted) \
     WHERE id = $1 AND EXISTS (SELECT 1 FROM granted)), \
     begun AS (INSERT INTO attempt (job_id, fence, number, worker_id, worker_name, started_at) \
     SELECT id, fence, attempt_number, $1, processed_by_worker_name, $2 FROM granted), \
     told AS (INSERT INTO event (at, kind, video_id, job_id, worker_id, actor, reason, data) \
     SELECT $2, $12, video_id, id, $1, 'worker:' || processed_by_worker_name, \
     'attempt ' || attempt_number || ' by ' || processed_by_worker_name, \
     jsonb_build_object('fence', fence, 'attempt', attempt_number, 'status', status) FROM granted) \
     SELECT granted.*, chosen_video.source_name AS video_name, chosen_video.source_size AS video_size, \
     chosen_video.source_sha256 AS video_sha256, chosen_video.plan AS video_plan FROM granted, chosen_video"
);

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
