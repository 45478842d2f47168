//! Table `generation`: one output of a video and the plan it follows.

use chrono::{DateTime, Utc};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::Naming;
use framefarm_shared::plan::Plan;
use sqlx::types::Json;

use super::qualities::GenerationKey;
use super::{Db, Tx, sql};

pub async fn insert(
    tx: &mut Tx,
    video: VideoId,
    number: i32,
    plan: Option<&Plan>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO generation (video_id, number, plan, created_at) VALUES ($1, $2, $3, $4)";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(video)
        .bind(number)
        .bind(plan.map(Json))
        .bind(now)
        .execute(conn)
        .await
        .map(drop))
}

/// The numbers of a video's generations.
pub async fn of_video(db: &Db, video: VideoId) -> sqlx::Result<Vec<i32>> {
    const SQL: &str = "SELECT number FROM generation WHERE video_id = $1 ORDER BY number";
    sql!(db, |pool| sqlx::query_scalar(SQL).bind(video).fetch_all(pool).await)
}

/// How the files of a generation are named. One that has no row has no file of which we compute the name.
pub async fn naming(db: &Db, key: GenerationKey) -> sqlx::Result<Naming> {
    const SQL: &str = "SELECT short_names FROM generation WHERE video_id = $1 AND number = $2";
    let short: Option<bool> =
        sql!(db, |pool| sqlx::query_scalar(SQL).bind(key.video).bind(key.number).fetch_optional(pool).await)?;
    Ok(if short == Some(true) { Naming::ShortDigest } else { Naming::FullDigest })
}

/// The plan in force, if a worker has made one.
pub async fn plan(db: &Db, video: VideoId, number: i32) -> sqlx::Result<Option<Plan>> {
    const SQL: &str = "SELECT plan FROM generation WHERE video_id = $1 AND number = $2";
    let found: Option<Option<Json<Plan>>> =
        sql!(db, |pool| sqlx::query_scalar(SQL).bind(video).bind(number).fetch_optional(pool).await)?;
    Ok(found.flatten().map(|json| json.0))
}

pub async fn plan_in(tx: &mut Tx, video: VideoId, number: i32) -> sqlx::Result<Option<Plan>> {
    const SQL: &str = "SELECT plan FROM generation WHERE video_id = $1 AND number = $2";
    let found: Option<Option<Json<Plan>>> =
        sql!(tx, |conn| sqlx::query_scalar(SQL).bind(video).bind(number).fetch_optional(conn).await)?;
    Ok(found.flatten().map(|json| json.0))
}

/// The first plan stays: segments of all attempts must line up. `false` if there is one already.
pub async fn set_plan_if_none(tx: &mut Tx, video: VideoId, number: i32, plan: &Plan) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE generation SET plan = $3 WHERE video_id = $1 AND number = $2 AND plan IS NULL";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(video)
        .bind(number)
        .bind(Json(plan))
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Forgets a generation and what was delivered for it, unless it plays.
pub async fn delete_unless_published(tx: &mut Tx, video: VideoId, number: i32) -> sqlx::Result<bool> {
    const SQL: &str = "DELETE FROM generation WHERE video_id = $1 AND number = $2 AND NOT EXISTS \
         (SELECT 1 FROM video WHERE id = $1 AND generation = $2)";
    let done = sql!(tx, |conn| sqlx::query(SQL)
        .bind(video)
        .bind(number)
        .execute(conn)
        .await
        .map(|d| d.rows_affected()))?;
    Ok(done == 1)
}

/// Generations that do not play and whose job has left the history: nobody can come back for them.
pub async fn forsaken(db: &Db, instant: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<(VideoId, i32)>> {
    const SQL: &str = "SELECT g.video_id, g.number FROM generation g JOIN video v ON v.id = g.video_id \
         WHERE g.number <> v.generation AND g.created_at <= $1 AND NOT EXISTS \
         (SELECT 1 FROM job j WHERE j.video_id = g.video_id AND j.generation = g.number) \
         ORDER BY g.created_at, g.video_id, g.number LIMIT $2";
    sql!(db, |pool| sqlx::query_as(SQL).bind(instant).bind(limit).fetch_all(pool).await)
}

/// Whether a job waits to work on a generation, or does.
pub async fn has_live_job(db: &Db, key: GenerationKey) -> sqlx::Result<bool> {
    const SQL: &str = "SELECT count(*) FROM job WHERE video_id = $1 AND generation = $2 \
         AND status IN ('pending', 'running')";
    let count: i64 =
        sql!(db, |pool| sqlx::query_scalar(SQL).bind(key.video).bind(key.number).fetch_one(pool).await)?;
    Ok(count > 0)
}

/// The generation's row, with or without a plan.
pub async fn plan_row(tx: &mut Tx, video: VideoId, number: i32) -> sqlx::Result<Option<Option<Json<Plan>>>> {
    const SQL: &str = "SELECT plan FROM generation WHERE video_id = $1 AND number = $2";
    sql!(tx, |conn| sqlx::query_scalar(SQL).bind(video).bind(number).fetch_optional(conn).await)
}
