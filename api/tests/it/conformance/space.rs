//! The room that a database takes.

use framefarm_api::db::job;

use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::db::{Db, space};
use framefarm_api::testing::Farm;
use sqlx::{ConnectOptions as _, Connection as _};

use super::{count, dump, texts};

#[tokio::test]
async fn postgres_keeps_its_own_house_with_early_vacuums_of_busy_tables() {
    let farm = Farm::postgres().await;
    assert_eq!(space::free_pages(&farm.app.db).await.unwrap(), None);
    let options = texts(
        &farm,
        "SELECT relname || ': ' || array_to_string(reloptions, ',') FROM pg_class \
         WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND reloptions IS NOT NULL ORDER BY 1",
    )
    .await;
    for table in ["job", "worker", "event", "segment", "quality", "attempt"] {
        let set = options.iter().find(|line| line.starts_with(&format!("{table}: "))).expect(table);
        assert!(set.contains("autovacuum_vacuum_scale_factor=0.02"), "{set}");
        assert!(set.contains("autovacuum_vacuum_threshold=1000"), "{set}");
    }
}

#[tokio::test]
async fn a_file_of_before_is_rebuilt_once_and_then_gives_its_room_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("framefarm.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let mut old = options.connect().await.unwrap();
    sqlx::raw_sql("CREATE TABLE old (t text); INSERT INTO old VALUES ('kept')")
        .execute(&mut old)
        .await
        .unwrap();
    old.close().await.unwrap();
    let db = Db::connect_sqlite(&file).await.unwrap();
    assert_eq!(space::free_pages(&db).await.unwrap(), None, "it stays as it is");
    db.close().await;
    space::rebuild_sqlite(&file).await.unwrap();
    let db = Db::connect_sqlite(&file).await.unwrap();
    assert_eq!(space::free_pages(&db).await.unwrap(), Some(0));
    db.close().await;
}

framefarm_api::on_both_engines! {
    async fn free_pages_go_back_to_the_disk_and_rows_stay(farm: Farm) {
        farm.fill_queue(500).await;
        farm.sql("DELETE FROM job").await;
        let (db, videos) = (&farm.app.db, count(&farm, "video").await);
        let free = space::free_pages(db).await.unwrap();
        assert_eq!(free.is_some_and(|pages| pages > 3), db.is_sqlite(), "{free:?}");
        space::give_back(db, 3).await.unwrap();
        assert_eq!(space::free_pages(db).await.unwrap(), free.map(|pages| pages - 3));
        space::truncate_log(db).await.unwrap();
        assert_eq!(count(&farm, "video").await, videos);
    }
}

#[tokio::test]
async fn a_copy_of_a_live_file_is_whole_and_nothing_is_written_to_it() {
    let farm = Farm::sqlite().await;
    farm.fill_queue(100).await;
    let data = farm.database.data_dir();
    let copy = data.join("copy.db");
    space::copy_sqlite(&data.join("framefarm.db"), &copy).await.unwrap();
    assert!(space::damage_of_sqlite(&copy).await.unwrap().is_empty());
    let bytes = std::fs::read(&copy).unwrap();
    let db = Db::read_sqlite(&copy).await.unwrap();
    let jobs = job::lists::list(&db, &JobFilter::default(), None, 1_000).await.unwrap();
    assert_eq!(jobs.len(), 100);
    let written = async {
        let mut tx = db.begin().await?;
        framefarm_api::db::queues::ensure_all(&mut tx).await?;
        tx.commit().await
    };
    assert!(written.await.is_err());
    db.close().await;
    assert_eq!(std::fs::read(&copy).unwrap(), bytes);
    assert!(!dump(&farm).await.is_empty());
    std::fs::write(&copy, &bytes[..bytes.len() / 2]).unwrap();
    assert!(space::damage_of_sqlite(&copy).await.map_or(true, |damage| !damage.is_empty()));
}
