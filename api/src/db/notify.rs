//! PostgreSQL's notifications. SQLite has none and needs none: one process has it to itself.

use sqlx::postgres::PgListener;

use super::{Db, Engine};

/// A notification is shorter than 8,000 bytes.
pub const LONGEST: usize = 7_900;

/// The channel of this farm: several may share a server, each in its own schema.
pub async fn channel(db: &Db) -> sqlx::Result<Option<String>> {
    const SQL: &str = "SELECT 'framefarm_' || md5(current_schema())";
    match db.engine() {
        Engine::Postgres(pool) => sqlx::query_scalar(SQL).fetch_one(pool).await.map(Some),
        Engine::Sqlite(_) => Ok(None),
    }
}

pub async fn send(db: &Db, channel: &str, texts: &[String]) -> sqlx::Result<()> {
    const SQL: &str = "SELECT count(pg_notify($1, text)) FROM unnest($2) AS text";
    match db.engine() {
        Engine::Postgres(pool) => sqlx::query(SQL).bind(channel).bind(texts).execute(pool).await.map(drop),
        Engine::Sqlite(_) => Ok(()),
    }
}

/// Takes a connection for itself.
pub async fn listen(db: &Db, channel: &str) -> sqlx::Result<PgListener> {
    match db.engine() {
        Engine::Postgres(pool) => {
            let mut listener = PgListener::connect_with(pool).await?;
            listener.listen(channel).await?;
            Ok(listener)
        }
        Engine::Sqlite(_) => Err(sqlx::Error::Configuration("SQLite has no notifications".into())),
    }
}
