//! The file of a database becomes smaller when much was removed.

use chrono::Duration;
use framefarm_api::db::space;
use framefarm_api::testing::Farm;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_removed_jobs_give_their_room_back_and_claims_get_in_between() {
    let farm = Farm::sqlite().await;
    farm.fill_queue(10_000).await;
    farm.sql("UPDATE job SET status = 'completed', finished_at = '2026-09-01T00:00:00+00:00'").await;
    farm.sql("DELETE FROM generation").await;
    farm.upload("waiting").await;
    let file = farm.database.data_dir().join("framefarm.db");
    let size = || std::fs::metadata(&file).unwrap().len();
    farm.clean().await;
    space::truncate_log(&farm.app.db).await.unwrap();
    let before = size();
    farm.wait(Duration::days(31));
    let worker = farm.worker("w1").await;
    let claiming = tokio::spawn(async move { worker.claim().await });
    let counts = farm.clean().await;
    claiming.await.unwrap();
    let count = |name: &str| counts.iter().find(|(kind, _)| *kind == name).unwrap().1;
    assert_eq!(count("completed_jobs"), 10_000);
    let given = count("pages_given_back");
    let smaller = before.saturating_sub(size());
    assert!(given > 500 && smaller > given * 4096 * 9 / 10, "{given} pages, {before} bytes, then {}", size());
    let log = std::fs::metadata(file.with_extension("db-wal")).map_or(0, |meta| meta.len());
    assert!(log < 1_000_000, "the log has {log} bytes");
    farm.app.db.ping().await.unwrap();
    assert_eq!(farm.clean().await.last().unwrap().1, 0, "some room is kept");
}
