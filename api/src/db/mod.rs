//! Every SQL statement, one file a table; the modules stand in the order data travels. Nothing here decides: guards
//! are in the statements and in the names.
//!
//! `&mut Tx` changes state and composes with other changes; `&Db` only reads. One text serves both engines
//! through `sql!`; where an engine must differ, the function matches on the engine and says why.

// --- In: uploads and imports ---

pub mod intakes;
pub mod space;
pub mod upload_parts;
pub mod uploads;
pub mod watched_files;

// --- The lifecycle: videos, jobs and what they make ---

pub mod collections;
pub mod events;
pub mod extra_files;
pub mod generations;
pub mod job;
pub mod qualities;
pub mod queues;
pub mod segments;
pub mod sources;
pub mod videos;

// --- Workers ---

pub mod invitations;
pub mod worker_gpus;
pub mod worker_keys;
pub mod workers;

// --- Notification: alerts, other instances ---

pub mod alert_conditions;
pub mod alert_deliveries;
pub mod alert_endpoints;
pub mod alerts;
pub mod notify;

// --- The farm: who may call, who leads, what is no longer needed ---

pub mod credentials;
pub mod garbage;
pub mod key_value;
pub mod leader;
pub mod restored;

// --- Infrastructure ---

pub mod effects;
pub mod failure;
pub mod outdated;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use framefarm_shared::state::JobStatus;
use sqlx::migrate::Migrator;
use sqlx::pool::{PoolConnection, PoolOptions};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, PgPool, Postgres, Sqlite, SqlitePool, Transaction};
use tokio::sync::Notify;

use self::effects::{Claimable, Effects, JobChange, OnCommit, Traced};
use self::job::JobRow;

/// One thing on either engine: a pool, a transaction, a statement's text.
#[derive(Clone, Debug)]
pub enum Engine<P, S> {
    Postgres(P),
    Sqlite(S),
}

/// A SQLite with a known corruption bug is refused (the WAL-reset race, fixed in this version).
const OLDEST_SQLITE: (u32, u32, u32) = (3, 51, 3);

/// A connection that was idle for longer is asked whether it still works.
const FRESH: Duration = Duration::from_secs(1);
/// A connection to PostgreSQL is replaced after so long: its caches grow, and addresses change behind names.
const OLDEST_CONNECTION: Duration = Duration::from_mins(30);

/// More jobs than this that become claimable at once are told with one word.
const MOST_HINTS: usize = 100;

pub(crate) static POSTGRES_MIGRATIONS: Migrator = sqlx_macros::migrate!("../migrations/postgres");
static SQLITE_MIGRATIONS: Migrator = sqlx_macros::migrate!("../migrations/sqlite");

#[derive(Clone, Debug)]
pub struct Db {
    pools: Engine<PgPool, SqlitePools>,
    appended: Arc<Appended>,
    on_commit: Option<Arc<dyn OnCommit>>,
}

/// Notified when an event was appended: `here` for readers in this process, `to_tell` for the other instances.
#[derive(Debug, Default)]
struct Appended {
    here: Notify,
    to_tell: Notify,
}

/// SQLite has one writer at a time anyway; a pool of one makes the others wait in line instead of spinning.
#[derive(Clone, Debug)]
struct SqlitePools {
    writer: SqlitePool,
    readers: SqlitePool,
    /// For lists and searches, which may take long: workers are not to wait behind them.
    searchers: SqlitePool,
}

