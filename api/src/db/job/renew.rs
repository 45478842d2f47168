//! What the holder of a job may do to it while it runs. Every statement carries the fence.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::state::{JobStatus, Step};
use framefarm_shared::wire::worker_api::HeldJob;
use sqlx::QueryBuilder;
use sqlx_macros::FromRow;

use crate::db::effects::{JobChange, Renewal};
use crate::db::job::JobRow;
use crate::db::{Engine, Tx, sql};

/// Who says to hold a job, under which fence, at what time.
#[derive(Clone, Copy, Debug)]
pub struct Holder {
    pub worker: WorkerId,
    pub job: JobId,
    pub fence: i64,
    pub now: DateTime<Utc>,
}

impl Holder {
    /// What the guard of every statement asks, of a row that was read already.
    pub fn holds(&self, job: &JobRow) -> bool {
        job.id == self.job
            && job.status == JobStatus::Running
            && job.fence == self.fence
            && job.worker_id == Some(self.worker)
            && job.claim_expires_at.is_some_and(|expires| expires > self.now)
    }
}

/// A running job of a worker, as far as its heartbeats matter.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct Claim {
    pub id: JobId,
    pub fence: i64,
    pub claimed_at: Option<DateTime<Utc>>,
    pub absent_since: Option<DateTime<Utc>>,
}

/// What a worker holds, locked to the end of the transaction in a fixed order. Few columns: every heartbeat asks.
pub async fn claims_of(tx: &mut Tx, worker: WorkerId) -> sqlx::Result<Vec<Claim>> {
    const SQLITE: &str = "SELECT id, fence, claimed_at, absent_since FROM job \
         WHERE worker_id = $1 AND status = 'running' ORDER BY number";
    const POSTGRES: &str = "SELECT id, fence, claimed_at, absent_since FROM job \
         WHERE worker_id = $1 AND status = 'running' ORDER BY number FOR UPDATE";
    match tx.engine() {
        Engine::Postgres(conn) => sqlx::query_as(POSTGRES).bind(worker).fetch_all(conn).await,
        Engine::Sqlite(conn) => sqlx::query_as(SQLITE).bind(worker).fetch_all(conn).await,
    }
}

/// Renews every live claim among `held`; an expired one stays expired. Returns what was renewed. To be called once what
/// the worker holds is locked, by [`claims_of`].
pub async fn renew_if_held(
    tx: &mut Tx,
    worker: WorkerId,
    held: &[HeldJob],
    now: DateTime<Utc>,
    expires: DateTime<Utc>,
) -> sqlx::Result<Vec<HeldJob>> {
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let renewed: Vec<HeldJob> = sql!(tx, |conn| {
        let mut query = QueryBuilder::new("UPDATE job SET absent_since = NULL, claim_expires_at = ");
        query.push_bind(expires).push(" WHERE status = 'running' AND worker_id = ").push_bind(worker);
        query.push(" AND claim_expires_at > ").push_bind(now).push(" AND (id, fence) IN (");
        query.push_values(held, |mut row, job| {
            row.push_bind(job.job_id).push_bind(job.fence);
        });
        query.push(") RETURNING id, fence");
        let rows: Vec<(JobId, i64)> = query.build_query_as().fetch_all(conn).await?;
        rows.into_iter().map(|(job_id, fence)| HeldJob { job_id, fence }).collect()
    });
    tx.note(JobChange::Renewed { by: Renewal::Heartbeat, count: renewed.len() as u64 });
    Ok(renewed)
}

/// Its worker's heartbeat does not name this claim.
pub async fn note_absent(tx: &mut Tx, id: JobId, fence: i64, now: DateTime<Utc>) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE job SET absent_since = $3 \
         WHERE id = $1 AND fence = $2 AND status = 'running' AND absent_since IS NULL";
    sql!(tx, |conn| sqlx::query(SQL).bind(id).bind(fence).bind(now).execute(conn).await.map(drop))
}

/// How far a job is, as its holder tells.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub step: Step,
    pub percent: f64,
    pub eta_seconds: Option<f64>,
}

