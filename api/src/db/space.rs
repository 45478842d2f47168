//! The room that the database takes on the disk. PostgreSQL sees to its own: autovacuum reuses it.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection};

use super::{Db, Engine};

/// A checkpoint waits no longer for readers: writers wait for it.
const CHECKPOINT_WAIT: Duration = Duration::from_millis(100);
const WRITER_WAIT: Duration = Duration::from_secs(10);

/// Free pages that could be given back to the disk; `None` where that is not ours to do, or not possible.
pub async fn free_pages(db: &Db) -> sqlx::Result<Option<i64>> {
    let Engine::Sqlite(pool) = db.engine() else { return Ok(None) };
    let incremental: i64 = sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(pool).await?;
    if incremental != 2 {
        return Ok(None);
    }
    sqlx::query_scalar("PRAGMA freelist_count").fetch_one(pool).await.map(Some)
}

/// Gives some free pages back, in one short transaction.
pub async fn give_back(db: &Db, pages: u16) -> sqlx::Result<()> {
    let Engine::Sqlite(pools) = &db.pools else { return Ok(()) };
    let sql = AssertSqlSafe(format!("PRAGMA incremental_vacuum({pages})"));
    // All of its rows must be asked for, or it stops after the first page.
    sqlx::query(sql).fetch_all(&pools.writer).await.map(drop)
}

/// Empties the write-ahead log and makes its file short, unless a reader is in the middle of it.
pub async fn truncate_log(db: &Db) -> sqlx::Result<()> {
    let Engine::Sqlite(pools) = &db.pools else { return Ok(()) };
    let mut conn = pools.writer.acquire().await?;
    wait(&mut conn, CHECKPOINT_WAIT).await?;
    let done = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_all(&mut *conn).await;
    wait(&mut conn, WRITER_WAIT).await?;
    done.map(drop)
}

async fn wait(conn: &mut SqliteConnection, span: Duration) -> sqlx::Result<()> {
    let sql = AssertSqlSafe(format!("PRAGMA busy_timeout = {}", span.as_millis()));
    sqlx::query(sql).fetch_all(conn).await.map(drop)
}

/// Writes a whole, compact copy of a SQLite database while others write to it. The copy is what was committed when it began.
pub async fn copy_sqlite(file: &Path, to: &Path) -> sqlx::Result<()> {
    let mut conn = open(file).await?;
    let target = to.to_str().ok_or_else(|| sqlx::Error::Configuration("the path is not UTF-8".into()))?;
    sqlx::query("VACUUM INTO $1").bind(target).execute(&mut conn).await?;
    conn.close().await
}

/// Rebuilds a SQLite database that nobody else has open: without free pages, and from then on able to give them back.
pub async fn rebuild_sqlite(file: &Path) -> sqlx::Result<()> {
    let mut conn = open(file).await?;
    sqlx::query("PRAGMA auto_vacuum = INCREMENTAL").execute(&mut conn).await?;
    sqlx::query("VACUUM").execute(&mut conn).await?;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_all(&mut conn).await?;
    conn.close().await
}

/// What SQLite says of a database that is damaged; empty if it is not.
pub async fn damage_of_sqlite(file: &Path) -> sqlx::Result<Vec<String>> {
    let mut conn = open(file).await?;
    let mut found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(&mut conn).await?;
    found.retain(|line| line != "ok");
    conn.close().await?;
    Ok(found)
}

async fn open(file: &Path) -> sqlx::Result<SqliteConnection> {
    SqliteConnectOptions::new().filename(file).busy_timeout(WRITER_WAIT).connect().await
}
