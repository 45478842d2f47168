//! From how things are to alerts.

use chrono::Duration;
use framefarm_api::lifecycle::queues;
use framefarm_api::testing::{Farm, TestDatabase};
use framefarm_shared::queue::QueueType;

use super::{ear, guard, told};

async fn leave_waiting(farm: &Farm, count: i64) {
    farm.sql(&format!(
        "DELETE FROM job WHERE number NOT IN (SELECT number FROM job ORDER BY number LIMIT {count})"
    ))
    .await;
}

framefarm_api::on_both_engines! {
    async fn a_long_queue_is_told_at_10_001_once_and_its_end_at_9_000(farm: Farm) {
        ear(&farm).await;
        queues::set_paused(&farm.app, QueueType::ALL, true, "test").await.unwrap();
        farm.fill_queue(10_001).await;
        guard(&farm).await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["queue_depth_high raised"]);
        for waiting in [10_000, 9_001] {
            leave_waiting(&farm, waiting).await;
            guard(&farm).await;
            assert_eq!(told(&farm).await.len(), 1, "{waiting}");
        }
        leave_waiting(&farm, 9_000).await;
        guard(&farm).await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["queue_depth_high raised", "queue_depth_high recovered"]);
    }

    async fn more_than_a_tenth_of_the_last_hundred_failing_is_told(farm: Farm) {
        ear(&farm).await;
        farm.fill_queue(100).await;
        let ended = "finished_at = enqueued_at";
        farm.sql(&format!("UPDATE job SET status = 'completed', {ended}")).await;
        farm.sql(&format!("UPDATE job SET status = 'failed', error = 'no', {ended} WHERE number % 12 = 0")).await;
        guard(&farm).await;
        assert!(told(&farm).await.is_empty(), "a twelfth");
        farm.sql(&format!("UPDATE job SET status = 'failed', error = 'no', {ended} WHERE number % 9 = 0")).await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["error_rate_high raised"]);
        farm.sql("UPDATE job SET status = 'completed', error = NULL WHERE number % 30 <> 0").await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["error_rate_high raised", "error_rate_high recovered"]);
    }

    async fn a_due_job_that_nobody_takes_for_a_minute_is_told(farm: Farm) {
        ear(&farm).await;
        farm.wait(Duration::hours(1));
        guard(&farm).await;
        assert!(told(&farm).await.is_empty(), "an empty queue is no trouble");
        farm.upload("clip").await;
        farm.wait(Duration::seconds(59));
        guard(&farm).await;
        assert!(told(&farm).await.is_empty(), "59 s");
        queues::set_paused(&farm.app, &[QueueType::Transcode], true, "test").await.unwrap();
        farm.wait(Duration::seconds(60));
        guard(&farm).await;
        assert!(told(&farm).await.is_empty(), "a pause is meant");
        queues::set_paused(&farm.app, &[QueueType::Transcode], false, "test").await.unwrap();
        guard(&farm).await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["no_dequeue raised"]);

        let worker = farm.worker("north").await;
        let job = worker.claim().await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["no_dequeue raised", "no_dequeue recovered"]);
        // It waits for a good reason: every worker is at work.
        farm.upload("second clip").await;
        farm.wait(Duration::seconds(120));
        worker.beat(&[&job]).await.unwrap();
        guard(&farm).await;
        let going_on = framefarm_api::db::alerts::incidents(&farm.app.db).await.unwrap();
        assert!(going_on.is_empty(), "{going_on:?}");
    }

    async fn a_disk_without_room_is_told_and_so_is_the_room(farm: Farm) {
        ear(&farm).await;
        let farm = farm.restarted(|settings| settings.disk_reserve_bytes = u64::MAX / 8).await;
        guard(&farm).await;
        let farm = farm.restarted(|settings| settings.disk_reserve_bytes = 1).await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["disk_low raised", "disk_low recovered"]);
    }
}

#[tokio::test]
async fn a_redis_that_does_not_answer_is_told() {
    let farm = Farm::on(TestDatabase::sqlite(), |settings| {
        "redis://127.0.0.1:1/".clone_into(&mut settings.redis_url);
    })
    .await;
    ear(&farm).await;
    guard(&farm).await;
    assert!(told(&farm).await.is_empty());
    for _ in 0..3 {
        let broker = farm.app.broker.as_ref().unwrap();
        let ping = broker.call(async |mut redis| redis::cmd("PING").query_async::<String>(&mut redis).await);
        assert!(ping.await.is_err());
    }
    guard(&farm).await;
    assert_eq!(told(&farm).await, ["redis_down raised"]);
}
