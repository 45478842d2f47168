//! Table `queue`: one row a kind of work, with its switches.

use framefarm_shared::queue::{QueueType, RetryMode};
use sqlx::QueryBuilder;
use sqlx_macros::FromRow;

use super::{Db, Engine, Tx, sql};

#[derive(Clone, Debug, FromRow)]
pub struct QueueRow {
    pub queue_type: QueueType,
    pub paused: bool,
    pub max_running: Option<i32>,
    pub retry_mode: RetryMode,
}

/// A row for every declared kind; existing rows keep their switches.
pub async fn ensure_all(tx: &mut Tx) -> sqlx::Result<()> {
    sql!(tx, |conn| {
        let mut query = QueryBuilder::new("INSERT INTO queue (queue_type, retry_mode) ");
        query.push_values(QueueType::ALL, |mut row, queue_type| {
            row.push_bind(queue_type).push_bind(RetryMode::Auto);
        });
        query.push(" ON CONFLICT DO NOTHING").build().execute(conn).await.map(drop)
    })
}

pub async fn all(db: &Db) -> sqlx::Result<Vec<QueueRow>> {
    sql!(db, |pool| sqlx::query_as("SELECT * FROM queue ORDER BY queue_type").fetch_all(pool).await)
}

pub async fn get(tx: &mut Tx, queue_type: QueueType) -> sqlx::Result<QueueRow> {
    const SQL: &str = "SELECT * FROM queue WHERE queue_type = $1";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(queue_type).fetch_one(conn).await)
}

/// The switches, held as they are to the end of the transaction: a pause waits for the claims that did not see it,
/// so that none is granted after it was acknowledged. Claims do not wait for each other.
pub async fn get_held(tx: &mut Tx, queue_type: QueueType) -> sqlx::Result<QueueRow> {
    match tx.engine() {
        Engine::Postgres(conn) => {
            const SQL: &str = "SELECT * FROM queue WHERE queue_type = $1 FOR SHARE";
            sqlx::query_as(SQL).bind(queue_type).fetch_one(conn).await
        }
        // The whole database is locked for writing already.
        Engine::Sqlite(conn) => {
            const SQL: &str = "SELECT * FROM queue WHERE queue_type = $1";
            sqlx::query_as(SQL).bind(queue_type).fetch_one(conn).await
        }
    }
}

/// Holds the queue's row to the end of the transaction, so that two claims cannot both see a free place.
pub async fn lock(tx: &mut Tx, queue_type: QueueType) -> sqlx::Result<()> {
    match tx.engine() {
        Engine::Postgres(conn) => {
            const SQL: &str = "SELECT 1 FROM queue WHERE queue_type = $1 FOR UPDATE";
            sqlx::query(SQL).bind(queue_type).execute(conn).await.map(drop)
        }
        // The whole database is locked for writing already.
        Engine::Sqlite(_) => Ok(()),
    }
}

pub async fn set_paused(tx: &mut Tx, queue_type: QueueType, paused: bool) -> sqlx::Result<bool> {
    const SQL: &str = "UPDATE queue SET paused = $2 WHERE queue_type = $1 AND paused <> $2";
    let changed = sql!(tx, |conn| sqlx::query(SQL)
        .bind(queue_type)
        .bind(paused)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

pub async fn configure(
    tx: &mut Tx,
    queue_type: QueueType,
    max_running: Option<i32>,
    retry_mode: RetryMode,
) -> sqlx::Result<()> {
    const SQL: &str = "UPDATE queue SET max_running = $2, retry_mode = $3 WHERE queue_type = $1";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(queue_type)
        .bind(max_running)
        .bind(retry_mode)
        .execute(conn)
        .await
        .map(drop))
}
