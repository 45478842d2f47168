//! A fresh database for one test.

use std::path::PathBuf;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

pub struct TestDatabase {
    dir: TempDir,
    url: String,
}

impl TestDatabase {
    pub fn sqlite() -> Self {
        Self { dir: data_dir(), url: String::new() }
    }

    /// A schema of its own in the PostgreSQL that `scripts/with-services` started.
    pub async fn postgres() -> Self {
        let server = std::env::var("FRAMEFARM_TEST_POSTGRES_URL").unwrap_or_else(|_| {
            panic!("FRAMEFARM_TEST_POSTGRES_URL is not set: run the tests by `make test` or `scripts/with-services`")
        });
        let schema = format!("t_{:032x}", rand::random::<u128>());
        let mut connection = PgConnection::connect(&server).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE SCHEMA {schema}")))
            .execute(&mut connection)
            .await
            .unwrap();
        let separator = if server.contains('?') { '&' } else { '?' };
        Self { dir: data_dir(), url: format!("{server}{separator}options[search_path]={schema}") }
    }

    pub fn data_dir(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Empty for SQLite.
    pub fn url(&self) -> String {
        self.url.clone()
    }
}

/// In memory where the system offers it: a test's fsync proves nothing and costs milliseconds.
fn data_dir() -> TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}
