//! Table `intake`: files that the farm brings in by itself.
//!
//! Whoever fetches a file has taken a turn, and until `due_at` nobody else takes it. Every statement of a holder compares
//! the turn, so that one who was overtaken changes nothing more.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{IntakeId, JobId, UploadId, VideoId};
use framefarm_shared::intake::{IntakeKind, IntakeState};
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::uploads::UploadRequest;
use super::{Db, Engine, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct IntakeRow {
    pub id: IntakeId,
    pub kind: IntakeKind,
    /// An address, an absolute path, or a path below the watch folder.
    pub place: String,
    /// The same place for the same work.
    pub identity: String,
    pub request: Json<UploadRequest>,
    pub actor: String,
    pub state: IntakeState,
    pub attempts: i32,
    /// When it may be taken; of one that is being fetched, the end of its lease.
    pub due_at: DateTime<Utc>,
    /// Higher with everybody who takes it.
    pub turn: i64,
    pub size: Option<i64>,
    pub received: i64,
    /// Which version of the file `upload_id` has bytes of.
    pub version: Option<String>,
    pub upload_id: Option<UploadId>,
    pub video_id: Option<VideoId>,
    pub job_id: Option<JobId>,
    pub deduplicated: Option<bool>,
    /// Why it failed, or why the last attempt did.
    pub error_code: Option<String>,
    pub error: Option<String>,
    pub created_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug)]
pub struct NewIntake {
    pub id: IntakeId,
    pub kind: IntakeKind,
    pub place: String,
    pub identity: String,
    pub request: UploadRequest,
    pub actor: String,
    pub size: Option<i64>,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub id: IntakeId,
    pub turn: i64,
}

impl IntakeRow {
    pub fn held(&self) -> Turn {
        Turn { id: self.id, turn: self.turn }
    }
}

/// Which kinds an instance can fetch.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub urls: bool,
    pub paths: bool,
    pub watch: bool,
}

/// `None` if the same is waiting or being fetched already.
pub async fn insert_unless_live(
    tx: &mut Tx,
    new: &NewIntake,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<IntakeRow>> {
    const SQL: &str = "INSERT INTO intake \
         (id, kind, place, identity, request, actor, state, due_at, size, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $7, $8, $7) \
         ON CONFLICT (identity) WHERE state IN ('waiting', 'fetching') DO NOTHING RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL)
        .bind(new.id)
        .bind(new.kind)
        .bind(&new.place)
        .bind(&new.identity)
        .bind(Json(&new.request))
        .bind(&new.actor)
        .bind(now)
        .bind(new.size)
        .fetch_optional(conn)
        .await)
}

pub async fn live_by_identity(tx: &mut Tx, identity: &str) -> sqlx::Result<Option<IntakeRow>> {
    const SQL: &str = "SELECT * FROM intake WHERE identity = $1 AND state IN ('waiting', 'fetching')";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(identity).fetch_optional(conn).await)
}

pub async fn get(db: &Db, id: IntakeId) -> sqlx::Result<Option<IntakeRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM intake WHERE id = $1").bind(id).fetch_optional(pool).await)
}

/// Newest first; `before` is where the page before ended.
pub async fn list(
    db: &Db,
    state: Option<IntakeState>,
    before: Option<(DateTime<Utc>, uuid::Uuid)>,
    limit: i64,
) -> sqlx::Result<Vec<IntakeRow>> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT * FROM intake WHERE 1 = 1");
        if let Some(state) = state {
            query.push(" AND state = ").push_bind(state);
        }
        if let Some((at, id)) = before {
            query.push(" AND (created_at, id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        query.push(" ORDER BY created_at DESC, id DESC LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(pool).await
    })
}

