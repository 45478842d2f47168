//! Table `worker`.

use chrono::{DateTime, Utc};
use framefarm_shared::gpu::Abilities;
use framefarm_shared::id::{BootId, JobId, WorkerId};
use framefarm_shared::state::WorkerStatus;
use framefarm_shared::wire::worker_api::WorkerType;
use serde_json::Value;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, Engine, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct WorkerRow {
    pub id: WorkerId,
    pub name: String,
    pub worker_type: WorkerType,
    pub status: WorkerStatus,
    pub draining: bool,
    pub boot_id: Option<BootId>,
    /// One of its GPUs is ready.
    pub has_gpu: bool,
    /// What its ready GPUs can do, as bits, and the frames a second of the fastest.
    pub gpu_abilities: i32,
    pub gpu_speed: f64,
    pub capabilities: Json<Value>,
    pub metadata: Json<Value>,
    pub current_job_id: Option<JobId>,
    pub registered_at: DateTime<Utc>,
    pub last_heartbeat: Option<DateTime<Utc>>,
}

/// What the GPUs of a worker that are ready can do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadyGpus {
    pub abilities: Abilities,
    /// Frames a second of the fastest.
    pub speed: f64,
}

impl ReadyGpus {
    pub fn any(self) -> bool {
        self.abilities != Abilities::default()
    }
}

pub struct NewWorker {
    pub id: WorkerId,
    pub name: String,
    pub worker_type: WorkerType,
    pub gpus: ReadyGpus,
    pub capabilities: Value,
    pub metadata: Value,
}

pub async fn insert(tx: &mut Tx, new: NewWorker, now: DateTime<Utc>) -> sqlx::Result<WorkerRow> {
    const SQL: &str = "INSERT INTO worker (id, name, worker_type, status, has_gpu, gpu_abilities, gpu_speed, \
         capabilities, metadata, registered_at, last_heartbeat) \
         VALUES ($1, $2, $3, 'active', $4, $5, $6, $7, $8, $9, $9) RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(new.id)
        .bind(new.name)
        .bind(new.worker_type)
        .bind(new.gpus.any())
        .bind(new.gpus.abilities.bits())
        .bind(new.gpus.speed)
        .bind(Json(new.capabilities))
        .bind(Json(new.metadata))
        .bind(now)
        .fetch_one(conn)
        .await)
}

pub async fn get(db: &Db, id: WorkerId) -> sqlx::Result<Option<WorkerRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM worker WHERE id = $1").bind(id).fetch_optional(pool).await)
}

pub async fn get_in(tx: &mut Tx, id: WorkerId) -> sqlx::Result<Option<WorkerRow>> {
    sql!(tx, |conn| sqlx::query_as("SELECT * FROM worker WHERE id = $1").bind(id).fetch_optional(conn).await)
}

pub async fn all(db: &Db) -> sqlx::Result<Vec<WorkerRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM worker ORDER BY name, id").fetch_all(pool).await)
}

/// What a heartbeat brings.
pub struct Beat<'a> {
    pub worker: WorkerId,
    pub boot_id: BootId,
    pub now: DateTime<Utc>,
    pub capabilities: Option<&'a Value>,
    pub gpus: Option<ReadyGpus>,
    pub metadata: Option<&'a Value>,
}

/// Records a heartbeat. Busy or idle follows from the claims, not from what the worker believes.
pub async fn beat_unless_disabled(tx: &mut Tx, beat: &Beat<'_>) -> sqlx::Result<Option<WorkerRow>> {
    const SQL: &str = "UPDATE worker SET last_heartbeat = $2, boot_id = $3, \
         capabilities = COALESCE($4, capabilities), has_gpu = COALESCE($5, has_gpu), \
         metadata = COALESCE($6, metadata), gpu_abilities = COALESCE($7, gpu_abilities), \
         gpu_speed = COALESCE($8, gpu_speed), \
         current_job_id = (SELECT id FROM job WHERE worker_id = $1 AND status = 'running' \
             ORDER BY claimed_at DESC LIMIT 1), \
         status = CASE WHEN EXISTS (SELECT 1 FROM job WHERE worker_id = $1 AND status = 'running') \
             THEN 'busy' ELSE 'idle' END \
         WHERE id = $1 AND status <> 'disabled' RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(beat.worker)
        .bind(beat.now)
        .bind(beat.boot_id)
        .bind(beat.capabilities.map(Json))
        .bind(beat.gpus.map(ReadyGpus::any))
        .bind(beat.metadata.map(Json))
        .bind(beat.gpus.map(|gpus| gpus.abilities.bits()))
        .bind(beat.gpus.map(|gpus| gpus.speed))
        .fetch_optional(conn)
        .await)
}

