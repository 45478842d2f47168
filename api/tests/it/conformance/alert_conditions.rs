//! How the farm is, for alerts.

use chrono::Duration;
use framefarm_api::db::{alert_conditions, queues, workers};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::{QueueType, RetryMode};
use framefarm_shared::state::JobStatus;

use super::world::{INSTANT, a_job, a_running_job, a_worker, an_ended_job};

framefarm_api::on_both_engines! {
    async fn waiting_jobs_are_counted_up_to_a_limit(farm: Farm) {
        for name in ["a", "b", "c"] {
            a_job(&farm, name).await;
        }
        a_running_job(&farm, "d").await;
        assert_eq!(alert_conditions::waiting(&farm.app.db, 100).await.unwrap(), 3);
        assert_eq!(alert_conditions::waiting(&farm.app.db, 2).await.unwrap(), 2);
    }

    async fn the_last_jobs_to_finish_are_seen_without_cancelled_ones(farm: Farm) {
        for status in [JobStatus::Failed, JobStatus::Completed, JobStatus::Cancelled, JobStatus::Completed] {
            an_ended_job(&farm, "clip", status).await;
            farm.wait(Duration::seconds(1));
        }
        let last = alert_conditions::last_finished(&farm.app.db, 3).await.unwrap();
        assert_eq!(last, [JobStatus::Completed, JobStatus::Completed, JobStatus::Failed]);
        assert_eq!(alert_conditions::last_finished(&farm.app.db, 2).await.unwrap().len(), 2);
    }

    async fn a_job_is_passed_over_where_a_queue_is_neither_paused_nor_full(farm: Farm) {
        let passed = async |at| alert_conditions::passed_over_since(&farm.app.db, at).await.unwrap();
        assert_eq!(passed(farm.now()).await, None);
        a_job(&farm, "clip").await;
        assert_eq!(passed(farm.now() - INSTANT).await, None);
        assert_eq!(passed(farm.now()).await, Some(QueueType::Transcode));
        commit!(farm, |tx| queues::set_paused(tx, QueueType::Transcode, true));
        assert_eq!(passed(farm.now()).await, None);
        commit!(farm, |tx| queues::set_paused(tx, QueueType::Transcode, false));
        a_running_job(&farm, "other").await;
        commit!(farm, |tx| queues::configure(tx, QueueType::Transcode, Some(1), RetryMode::Auto));
        assert_eq!(passed(farm.now()).await, None, "it runs as many as it may");
        commit!(farm, |tx| queues::configure(tx, QueueType::Transcode, Some(2), RetryMode::Auto));
        assert_eq!(passed(farm.now()).await, Some(QueueType::Transcode));
    }

    async fn claims_and_failures_are_found_by_time(farm: Farm) {
        let before = farm.now() - INSTANT;
        assert!(!alert_conditions::any_claim_since(&farm.app.db, before).await.unwrap());
        let worker = farm.worker("north").await;
        farm.upload("clip").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::Storage, "disk full").await.unwrap();
        assert!(alert_conditions::any_claim_since(&farm.app.db, before).await.unwrap());
        assert!(!alert_conditions::any_claim_since(&farm.app.db, farm.now()).await.unwrap());
        let failures = alert_conditions::failures_since(&farm.app.db, before).await.unwrap();
        assert_eq!((failures.len(), failures[0].worker_id), (1, Some(worker.id)));
        assert_eq!(failures[0].data.as_ref().unwrap()["class"], "storage");
        assert!(alert_conditions::failures_since(&farm.app.db, farm.now()).await.unwrap().is_empty());
    }

    async fn workers_are_free_or_busy_or_neither(farm: Farm) {
        let count = async || alert_conditions::free_and_busy_workers(&farm.app.db).await.unwrap();
        assert_eq!(count().await, (0, 0));
        let free = a_worker(&farm, "free").await;
        let draining = a_worker(&farm, "draining").await;
        commit!(farm, |tx| workers::set_draining(tx, draining.id, true));
        let (worker, upload) = (farm.worker("busy").await, farm.upload("clip").await);
        worker.claim_this(upload.job.id).await.unwrap();
        assert_eq!(count().await, (1, 1));
        assert!(commit!(farm, |tx| workers::offline_unless_disabled(tx, free.id)).is_some());
        assert!(unchanged!(farm, |tx| workers::offline_unless_disabled(tx, free.id)).is_none());
        assert_eq!(count().await, (0, 1));
        commit!(farm, |tx| workers::disable(tx, draining.id));
        assert!(unchanged!(farm, |tx| workers::offline_unless_disabled(tx, draining.id)).is_none());
    }
}