/// On which a step runs. A step of one statement needs no transaction around it.
enum PgWork {
    Transaction(Transaction<'static, Postgres>),
    Statement(PoolConnection<Postgres>),
}

pub struct Tx {
    running: Engine<PgWork, Transaction<'static, Sqlite>>,
    /// To be told when the transaction is committed, if it appended an event.
    appended: Arc<Appended>,
    has_events: bool,
    effects: Effects,
    on_commit: Option<Arc<dyn OnCommit>>,
}

/// How much of a pool of connections is in use.
#[derive(Clone, Copy, Debug)]
pub struct PoolUse {
    pub name: &'static str,
    pub open: u32,
    pub idle: u32,
    pub most: u32,
}

/// Runs one body on the engine behind `$on`; it is compiled once for each.
macro_rules! sql {
    ($on:expr, |$conn:ident| $body:expr) => {
        match $on.engine() {
            $crate::db::Engine::Postgres($conn) => $body,
            $crate::db::Engine::Sqlite($conn) => $body,
        }
    };
}
pub(crate) use sql;

/// Binds values one after the other, separated by commas.
macro_rules! push_list {
    ($query:expr, $values:expr) => {{
        let mut list = $query.separated(", ");
        for value in $values {
            list.push_bind(*value);
        }
    }};
}
use push_list;

impl Db {
    pub async fn connect_postgres(url: &str, connections: u32) -> sqlx::Result<Self> {
        let options: PgConnectOptions = url.parse()?;
        let options = options.application_name("framefarm").options([
            // A forgotten transaction would hold the vacuum horizon and slow every claim down.
            ("idle_in_transaction_session_timeout", "60s"),
            // A lock that somebody forgot, or a search through everything, costs one request and not the farm.
            ("lock_timeout", "10s"),
            ("statement_timeout", "30s"),
            ("timezone", "UTC"),
        ]);
        let pool = unattended(PgPoolOptions::new())
            .max_connections(connections)
            .acquire_timeout(Duration::from_secs(10))
            // A question before each use would be one more way to the server and back for each statement or
            // transaction. What was used a moment ago is taken as it is.
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    if outdated::is(&meta) || meta.age > OLDEST_CONNECTION {
                        return Ok(false);
                    }
                    if meta.idle_for > FRESH {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_with(options)
            .await?;
        Ok(Self::on(Engine::Postgres(pool)))
    }

    pub async fn connect_sqlite(file: &Path) -> sqlx::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // Acknowledged means on disk, also after a power cut.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(10))
            .pragma("journal_size_limit", "67108864")
            .statement_cache_capacity(256);
        // Before the first table, and never again: an older file is converted by `framefarm vacuum`, since it takes a
        // rebuild, and a connection that says it later writes to the file.
        if std::fs::metadata(file).map_or(0, |meta| meta.len()) == 0 {
            options.clone().auto_vacuum(SqliteAutoVacuum::Incremental).connect().await?.close().await?;
        }
        let writer =
            unattended(SqlitePoolOptions::new()).max_connections(1).connect_with(options.clone()).await?;
        check_sqlite_version(&writer).await?;
        // Not yet connected: one that has read the schema before a migration would prepare its first statement for the
        // old columns, and get rows that have more.
        let options = options.read_only(true);
        let readers =
            unattended(SqlitePoolOptions::new()).max_connections(4).connect_lazy_with(options.clone());
        let searchers = unattended(SqlitePoolOptions::new()).max_connections(2).connect_lazy_with(options);
        Ok(Self::on(Engine::Sqlite(SqlitePools { writer, readers, searchers })))
    }

    fn on(pools: Engine<PgPool, SqlitePools>) -> Self {
        Self { pools, appended: Arc::default(), on_commit: None }
    }

    /// Returns when an event was committed since the last call, by this process or by one that told us.
    pub async fn event_appended(&self) {
        self.appended.here.notified().await;
    }

    /// Returns when this process has committed an event since the last call.
    pub async fn event_to_tell(&self) {
        self.appended.to_tell.notified().await;
    }

    /// Another process told of an event.
    pub fn event_was_appended(&self) {
        self.appended.here.notify_one();
    }

    /// From now on commits of this process are reported there.
    #[must_use]
    pub fn reporting_to(self, on_commit: Arc<dyn OnCommit>) -> Self {
        Self { on_commit: Some(on_commit), ..self }
    }

    pub fn pools(&self) -> Vec<PoolUse> {
        macro_rules! used {
            ($name:literal, $pool:expr) => {{
                let (open, most) = ($pool.size(), $pool.options().get_max_connections());
                let idle = u32::try_from($pool.num_idle()).unwrap_or(u32::MAX);
                PoolUse { name: $name, open, idle, most }
            }};
        }
        match &self.pools {
            Engine::Postgres(pool) => vec![used!("all", pool)],
            Engine::Sqlite(pools) => vec![
                used!("writer", pools.writer),
                used!("readers", pools.readers),
                used!("searchers", pools.searchers),
            ],
        }
    }

    pub async fn migrate(&self) -> sqlx::Result<()> {
        match &self.pools {
            Engine::Postgres(pool) => {
                let mut connection = pool.acquire().await?;
                // Indexes of large tables take longer than any request, and so may another instance that migrates.
                sqlx::raw_sql("SET statement_timeout = 0; SET lock_timeout = 0")
                    .execute(&mut *connection)
                    .await?;
                let migrated = POSTGRES_MIGRATIONS.run_direct(None, &mut *connection, false).await;
                connection.close().await?;
                migrated?;
            }
            Engine::Sqlite(pools) => SQLITE_MIGRATIONS.run(&pools.writer).await?,
        }
        let mut tx = self.begin().await?;
        queues::ensure_all(&mut tx).await?;
        tx.commit().await
    }