/// Gives the next file that is due to a new holder; one whose holder fell silent is due again.
pub async fn claim_due(
    tx: &mut Tx,
    reach: Reach,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<Option<IntakeRow>> {
    macro_rules! claim {
        ($lock:literal) => {
            concat!(
                "WITH next AS ",
                $lock,
                " UPDATE intake SET state = 'fetching', turn = turn + 1, attempts = attempts + 1, due_at = $2 \
                 WHERE id IN (SELECT id FROM next) RETURNING *"
            )
        };
    }
    const POSTGRES: &str = claim!(
        "MATERIALIZED (SELECT id FROM intake WHERE state IN ('waiting', 'fetching') AND due_at <= $1 \
         AND ((kind = 'url' AND $3) OR (kind = 'path' AND $4) OR (kind = 'watch' AND $5)) \
         ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)"
    );
    const SQLITE: &str = claim!(
        "(SELECT id FROM intake WHERE state IN ('waiting', 'fetching') AND due_at <= $1 \
         AND ((kind = 'url' AND $3) OR (kind = 'path' AND $4) OR (kind = 'watch' AND $5)) \
         ORDER BY due_at, id LIMIT 1)"
    );
    // One engine locks the row that it found, the other the whole database.
    match tx.engine() {
        Engine::Postgres(conn) => {
            let query = sqlx::query_as(POSTGRES).bind(now).bind(until);
            query.bind(reach.urls).bind(reach.paths).bind(reach.watch).fetch_optional(conn).await
        }
        Engine::Sqlite(conn) => {
            let query = sqlx::query_as(SQLITE).bind(now).bind(until);
            query.bind(reach.urls).bind(reach.paths).bind(reach.watch).fetch_optional(conn).await
        }
    }
}

macro_rules! if_held {
    ($change:literal) => {
        concat!("UPDATE intake SET ", $change, " WHERE id = $1 AND turn = $2 AND state = 'fetching'")
    };
}

/// The holder is alive and has come so far.
pub async fn renew_if_held(
    tx: &mut Tx,
    held: Turn,
    received: i64,
    until: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = if_held!("received = $3, due_at = $4");
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(held.id)
        .bind(held.turn)
        .bind(received)
        .bind(until)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Where the bytes go, and of which version of the file they are.
pub async fn set_upload_if_held(
    tx: &mut Tx,
    held: Turn,
    upload: UploadId,
    size: i64,
    version: Option<&str>,
) -> sqlx::Result<bool> {
    const SQL: &str = if_held!("upload_id = $3, size = $4, version = $5, received = 0");
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(held.id)
        .bind(held.turn)
        .bind(upload)
        .bind(size)
        .bind(version)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Somebody else may go on at once; the attempt does not count.
pub async fn release_if_held(tx: &mut Tx, held: Turn, now: DateTime<Utc>) -> sqlx::Result<bool> {
    const SQL: &str = if_held!("state = 'waiting', attempts = attempts - 1, due_at = $3");
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(held.id)
        .bind(held.turn)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// The attempt failed; another may succeed.
pub async fn put_off_if_held(
    tx: &mut Tx,
    held: Turn,
    due_at: DateTime<Utc>,
    code: &str,
    error: &str,
) -> sqlx::Result<bool> {
    const SQL: &str = if_held!("state = 'waiting', due_at = $3, error_code = $4, error = $5");
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(held.id)
        .bind(held.turn)
        .bind(due_at)
        .bind(code)
        .bind(error)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// What a file became.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub video: VideoId,
    pub job: Option<JobId>,
    pub deduplicated: bool,
}

pub async fn finish_if_held(
    tx: &mut Tx,
    held: Turn,
    outcome: Outcome,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str = if_held!(
        "state = 'done', video_id = $3, job_id = $4, deduplicated = $5, ended_at = $6, error_code = NULL, \
         error = NULL, received = COALESCE(size, received)"
    );
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(held.id)
        .bind(held.turn)
        .bind(outcome.video)
        .bind(outcome.job)
        .bind(outcome.deduplicated)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

pub async fn fail_if_held(
    tx: &mut Tx,
    held: Turn,
    code: &str,
    error: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    const SQL: &str =
        if_held!("state = 'failed', error_code = $3, error = $4, ended_at = $5, upload_id = NULL");
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(held.id)
        .bind(held.turn)
        .bind(code)
        .bind(error)
        .bind(now)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Its holder, if there is one, can change nothing more.
pub async fn cancel_if_live(
    tx: &mut Tx,
    id: IntakeId,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<IntakeRow>> {
    const SQL: &str = "UPDATE intake SET state = 'cancelled', ended_at = $2 \
         WHERE id = $1 AND state IN ('waiting', 'fetching') RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(now).fetch_optional(conn).await)
}

/// From the beginning, with all attempts; unless the same is under way already.
pub async fn retry_if_ended(
    tx: &mut Tx,
    id: IntakeId,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<IntakeRow>> {
    const SQL: &str = "UPDATE intake SET state = 'waiting', attempts = 0, due_at = $2, ended_at = NULL, \
         upload_id = NULL, version = NULL, received = 0, error_code = NULL, error = NULL \
         WHERE id = $1 AND state IN ('failed', 'cancelled') AND NOT EXISTS (SELECT 1 FROM intake other \
         WHERE other.identity = intake.identity AND other.state IN ('waiting', 'fetching')) RETURNING *";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(id).bind(now).fetch_optional(conn).await)
}

pub async fn count_ended_by(db: &Db, instant: DateTime<Utc>) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT count(*) FROM intake WHERE ended_at <= $1";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(instant).fetch_one(pool).await)
}

/// Forgets what ended before an instant.
pub async fn delete_ended_by(tx: &mut Tx, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<u64> {
    const SQL: &str = "DELETE FROM intake WHERE id IN \
         (SELECT id FROM intake WHERE ended_at <= $1 ORDER BY ended_at LIMIT $2)";
    sql!(tx, |conn| sqlx::query(SQL).bind(instant).bind(limit).execute(conn).await.map(|d| d.rows_affected()))
}