/// Takes note of progress and renews. The watermark moves only when something really moved.
pub async fn progress_if_held(
    tx: &mut Tx,
    by: Holder,
    expires: DateTime<Utc>,
    reached: Reached,
) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = "UPDATE job SET claim_expires_at = $5, last_checkpoint = $4, current_step = $6, eta_seconds = $8, \
         absent_since = NULL, \
         progressed_at = CASE WHEN $7 > progress_percent OR current_step IS NULL OR current_step <> $6 \
         THEN $4 ELSE progressed_at END, \
         progress_percent = CASE WHEN $7 > progress_percent THEN $7 ELSE progress_percent END \
         WHERE id = $1 AND fence = $2 AND worker_id = $3 AND status = 'running' AND claim_expires_at > $4 \
         RETURNING *";
    let job: Option<JobRow> = sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(by.job)
        .bind(by.fence)
        .bind(by.worker)
        .bind(by.now)
        .bind(expires)
        .bind(reached.step)
        .bind(reached.percent)
        .bind(reached.eta_seconds)
        .fetch_optional(conn)
        .await)?;
    tx.note(JobChange::Renewed { by: Renewal::Progress, count: job.is_some().into() });
    Ok(job)
}

/// Locks the job for a change by its holder (plan, delivery) and renews it; new output is progress.
pub async fn touch_if_held(tx: &mut Tx, by: Holder, expires: DateTime<Utc>) -> sqlx::Result<Option<JobRow>> {
    const SQL: &str = "UPDATE job SET claim_expires_at = $5, last_checkpoint = $4, progressed_at = $4, \
         absent_since = NULL \
         WHERE id = $1 AND fence = $2 AND worker_id = $3 AND status = 'running' AND claim_expires_at > $4 \
         RETURNING *";
    let job: Option<JobRow> = sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(by.job)
        .bind(by.fence)
        .bind(by.worker)
        .bind(by.now)
        .bind(expires)
        .fetch_optional(conn)
        .await)?;
    tx.note(JobChange::Renewed { by: Renewal::Delivery, count: job.is_some().into() });
    Ok(job)
}

/// Whether the caller holds the job now; for reads such as fetching the source.
pub async fn is_held(db: &crate::db::Db, by: Holder) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM job WHERE id = $1 AND fence = $2 AND worker_id = $3 \
         AND status = 'running' AND claim_expires_at > $4";
    let count: i64 = sql!(db, |pool| sqlx::query_scalar(SQL)
        .bind(by.job)
        .bind(by.fence)
        .bind(by.worker)
        .bind(by.now)
        .fetch_one(pool)
        .await)?;
    Ok(count == 1)
}

/// A live claim as the start-up sees it.
#[derive(Clone, Debug, FromRow)]
pub struct LiveClaim {
    pub id: JobId,
    pub fence: i64,
    pub claim_expires_at: DateTime<Utc>,
    pub progressed_at: Option<DateTime<Utc>>,
}

/// Claims that were alive at `instant`.
pub async fn alive_at(tx: &mut Tx, instant: DateTime<Utc>) -> sqlx::Result<Vec<LiveClaim>> {
    const SQL: &str = "SELECT id, fence, claim_expires_at, progressed_at FROM job \
         WHERE status = 'running' AND claim_expires_at > $1 ORDER BY number";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(instant).fetch_all(conn).await)
}

/// Moves the ends of one claim's clocks, unless it changed meanwhile.
pub async fn extend_unless_changed(
    tx: &mut Tx,
    claim: &LiveClaim,
    by: chrono::Duration,
) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE job SET claim_expires_at = $4, progressed_at = $5 \
         WHERE id = $1 AND fence = $2 AND status = 'running' AND claim_expires_at = $3";
    let changed = sql!(tx, |conn| sqlx::query(SQL)
        .bind(claim.id)
        .bind(claim.fence)
        .bind(claim.claim_expires_at)
        .bind(claim.claim_expires_at + by)
        .bind(claim.progressed_at.map(|at| at + by))
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}