    /// A SQLite file as it is: nothing is written to it, and it need not be up to date.
    pub async fn read_sqlite(file: &Path) -> sqlx::Result<Self> {
        let options = SqliteConnectOptions::new().filename(file).read_only(true);
        let readers = unattended(SqlitePoolOptions::new()).max_connections(1).connect_with(options).await?;
        let (writer, searchers) = (readers.clone(), readers.clone());
        Ok(Self::on(Engine::Sqlite(SqlitePools { writer, readers, searchers })))
    }

    /// The number of the newest migration of SQLite that this program knows.
    pub fn newest_schema() -> i64 {
        SQLITE_MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
    }

    /// For reads.
    pub(crate) fn engine(&self) -> Engine<&PgPool, &SqlitePool> {
        match &self.pools {
            Engine::Postgres(pool) => Engine::Postgres(pool),
            Engine::Sqlite(pools) => Engine::Sqlite(&pools.readers),
        }
    }

    /// For lists and searches.
    fn searching(&self) -> Searching<'_> {
        Searching(self)
    }

    /// `BEGIN IMMEDIATE` on SQLite: a transaction that reads first and writes later would fail with
    /// a busy snapshot that no timeout retries.
    pub async fn begin(&self) -> sqlx::Result<Tx> {
        Ok(self.tx(match &self.pools {
            Engine::Postgres(pool) => Engine::Postgres(PgWork::Transaction(pool.begin().await?)),
            Engine::Sqlite(pools) => Engine::Sqlite(pools.writer.begin_with("BEGIN IMMEDIATE").await?),
        }))
    }

    /// For a step that writes with one statement only: PostgreSQL commits each by itself, which saves the ways to the
    /// server for `BEGIN` and `COMMIT`. It cannot be rolled back. On SQLite it is an ordinary transaction.
    pub async fn begin_single(&self) -> sqlx::Result<Tx> {
        match &self.pools {
            Engine::Postgres(pool) => Ok(self.tx(Engine::Postgres(PgWork::Statement(pool.acquire().await?)))),
            Engine::Sqlite(_) => self.begin().await,
        }
    }

    /// For reads that must all see the same instant; nothing can be written, and nobody waits for it.
    pub async fn begin_reading(&self) -> sqlx::Result<Tx> {
        const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        Ok(self.tx(match &self.pools {
            Engine::Postgres(pool) => Engine::Postgres(PgWork::Transaction(pool.begin_with(SNAPSHOT).await?)),
            Engine::Sqlite(pools) => Engine::Sqlite(pools.readers.begin().await?),
        }))
    }

    fn tx(&self, running: Engine<PgWork, Transaction<'static, Sqlite>>) -> Tx {
        Tx {
            running,
            appended: self.appended.clone(),
            has_events: false,
            effects: Effects::default(),
            on_commit: self.on_commit.clone(),
        }
    }

    pub fn is_sqlite(&self) -> bool {
        matches!(self.pools, Engine::Sqlite(_))
    }

    pub fn name(&self) -> &'static str {
        if self.is_sqlite() { "sqlite" } else { "postgres" }
    }

    /// The database's own clock; `None` where the database is part of this process.
    pub async fn server_time(&self) -> sqlx::Result<Option<DateTime<Utc>>> {
        match &self.pools {
            Engine::Postgres(pool) => {
                sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(pool).await.map(Some)
            }
            Engine::Sqlite(_) => Ok(None),
        }
    }

    pub async fn ping(&self) -> sqlx::Result<()> {
        sql!(self, |pool| sqlx::query("SELECT 1").execute(pool).await.map(drop))
    }

    pub async fn close(&self) {
        match &self.pools {
            Engine::Postgres(pool) => pool.close().await,
            Engine::Sqlite(pools) => {
                pools.searchers.close().await;
                pools.readers.close().await;
                pools.writer.close().await;
            }
        }
    }
}

/// See [`Db::searching`].
struct Searching<'a>(&'a Db);

impl<'a> Searching<'a> {
    fn engine(&self) -> Engine<&'a PgPool, &'a SqlitePool> {
        match &self.0.pools {
            Engine::Postgres(pool) => Engine::Postgres(pool),
            Engine::Sqlite(pools) => Engine::Sqlite(&pools.searchers),
        }
    }
}

