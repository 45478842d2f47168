//! How SQLite is opened, and that a writer waits its turn instead of failing.

use std::path::PathBuf;
use std::time::Duration;

use framefarm_api::db::key_value;
use framefarm_api::db::{Db, Engine};
use framefarm_api::testing::Farm;
use sqlx::AssertSqlSafe;

async fn number(db: &Db, pragma: &str) -> i64 {
    let mut tx = db.begin().await.unwrap();
    let Engine::Sqlite(conn) = tx.engine() else { panic!("not SQLite") };
    sqlx::query_scalar(AssertSqlSafe(format!("PRAGMA {pragma}"))).fetch_one(conn).await.unwrap()
}

async fn text(db: &Db, sql: &str) -> String {
    let mut tx = db.begin().await.unwrap();
    let Engine::Sqlite(conn) = tx.engine() else { panic!("not SQLite") };
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(conn).await.unwrap()
}

fn file(farm: &Farm) -> PathBuf {
    farm.database.data_dir().join("framefarm.db")
}

async fn note(db: Db, name: String) -> sqlx::Result<()> {
    let mut tx = db.begin().await?;
    key_value::set(&mut tx, &name, "1").await?;
    tx.commit().await
}

#[tokio::test]
async fn acknowledged_means_on_disk_and_references_are_checked() {
    let farm = Farm::sqlite().await;
    let db = &farm.app.db;
    assert_eq!(text(db, "PRAGMA journal_mode").await, "wal");
    assert_eq!(number(db, "synchronous").await, 2, "2 is FULL");
    assert_eq!(number(db, "foreign_keys").await, 1);
    assert_eq!(number(db, "busy_timeout").await, 10_000);
}

#[tokio::test]
async fn the_built_in_version_has_no_known_corruption() {
    let farm = Farm::sqlite().await;
    let version = text(&farm.app.db, "SELECT sqlite_version()").await;
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
    assert!(parts >= vec![3, 51, 3], "{version}");
}

#[tokio::test]
async fn every_table_is_strict() {
    let farm = Farm::sqlite().await;
    let sql = "SELECT COALESCE(group_concat(name), '') FROM pragma_table_list \
         WHERE type = 'table' AND schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%' \
         AND name <> '_sqlx_migrations'";
    assert_eq!(text(&farm.app.db, sql).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_writer_waits_in_this_process_and_in_another() {
    let farm = Farm::sqlite().await;
    // A connection of its own stands for another process: it meets the first one only at the file's lock.
    let other = Db::connect_sqlite(&file(&farm)).await.unwrap();
    for db in [farm.app.db.clone(), other] {
        let mut first = farm.app.db.begin().await.unwrap();
        key_value::set(&mut first, "first", "1").await.unwrap();
        let mut second = tokio::spawn(note(db.clone(), "second".to_owned()));
        let early = tokio::time::timeout(Duration::from_millis(100), &mut second).await;
        assert!(early.is_err(), "did not wait: {early:?}");
        first.commit().await.unwrap();
        second.await.unwrap().unwrap();
        assert_eq!(key_value::get(&db, "first").await.unwrap().as_deref(), Some("1"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_writers_on_two_handles_loses_nothing() {
    let farm = Farm::sqlite().await;
    let before = super::count(&farm, "fact").await;
    let other = Db::connect_sqlite(&file(&farm)).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..100 {
        let db = if number % 2 == 0 { farm.app.db.clone() } else { other.clone() };
        tasks.spawn(note(db, format!("fact {number}")));
    }
    for done in tasks.join_all().await {
        done.unwrap();
    }
    assert_eq!(super::count(&farm, "fact").await, before + 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_reads_first_may_write_later_whatever_others_wrote() {
    let farm = Farm::sqlite().await;
    let before = super::count(&farm, "fact").await;
    let mut tasks = tokio::task::JoinSet::new();
    for handle in 0..8 {
        let db = Db::connect_sqlite(&file(&farm)).await.unwrap();
        tasks.spawn(async move {
            let mut tx = db.begin().await?;
            framefarm_api::db::queues::get(&mut tx, framefarm_shared::queue::QueueType::Transcode).await?;
            key_value::set(&mut tx, &format!("handle {handle}"), "1").await?;
            tx.commit().await
        });
    }
    for done in tasks.join_all().await {
        done.unwrap();
    }
    assert_eq!(super::count(&farm, "fact").await, before + 8);
}
