//! What a job and a worker begin with, what happens together, and a reaper that meets a completion.

use chrono::Duration;
use framefarm_api::app::App;
use framefarm_api::config::Cleanup;
use framefarm_api::db::workers;
use framefarm_api::lifecycle::{self, retranscode};
use framefarm_api::on_both_engines;
use framefarm_api::responses;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::worker_api::{
    CompleteRequest, HeartbeatRequest, RegisterRequest, ReportedStatus, WorkerType,
};
use serde_json::json;

async fn a_ready_video(farm: &Farm) -> (TestWorker, VideoId) {
    let upload = farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    (worker, upload.video.id)
}

fn everything() -> retranscode::Request {
    retranscode::Request { retranscode_all: true, ..Default::default() }
}

on_both_engines! {
    async fn a_new_job_begins_with_the_defaults(farm: Farm) {
        let job = farm.upload("clip").await.job;
        assert_eq!((job.queue_type, job.status, job.priority), (QueueType::Transcode, JobStatus::Pending, 0));
        assert_eq!((job.max_attempts, job.max_lost, job.attempt_number), (3, 3, 0));
        assert_eq!((job.enqueued_at, job.started_at, job.finished_at), (farm.now(), None, None));
        assert_eq!((job.worker_id, job.claimed_at, job.claim_expires_at), (None, None, None));
        assert_eq!((job.error, job.current_step), (None, None));
    }

    async fn a_stale_release_and_a_completion_at_once_have_exactly_one_winner(farm: Farm) {
        let plan = a_plan();
        for round in 0..12 {
            let upload = farm.upload(&format!("clip {round}")).await;
            let worker = farm.worker(&format!("w{round}")).await;
            let job = worker.claim().await;
            worker.encode(&job, &plan).await;
            farm.sql("UPDATE worker SET status = 'offline'").await;
            let expires = farm.job(job.job_id).await.claim_expires_at.unwrap();
            farm.wait(expires - farm.now() - Duration::microseconds(1));
            let completing = tokio::spawn({
                let (worker, job) = (worker.clone(), job.clone());
                async move { worker.complete(&job).await.is_ok() }
            });
            // The completion may still be at its playlists, at its commit, or not even begun.
            for _ in 0..round * 20 {
                tokio::task::yield_now().await;
            }
            farm.wait(Duration::microseconds(1));
            let released = lifecycle::reclaim::release_abandoned(&farm.app).await.unwrap();
            let completed = completing.await.unwrap();
            assert_eq!(released, u64::from(!completed), "round {round}");
            let (row, video) = (farm.job(job.job_id).await, farm.video(upload.video.id).await);
            let expected = if completed {
                (JobStatus::Completed, VideoStatus::Ready, 0)
            } else {
                (JobStatus::Pending, VideoStatus::Pending, 1)
            };
            assert_eq!((row.status, video.status, row.lost_count), expected, "round {round}");
            lifecycle::delete::delete(&farm.app, upload.video.id, "admin").await.unwrap();
        }
    }

    async fn results_that_do_not_fit_the_kind_are_refused_and_the_job_stays_claimed(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        let results = Some(json!({ "images": 3 }));
        let request = CompleteRequest { job_id: job.job_id, fence: job.fence, results, left_out: vec![] };
        let refused = lifecycle::complete::complete(&farm.app, worker.id, &request).await.unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.code), (400, "bad_results"));
        let row = farm.job(job.job_id).await;
        assert_eq!((row.status, row.worker_id), (JobStatus::Running, Some(worker.id)));
        worker.complete(&job).await.unwrap();
        let row = farm.job(job.job_id).await;
        assert_eq!(row.results.unwrap().0["duration_us"], 18_000_000);
    }

    async fn what_a_re_transcode_asks_for_is_shown_while_it_waits(farm: Farm) {
        let (worker, video) = a_ready_video(&farm).await;
        let job = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        let waiting = responses::jobs::get(&farm.app, job.id).await.unwrap().job;
        assert!(waiting.retranscode_metadata.unwrap().retranscode_all);
        assert_eq!(worker.claim().await.job_id, job.id);
        let running = responses::jobs::get(&farm.app, job.id).await.unwrap().job;
        assert!(running.retranscode_metadata.is_none());
    }

    async fn a_clean_up_happens_with_its_claim_or_not_at_all(farm: Farm) {
        let farm = farm.restarted(|settings| settings.retranscode_cleanup = Cleanup::OnClaim).await;
        let (worker, video) = a_ready_video(&farm).await;
        let job = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        for table in ["garbage", "generation", "attempt", "event"] {
            farm.break_table(table).await;
            let request = worker.claim_request();
            lifecycle::claim::claim_now(&farm.app, worker.id, &request).await.unwrap_err();
            farm.mend_table(table).await;
            let row = farm.video(video).await;
            assert_eq!((row.status, row.generation), (VideoStatus::Ready, 1), "with a broken {table}");
            assert_eq!(farm.job(job.id).await.status, JobStatus::Pending, "with a broken {table}");
        }
        worker.claim().await;
        assert_eq!(farm.video(video).await.status, VideoStatus::Processing);
    }

    async fn partial_output_of_a_failed_job_goes_after_a_day_unless_it_is_to_be_kept(farm: Farm) {
        let mut farm = farm;
        for cleanup in [false, true] {
            farm = farm.restarted(|settings| settings.cleanup_partial_on_failure = cleanup).await;
            let upload = farm.upload(&format!("clip {cleanup}")).await;
            let (worker, plan) = (farm.worker("w1").await, a_plan());
            let job = worker.claim().await;
            worker.plan(&job, plan.clone()).await.unwrap();
            worker.deliver(&job, &plan, "360p", 0..=2).await.unwrap();
            worker.fail(&job, ErrorClass::InputInvalid, "damaged").await.unwrap();
            let prefix = ObjectKey::generation_prefix(upload.video.id, 1);
            let delivered = farm.app.storage.count_below(&prefix).await;
            assert_eq!(delivered, 4, "init and three segments");
            for wait in [Duration::hours(23), Duration::hours(2), Duration::minutes(11)] {
                assert_eq!(farm.app.storage.count_below(&prefix).await, delivered, "too early");
                farm.wait(wait);
                farm.clean().await;
            }
            let left = farm.app.storage.count_below(&prefix).await;
            assert_eq!(left, if cleanup { 0 } else { delivered });
        }
    }

    async fn a_worker_and_its_key_are_made_together_or_not_at_all(farm: Farm) {
        for table in ["worker_api_key", "event"] {
            farm.break_table(table).await;
            let request =
                RegisterRequest { name: None, worker_type: None, capabilities: None, metadata: None };
            lifecycle::workers::register(&farm.app, request).await.unwrap_err();
            farm.mend_table(table).await;
            assert!(workers::all(&farm.app.db).await.unwrap().is_empty(), "a broken {table} left a worker");
        }
    }

    async fn the_worker_beside_a_server_is_the_same_one_after_each_start(farm: Farm) {
        let first = lifecycle::workers::register_local(&farm.app, "host-local").await.unwrap();
        let second = lifecycle::workers::register_local(&farm.app, "host-local").await.unwrap();
        assert_ne!(first, second, "each start has its own key");
        let known = workers::all(&farm.app.db).await.unwrap();
        assert_eq!(known.len(), 1);
        assert_eq!((known[0].name.as_str(), known[0].worker_type), ("host-local", WorkerType::Local));
        lifecycle::workers::register_local(&farm.app, "other-local").await.unwrap();
        assert_eq!(workers::all(&farm.app.db).await.unwrap().len(), 2);
    }

    async fn a_heartbeat_brings_at_most_ten_thousand_bytes_of_each(farm: Farm) {
        let worker = farm.worker("w1").await;
        let text = |length: usize| Some(json!("x".repeat(length - 2)));
        for (capabilities, metadata, fits) in [
            (text(10_000), text(10_000), true),
            (text(10_001), None, false),
            (None, text(10_001), false),
        ] {
            let (boot_id, status, held) = (worker.boot, ReportedStatus::Idle, Vec::new());
            let request = HeartbeatRequest { boot_id, status, held, capabilities, metadata, gpus: None, stopping: false };
            let answer = lifecycle::heartbeat::heartbeat(&farm.app, worker.id, &request).await;
            assert_eq!(answer.err().map(|error| error.code), (!fits).then_some("json_too_large"));
        }
    }
}

#[tokio::test]
async fn a_disk_that_cannot_rename_is_refused_at_start() {
    let farm = Farm::sqlite().await;
    let probe = farm.database.data_dir().join("media/.probe");
    std::fs::create_dir_all(probe.join("in-the-way")).unwrap();
    let (settings, clock) = (farm.app.settings.clone(), farm.clock.clone());
    assert!(App::start(settings.clone(), clock.clone()).await.is_err());
    std::fs::remove_dir_all(probe).unwrap();
    assert!(App::start(settings, clock).await.is_ok());
}