impl Tx {
    pub fn engine(
        &mut self,
    ) -> Engine<&mut <Postgres as sqlx::Database>::Connection, &mut <Sqlite as sqlx::Database>::Connection>
    {
        match &mut self.running {
            Engine::Postgres(PgWork::Transaction(tx)) => Engine::Postgres(&mut **tx),
            Engine::Postgres(PgWork::Statement(connection)) => Engine::Postgres(&mut **connection),
            Engine::Sqlite(tx) => Engine::Sqlite(&mut **tx),
        }
    }

    /// No statement makes a job claimable without this: so no caller can forget to wake a worker.
    fn claimable_if_due(&mut self, job: Option<&JobRow>) {
        let due = job.filter(|job| job.status == JobStatus::Pending && job.retry_after.is_none());
        self.effects.claimable.extend(due.map(Claimable::of));
    }

    /// The same for many at once: each hint goes its own way to one worker, which is good for a few.
    fn claimable(&mut self, jobs: impl ExactSizeIterator<Item = Claimable>) {
        if jobs.len() > MOST_HINTS {
            self.effects.many_claimable = true;
        } else {
            self.effects.claimable.extend(jobs);
        }
    }

    /// Notes what is counted once this transaction is committed.
    fn note(&mut self, change: JobChange) {
        self.effects.changes.push(change);
    }

    /// Whether somebody wants to hear of spans at all.
    pub fn is_traced(&self) -> bool {
        self.on_commit.as_ref().is_some_and(|on_commit| on_commit.is_traced())
    }

    /// Notes what is traced once this transaction is committed; nothing is made where nobody wants it.
    pub fn trace(&mut self, traced: impl FnOnce() -> Option<Traced>) {
        if self.is_traced() {
            self.effects.traced.extend(traced());
        }
    }

    pub async fn commit(self) -> sqlx::Result<()> {
        match self.running {
            Engine::Postgres(PgWork::Transaction(tx)) => tx.commit().await?,
            Engine::Postgres(PgWork::Statement(connection)) => drop(connection),
            Engine::Sqlite(tx) => tx.commit().await?,
        }
        if self.has_events {
            self.appended.here.notify_one();
            self.appended.to_tell.notify_one();
        }
        if let Some(on_commit) = self.on_commit {
            on_commit.committed(self.effects);
        }
        Ok(())
    }

    pub async fn rollback(self) -> sqlx::Result<()> {
        match self.running {
            Engine::Postgres(PgWork::Transaction(tx)) => tx.rollback().await,
            Engine::Postgres(PgWork::Statement(_)) => Ok(()),
            Engine::Sqlite(tx) => tx.rollback().await,
        }
    }
}

/// Without the task in which the pool looks after idle and old connections: it counts them while others take and return
/// them, and where that count slips below zero it never ends (sqlx 0.9).
fn unattended<D: sqlx::Database>(options: PoolOptions<D>) -> PoolOptions<D> {
    options.idle_timeout(None).max_lifetime(None)
}

async fn check_sqlite_version(pool: &SqlitePool) -> sqlx::Result<()> {
    let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(pool).await?;
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if found < OLDEST_SQLITE {
        return Err(sqlx::Error::Configuration(
            format!("SQLite {version} is too old: versions before 3.51.3 can corrupt a database in WAL mode")
                .into(),
        ));
    }
    Ok(())
}

/// The columns of every table as `table.column`, for the test that holds the two schemas together.
pub async fn columns(db: &Db) -> sqlx::Result<Vec<String>> {
    match db.engine() {
        Engine::Postgres(pool) => {
            sqlx::query_scalar(
                "SELECT table_name || '.' || column_name FROM information_schema.columns \
                 WHERE table_schema = current_schema() ORDER BY 1",
            )
            .fetch_all(pool)
            .await
        }
        Engine::Sqlite(pool) => {
            sqlx::query_scalar(
                "SELECT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c \
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1",
            )
            .fetch_all(pool)
            .await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_pool_has_a_task_that_looks_after_it() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::connect_sqlite(&dir.path().join("framefarm.db")).await.unwrap();
        let Engine::Sqlite(pools) = &db.pools else { unreachable!() };
        for pool in [&pools.writer, &pools.readers, &pools.searchers] {
            let options = pool.options();
            assert_eq!((options.get_idle_timeout(), options.get_max_lifetime()), (None, None));
        }
        let options = unattended(PgPoolOptions::new());
        assert_eq!((options.get_idle_timeout(), options.get_max_lifetime()), (None, None));
    }
}
