//! Table `queue`.

use std::time::Duration;

use framefarm_api::db::queues;
use framefarm_shared::queue::{QueueType, RetryMode};
use sqlx::error::ErrorKind;

use super::dump;

/// Long enough to see that somebody waits.
const BRIEFLY: Duration = Duration::from_millis(100);
const SOON: Duration = Duration::from_secs(10);

framefarm_api::on_both_engines! {
    async fn every_kind_has_a_queue_and_keeps_its_switches(farm: Farm) {
        assert_eq!(queues::all(&farm.app.db).await.unwrap().len(), QueueType::ALL.len());
        commit!(farm, |tx| queues::set_paused(tx, QueueType::Preview, true));
        commit!(farm, |tx| queues::configure(tx, QueueType::Preview, Some(2), RetryMode::Manual));
        let before = dump(&farm).await;
        commit!(farm, |tx| queues::ensure_all(tx));
        assert_eq!(dump(&farm).await, before);
        farm.sql("DELETE FROM queue WHERE queue_type = 'captions'").await;
        commit!(farm, |tx| queues::ensure_all(tx));
        let queue = commit!(farm, |tx| queues::get(tx, QueueType::Captions));
        assert_eq!((queue.queue_type, queue.paused, queue.max_running), (QueueType::Captions, false, None));
        assert_eq!(queue.retry_mode, RetryMode::Auto);
    }

    async fn a_queue_is_paused_and_resumed_once(farm: Farm) {
        assert!(!unchanged!(farm, |tx| queues::set_paused(tx, QueueType::Transcode, false)));
        assert!(commit!(farm, |tx| queues::set_paused(tx, QueueType::Transcode, true)));
        assert!(!unchanged!(farm, |tx| queues::set_paused(tx, QueueType::Transcode, true)));
        let paused: Vec<QueueType> = queues::all(&farm.app.db).await.unwrap().into_iter()
            .filter(|queue| queue.paused).map(|queue| queue.queue_type).collect();
        assert_eq!(paused, [QueueType::Transcode]);
        assert!(commit!(farm, |tx| queues::set_paused(tx, QueueType::Transcode, false)));
    }

    async fn a_limit_is_at_least_one_or_none(farm: Farm) {
        for limit in [Some(1), Some(i32::MAX), None] {
            commit!(farm, |tx| queues::configure(tx, QueueType::Preview, limit, RetryMode::Manual));
            let queue = commit!(farm, |tx| queues::get(tx, QueueType::Preview));
            assert_eq!((queue.max_running, queue.retry_mode), (limit, RetryMode::Manual));
        }
        for limit in [0, -1] {
            let kind =
                refused!(farm, |tx| queues::configure(tx, QueueType::Preview, Some(limit), RetryMode::Auto));
            assert_eq!(kind, ErrorKind::CheckViolation);
        }
        let other = commit!(farm, |tx| queues::get(tx, QueueType::Transcode));
        assert_eq!(other.retry_mode, RetryMode::Auto);
    }

    async fn a_pause_waits_for_claims_under_way(farm: Farm) {
        let mut claim = farm.app.db.begin().await.unwrap();
        let queue = queues::get_held(&mut claim, QueueType::Transcode).await.unwrap();
        assert_eq!((queue.queue_type, queue.paused), (QueueType::Transcode, false));
        if !farm.app.db.is_sqlite() {
            // SQLite has one writer at a time; here another claim goes ahead beside the first.
            let mut beside = farm.app.db.begin().await.unwrap();
            let held = queues::get_held(&mut beside, QueueType::Transcode);
            tokio::time::timeout(SOON, held).await.expect("a claim waited for another").unwrap();
            beside.rollback().await.unwrap();
        }
        let db = farm.app.db.clone();
        let mut pause = tokio::spawn(async move {
            let mut tx = db.begin().await.unwrap();
            let paused = queues::set_paused(&mut tx, QueueType::Transcode, true).await.unwrap();
            tx.commit().await.unwrap();
            paused
        });
        assert!(tokio::time::timeout(BRIEFLY, &mut pause).await.is_err(), "paused under a claim");
        claim.commit().await.unwrap();
        assert!(pause.await.unwrap());
        assert!(commit!(farm, |tx| queues::get_held(tx, QueueType::Transcode)).paused);
    }

    async fn a_locked_queue_lets_the_next_one_in_after_the_commit(farm: Farm) {
        let mut first = farm.app.db.begin().await.unwrap();
        queues::lock(&mut first, QueueType::Transcode).await.unwrap();
        let db = farm.app.db.clone();
        let mut second = tokio::spawn(async move {
            let mut tx = db.begin().await.unwrap();
            queues::lock(&mut tx, QueueType::Transcode).await.unwrap();
            tx.commit().await.unwrap();
        });
        let early = tokio::time::timeout(BRIEFLY, &mut second).await;
        assert!(early.is_err(), "two held the queue at once");
        first.commit().await.unwrap();
        second.await.unwrap();
    }
}
