//! A fresh database for one test.

use std::path::{Path, PathBuf};

use reqwest::Url;
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

use super::legal_moves;
use crate::db::{Db, POSTGRES_MIGRATIONS};

pub struct TestDatabase {
    dir: TempDir,
    url: String,
}

impl TestDatabase {
    pub fn sqlite() -> Self {
        Self { dir: data_dir(), url: String::new() }
    }

    /// A database of its own, with all tables, in the PostgreSQL that `scripts/with-services` started.
    pub async fn postgres() -> Self {
        let mut server = Server::connect().await;
        let template = server.template().await;
        let name = server.copy(&template).await;
        Self { dir: data_dir(), url: server.url(&name) }
    }

    /// Without tables.
    pub async fn empty_postgres() -> Self {
        let mut server = Server::connect().await;
        let name = server.copy("template0").await;
        Self { dir: data_dir(), url: server.url(&name) }
    }

    pub fn data_dir(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Empty for SQLite.
    pub fn url(&self) -> String {
        self.url.clone()
    }
}

/// Copying a database is quicker than making its tables, and there are hundreds of tests.
struct Server {
    url: Url,
    connection: PgConnection,
}

impl Server {
    async fn connect() -> Self {
        let url = std::env::var("FRAMEFARM_TEST_POSTGRES_URL").unwrap_or_else(|_| {
            panic!("FRAMEFARM_TEST_POSTGRES_URL is not set: run the tests by `make test` or `scripts/with-services`")
        });
        let connection = PgConnection::connect(&url).await.unwrap();
        Self { url: Url::parse(&url).unwrap(), connection }
    }

    fn url(&self, database: &str) -> String {
        let mut url = self.url.clone();
        url.set_path(database);
        url.into()
    }

    /// The database that all others are copied from; the first test that wants one makes it.
    async fn template(&mut self) -> String {
        const MAKER: i64 = 0x6672_616d_6566_726d;
        let mut hash = Sha256::new();
        for migration in POSTGRES_MIGRATIONS.iter() {
            hash.update(&migration.checksum);
        }
        hash.update(legal_moves::fingerprint());
        let name = format!("template_{}", hex::encode(&hash.finalize()[..8]));
        if self.has(&name).await {
            return name;
        }
        sqlx::query("SELECT pg_advisory_lock($1)").bind(MAKER).execute(&mut self.connection).await.unwrap();
        if !self.has(&name).await {
            let unfinished = self.copy("template0").await;
            let db = Db::connect_postgres(&self.url(&unfinished), 1).await.unwrap();
            db.migrate().await.unwrap();
            legal_moves::enforce(&db).await;
            db.close().await;
            self.run(format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await.unwrap();
        }
        sqlx::query("SELECT pg_advisory_unlock($1)").bind(MAKER).execute(&mut self.connection).await.unwrap();
        name
    }

    /// Returns the name of the copy.
    async fn copy(&mut self, template: &str) -> String {
        self.drop_abandoned().await;
        let name = format!("test_{}_{:016x}", std::process::id(), rand::random::<u64>());
        // What older ones do anyway, and the quicker way for a small one.
        let knows_others = self.connection.server_version_num().is_some_and(|version| version >= 150_000);
        let strategy = if knows_others { "STRATEGY file_copy" } else { "" };
        self.run(format!("CREATE DATABASE {name} TEMPLATE {template} {strategy}")).await.unwrap();
        name
    }

    /// Each test is a process of its own, and may end in a panic: the next one cleans up after it.
    async fn drop_abandoned(&mut self) {
        let query = sqlx::query_scalar("SELECT datname::text FROM pg_database WHERE datname LIKE 'test\\_%'");
        let names: Vec<String> = query.fetch_all(&mut self.connection).await.unwrap();
        for name in names {
            let pid = name.split('_').nth(1).unwrap_or_default();
            if !Path::new("/proc").join(pid).exists() {
                // Another test may do the same.
                let _ = self.run(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
            }
        }
    }

    async fn has(&mut self, name: &str) -> bool {
        let query =
            sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)").bind(name);
        query.fetch_one(&mut self.connection).await.unwrap()
    }

    async fn run(&mut self, sql: String) -> sqlx::Result<()> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.connection).await.map(|_| ())
    }
}

/// In memory where the system offers it: a test's fsync proves nothing and costs milliseconds.
fn data_dir() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}
