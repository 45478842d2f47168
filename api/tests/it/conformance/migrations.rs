//! The two folders of migrations say the same, and running them harms nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use framefarm_api::db::{self, Db};
use framefarm_api::testing::{Farm, TestDatabase, settings};
use sqlx::Connection;
use sqlx::migrate::Migrator;

use super::world::{a_generation, a_running_job};
use super::{dump, texts};

fn folder(engine: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(engine)
}

fn files(engine: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder(engine)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn both_folders_have_the_same_numbers_and_names() {
    let (postgres, sqlite) = (files("postgres"), files("sqlite"));
    assert_eq!(postgres, sqlite);
    for (number, name) in (1..).zip(&sqlite) {
        assert!(name.starts_with(&format!("{number:04}_")), "{name} is not number {number}");
        assert_eq!(Path::new(name).extension().unwrap(), "sql");
    }
}

#[test]
fn every_migration_begins_by_saying_what_it_is_for() {
    for engine in ["postgres", "sqlite"] {
        for name in files(engine) {
            let text = std::fs::read_to_string(folder(engine).join(&name)).unwrap();
            assert!(text.starts_with("-- "), "{engine}/{name}");
        }
    }
}

/// Indexes that a migration named; those behind keys and constraints are named by the engine.
async fn indexes(farm: &Farm) -> BTreeSet<String> {
    let sql = if farm.app.db.is_sqlite() {
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    } else {
        "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() \
         AND indexname NOT IN (SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace)"
    };
    texts(farm, sql).await.into_iter().collect()
}

#[tokio::test]
async fn both_engines_have_the_same_tables_columns_and_indexes() {
    let (sqlite, postgres) = (Farm::sqlite().await, Farm::postgres().await);
    let mut columns = Vec::new();
    for farm in [&sqlite, &postgres] {
        columns.push(db::columns(&farm.app.db).await.unwrap().into_iter().collect::<BTreeSet<_>>());
    }
    assert!(columns[0].contains("job.fence") && columns[0].len() > 100, "{:?}", columns[0]);
    assert_eq!(columns[0], columns[1]);
    let named = indexes(&sqlite).await;
    assert!(named.contains("job_live_identity"), "{named:?}");
    assert_eq!(named, indexes(&postgres).await);
}

framefarm_api::on_both_engines! {
    async fn migrating_twice_changes_nothing(farm: Farm) {
        a_running_job(&farm, "film").await;
        a_generation(&farm, &["720p"]).await;
        let before = dump(&farm).await;
        farm.app.db.migrate().await.unwrap();
        assert_eq!(dump(&farm).await, before);
        let farm = farm.restarted(|_| {}).await;
        assert_eq!(dump(&farm).await, before);
    }

    async fn instances_that_start_at_once_migrate_once(farm: Farm) {
        let before = dump(&farm).await;
        let mut starts = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let db = farm.app.db.clone();
            starts.spawn(async move { db.migrate().await });
        }
        for done in starts.join_all().await {
            done.unwrap();
        }
        assert_eq!(dump(&farm).await, before);
    }
}

/// A copy of the folder as it was when the first migration was the only one.
async fn the_first_migration(engine: &str) -> Migrator {
    let copy = tempfile::tempdir().unwrap();
    let first = files(engine).pop_first().unwrap();
    std::fs::copy(folder(engine).join(&first), copy.path().join(&first)).unwrap();
    Migrator::new(copy.path()).await.unwrap()
}

const ROWS: &str = "INSERT INTO fact (name, value) VALUES ('admin_password', 'hash');
     INSERT INTO queue (queue_type, paused, retry_mode) VALUES ('transcode', {true}, 'manual');";

#[tokio::test]
async fn a_database_as_old_as_the_first_migration_keeps_its_rows() {
    let sqlite = TestDatabase::sqlite();
    let file = sqlite.data_dir().join("framefarm.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let mut old = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    the_first_migration("sqlite").await.run(&mut old).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(ROWS.replace("{true}", "1"))).execute(&mut old).await.unwrap();
    old.close().await.unwrap();
    keeps_its_rows(Db::connect_sqlite(&file).await.unwrap()).await;

    let postgres = TestDatabase::postgres().await;
    let mut old = sqlx::PgConnection::connect(&postgres.url()).await.unwrap();
    the_first_migration("postgres").await.run(&mut old).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(ROWS.replace("{true}", "true"))).execute(&mut old).await.unwrap();
    old.close().await.unwrap();
    let url = settings(&postgres).database_url;
    keeps_its_rows(Db::connect_postgres(&url, 2).await.unwrap()).await;
}

async fn keeps_its_rows(db: Db) {
    use framefarm_shared::queue::{QueueType, RetryMode};
    db.migrate().await.unwrap();
    assert_eq!(db::facts::get(&db, db::facts::ADMIN_PASSWORD).await.unwrap().as_deref(), Some("hash"));
    let queues = db::queues::all(&db).await.unwrap();
    assert_eq!(queues.len(), QueueType::ALL.len());
    let kept = queues.iter().find(|queue| queue.queue_type == QueueType::Transcode).unwrap();
    assert_eq!((kept.paused, kept.retry_mode), (true, RetryMode::Manual));
}