/// A claim makes its worker busy.
pub async fn hold(tx: &mut Tx, id: WorkerId, job: JobId, boot_id: BootId) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE worker SET status = 'busy', current_job_id = $2, boot_id = $3 \
         WHERE id = $1 AND status <> 'disabled'";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(job)
        .bind(boot_id)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Until the end of the transaction nobody else says what the worker does. What is asked next sees what others, who held
/// it before, have committed; a statement that had to wait itself would not.
pub async fn lock(tx: &mut Tx, id: WorkerId) -> sqlx::Result<()> {
    // SQLite has one writer at a time anyway.
    if let Engine::Postgres(conn) = tx.engine() {
        const SQL: &str = "SELECT 1 FROM worker WHERE id = $1 FOR NO KEY UPDATE";
        sqlx::query(SQL).bind(id).execute(conn).await?;
    }
    Ok(())
}

/// After a job left: busy with another one, or idle. Offline and disabled workers stay so.
pub async fn settle(tx: &mut Tx, id: WorkerId) -> sqlx::Result<()> {
    const SQL: &str = include_str!("job/free_worker.sql");
    sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(drop))
}

/// Workers that were silent since `since`; one that never beat is judged by its registration.
pub async fn silent_since(db: &Db, since: DateTime<Utc>) -> sqlx::Result<Vec<WorkerRow>> {
    const SQL: &str = "SELECT * FROM worker WHERE status NOT IN ('offline', 'disabled') \
         AND COALESCE(last_heartbeat, registered_at) < $1 ORDER BY id LIMIT 500";
    sql!(db, |pool| sqlx::query_as(SQL).bind(since).fetch_all(pool).await)
}

/// Marks one worker offline unless a heartbeat came in between.
pub async fn offline_if_silent(tx: &mut Tx, id: WorkerId, since: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE worker SET status = 'offline', current_job_id = NULL \
         WHERE id = $1 AND status NOT IN ('offline', 'disabled') AND COALESCE(last_heartbeat, registered_at) < $2";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(since)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// A worker that said so is offline at once.
pub async fn offline_unless_disabled(tx: &mut Tx, id: WorkerId) -> sqlx::Result<Option<WorkerRow>> {
    const SQL: &str = "UPDATE worker SET status = 'offline', current_job_id = NULL \
         WHERE id = $1 AND status NOT IN ('offline', 'disabled') RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).fetch_optional(conn).await)
}

pub async fn disable(tx: &mut Tx, id: WorkerId) -> sqlx::Result<bool> {
    const SQL: &str =
        "UPDATE worker SET status = 'disabled', current_job_id = NULL WHERE id = $1 AND status <> 'disabled'";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn enable_if_disabled(tx: &mut Tx, id: WorkerId) -> sqlx::Result<bool> {
    const SQL: &str =
        "UPDATE worker SET status = 'active', draining = $2 WHERE id = $1 AND status = 'disabled'";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(false)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn set_draining(tx: &mut Tx, id: WorkerId, draining: bool) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE worker SET draining = $2 WHERE id = $1";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(id)
        .bind(draining)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn delete(tx: &mut Tx, id: WorkerId) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM worker WHERE id = $1";
    let done = sql!(tx, |conn| sqlx::query(SQL).bind(id).execute(conn).await.map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// After an outage: workers that were alive before it are not blamed for the silence.
pub async fn forgive_silence(
    tx: &mut Tx,
    alive_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> sqlx::Result<u64> {
    const SQL: &str = "UPDATE worker SET last_heartbeat = $2 \
         WHERE status NOT IN ('offline', 'disabled') AND last_heartbeat >= $1 AND last_heartbeat < $2";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(alive_since)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))
}

pub async fn count_draining(db: &Db) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT count(*) FROM worker WHERE draining";
    sql!(db, |pool| sqlx::query_scalar(SQL).fetch_one(pool).await)
}

pub async fn count_by_status(db: &Db) -> sqlx::Result<Vec<(WorkerStatus, i64)>> {
    const SQL: &str = "SELECT status, count(*) FROM worker GROUP BY status";
    sql!(db, |pool| sqlx::query_as(SQL).fetch_all(pool).await)
}
