//! Failures: what is retried, what is not, and that a change is whole or not at all.

use chrono::Duration;
use framefarm_api::lifecycle;
use framefarm_api::on_both_engines;
use framefarm_api::testing::a_plan;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::{QueueType, RetryMode};
use framefarm_shared::state::{JobStatus, QualityStatus, VideoStatus, WorkerStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{ProgressRequest, QualityProgress};

fn quality(name: &str, percent: f64, error: Option<&str>) -> QualityProgress {
    let (name, error) = (name.to_owned(), error.map(str::to_owned));
    QualityProgress { name, percent, error, ..QualityProgress::default() }
}

on_both_engines! {
    async fn three_failing_runs_fail_the_job_and_no_fewer(farm: Farm) {
        let upload = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        for run in 1..=3 {
            let job = worker.claim().await;
            assert_eq!(job.attempt_number, run);
            let reply = worker.fail(&job, ErrorClass::Transfer, "connection reset").await.unwrap();
            assert_eq!(reply.status == JobStatus::Failed, run == 3);
            let row = farm.worker_row(worker.id).await;
            assert_eq!((row.status, row.current_job_id), (WorkerStatus::Idle, None));
            farm.wait(Duration::hours(1));
        }
        let job = farm.job(upload.job.id).await;
        assert_eq!((job.status, job.failure_count), (JobStatus::Failed, 3));
        assert_eq!(job.error.as_deref(), Some("connection reset"));
        assert!(job.finished_at.is_some());
        let video = farm.video(upload.video.id).await;
        assert_eq!((video.status, video.error_message.as_deref()), (VideoStatus::Failed, Some("connection reset")));
        assert!(worker.try_claim().await.is_none());
    }

    async fn a_source_that_is_no_video_is_not_tried_again(farm: Farm) {
        let upload = farm.upload("notes.txt").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        let reply = worker.fail(&job, ErrorClass::InputInvalid, "no streams found").await.unwrap();
        assert_eq!((reply.status, reply.retry_in_seconds), (JobStatus::Failed, None));
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Failed);
    }

    async fn a_retryable_failure_waits_with_backoff(farm: Farm) {
        let upload = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        let reply = worker.fail(&job, ErrorClass::Storage, "bucket gone").await.unwrap();
        assert!((22..=38).contains(&reply.retry_in_seconds.unwrap()));
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Pending);
        let row = farm.job(job.job_id).await;
        assert_eq!((row.claimed_at, row.claim_expires_at, row.worker_id), (None, None, None));
    }

    async fn a_manual_queue_waits_for_a_person(farm: Farm) {
        let manual = lifecycle::queues::Change { retry_mode: Some(RetryMode::Manual), ..Default::default() };
        lifecycle::queues::change(&farm.app, QueueType::Transcode, manual, "admin").await.unwrap();
        let upload = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::Transfer, "reset").await.unwrap();
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Failed);
        let retried = lifecycle::retry::retry_video(&farm.app, upload.video.id, "admin").await.unwrap();
        assert_eq!((retried.status, retried.failure_count, retried.requeue_count), (JobStatus::Pending, 0, 1));
        assert_eq!((retried.error, retried.started_at, retried.finished_at), (None, None, None));
        assert_eq!(worker.claim().await.fence, 2);
    }

    async fn a_busy_gpu_and_a_hand_back_cost_no_attempt(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        for _ in 0..10 {
            let job = worker.claim().await;
            assert_eq!(job.attempt_number, 1);
            worker.fail(&job, ErrorClass::GpuBusy, "all sessions taken").await.unwrap();
            farm.wait(Duration::minutes(1));
            let job = worker.claim().await;
            worker.release(&job).await.unwrap();
        }
        let job = farm.job(worker.claim().await.job_id).await;
        assert_eq!((job.failure_count, job.lost_count, job.attempt_number, job.fence), (0, 0, 1, 21));
    }

    async fn a_retry_is_refused_for_jobs_that_are_not_ended(farm: Farm) {
        let upload = farm.upload("clip").await;
        assert!(!lifecycle::retry::requeue(&farm.app, upload.job.id, "admin").await.unwrap());
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        assert!(!lifecycle::retry::requeue(&farm.app, upload.job.id, "admin").await.unwrap());
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        assert!(!lifecycle::retry::requeue(&farm.app, upload.job.id, "admin").await.unwrap());
        let error = lifecycle::retry::retry_video(&farm.app, upload.video.id, "admin").await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (409, "not_retryable"));
    }

    async fn a_bulk_retry_skips_what_is_queued_again_already(farm: Farm) {
        let worker = farm.worker("w1").await;
        for name in ["a", "b"] {
            farm.upload(name).await;
            let job = worker.claim().await;
            worker.fail(&job, ErrorClass::InputInvalid, "no").await.unwrap();
        }
        farm.upload("a").await;
        let done = lifecycle::retry_many::retry_many(&farm.app, crate::management::all(), "admin", false).await.unwrap();
        assert_eq!((done.retried, done.skipped.total()), (1, 1));
    }

    async fn one_failed_quality_leaves_the_others_alone(farm: Farm) {
        farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let job = worker.claim().await;
        worker.plan(&job, plan.clone()).await.unwrap();
        worker.deliver(&job, &plan, "480p", 0..=2).await.unwrap();
        let request = ProgressRequest {
            job_id: job.job_id,
            fence: job.fence,
            step: framefarm_shared::state::Step::Transcode,
            percent: 30.0,
            eta_seconds: None,
            log: None,
            qualities: vec![
                quality("720p", 10.0, Some("encoder died")),
                quality("360p", 40.0, None),
                quality("480p", 1.0, Some("too late")),
            ],
        };
        lifecycle::progress::progress(&farm.app, worker.id, &request).await.unwrap();
        let key = framefarm_api::db::qualities::GenerationKey { video: job.video_id, number: 1 };
        let rows = framefarm_api::db::qualities::of_generation(&farm.app.db, key).await.unwrap();
        let status = |name: &str| rows.iter().find(|row| row.name == name).unwrap().status;
        assert_eq!(status("720p"), QualityStatus::Failed);
        assert_eq!(status("360p"), QualityStatus::InProgress);
        assert_eq!(status("480p"), QualityStatus::Completed, "a finished quality can not fail any more");
        assert_eq!(status("1080p"), QualityStatus::Skipped);
        let error = worker.complete(&job).await.unwrap_err();
        assert_eq!(error.code, "not_complete");
        assert!(error.detail.contains("720p (failed: encoder died)"), "{}", error.detail);

        worker.fail(&job, ErrorClass::Encoder, "720p failed").await.unwrap();
        farm.wait(Duration::hours(1));
        let again = worker.claim().await;
        let report = |name: &str| again.qualities.iter().find(|q| q.quality.name == name).unwrap().clone();
        assert_eq!(report("720p").status, QualityStatus::Pending);
        assert_eq!(report("480p").status, QualityStatus::Completed, "finished qualities are not encoded again");
    }

    async fn finished_qualities_start_over_where_the_setting_says_so(farm: Farm) {
        let farm = farm.restarted(|settings| settings.keep_completed_qualities = false).await;
        farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let job = worker.claim().await;
        worker.plan(&job, plan.clone()).await.unwrap();
        worker.deliver(&job, &plan, "480p", 0..=2).await.unwrap();
        worker.fail(&job, ErrorClass::Transfer, "reset").await.unwrap();
        farm.wait(Duration::hours(1));
        let again = worker.claim().await;
        assert!(again.qualities.iter().all(|quality| quality.have.is_empty()));
    }

    async fn a_change_is_whole_or_not_at_all_whichever_statement_fails(farm: Farm) {
        let upload = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let snapshot = async || {
            let job = farm.job(upload.job.id).await;
            let (video, row) = (farm.video(upload.video.id).await, farm.worker_row(worker.id).await);
            format!("{job:?} {video:?} {row:?}")
        };
        for table in ["video", "worker", "attempt", "event"] {
            let before = snapshot().await;
            farm.break_table(table).await;
            let request = worker.claim_request();
            lifecycle::claim::claim_now(&farm.app, worker.id, &request).await.unwrap_err();
            assert_eq!(snapshot().await, before, "claim with a broken {table}");
            farm.mend_table(table).await;
        }
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        for table in ["video", "worker", "attempt", "event"] {
            let before = snapshot().await;
            farm.break_table(table).await;
            worker.complete(&job).await.unwrap_err();
            assert_eq!(snapshot().await, before, "complete with a broken {table}");
            worker.fail(&job, ErrorClass::Transfer, "reset").await.unwrap_err();
            assert_eq!(snapshot().await, before, "fail with a broken {table}");
            worker.release(&job).await.unwrap_err();
            assert_eq!(snapshot().await, before, "release with a broken {table}");
            farm.mend_table(table).await;
        }
        farm.wait(Duration::minutes(31));
        farm.sql("UPDATE worker SET status = 'offline'").await;
        for table in ["video", "worker", "attempt", "event"] {
            let before = snapshot().await;
            farm.break_table(table).await;
            lifecycle::reclaim::release_abandoned(&farm.app).await.unwrap_err();
            assert_eq!(snapshot().await, before, "reclaim with a broken {table}");
            farm.mend_table(table).await;
        }
        assert_eq!(lifecycle::reclaim::release_abandoned(&farm.app).await.unwrap(), 1);
    }

    async fn the_pace_of_a_running_job_is_shown_and_one_that_makes_no_sense_refused(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.plan(&job, a_plan()).await.unwrap();
        let told = |eta_seconds, fps, speed| ProgressRequest {
            job_id: job.job_id,
            fence: job.fence,
            step: framefarm_shared::state::Step::Transcode,
            percent: 10.0,
            eta_seconds,
            qualities: vec![QualityProgress { fps, speed, ..quality("360p", 20.0, None) }],
            log: None,
        };
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            for request in
                [told(Some(bad), None, None), told(None, Some(bad), None), told(None, None, Some(bad))]
            {
                let error = lifecycle::progress::progress(&farm.app, worker.id, &request).await.unwrap_err();
                assert_eq!((error.status.as_u16(), error.code), (422, "bad_pace"), "{bad}");
            }
        }
        let request = told(Some(61.5), Some(48.0), Some(1.9));
        lifecycle::progress::progress(&farm.app, worker.id, &request).await.unwrap();
        let shown = framefarm_api::responses::videos::get(&farm.app, job.video_id).await.unwrap();
        assert_eq!(shown.jobs[0].eta_seconds, Some(61.5));
        let encoding = shown.qualities.iter().find(|q| q.name == "360p").unwrap();
        assert_eq!((encoding.fps, encoding.speed), (Some(48.0), Some(1.9)));
        worker.release(&job).await.unwrap();
        let shown = framefarm_api::responses::videos::get(&farm.app, job.video_id).await.unwrap();
        assert_eq!(shown.jobs[0].eta_seconds, None, "nobody works on it");
    }

    async fn long_errors_are_cut_without_splitting_a_character(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::InputInvalid, &"ü".repeat(1000)).await.unwrap();
        assert_eq!(farm.job(job.job_id).await.error.unwrap(), "ü".repeat(250));
    }

    async fn errors_with_zero_bytes_are_reports_like_any_other(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.plan(&job, a_plan()).await.unwrap();
        let quality = quality("720p", 1.0, Some("\0"));
        let (step, percent) = (framefarm_shared::state::Step::Transcode, 1.0);
        let (job_id, fence, qualities) = (job.job_id, job.fence, vec![quality]);
        let request = ProgressRequest { job_id, fence, step, percent, eta_seconds: None, qualities, log: None };
        lifecycle::progress::progress(&farm.app, worker.id, &request).await.unwrap();
        worker.fail(&job, ErrorClass::InputInvalid, "bad \0 atom").await.unwrap();
        assert_eq!(farm.job(job.job_id).await.error.as_deref(), Some("bad   atom"));
        let late = worker.fail(&job, ErrorClass::InputInvalid, "late \0").await.unwrap_err();
        assert_eq!(late.code, "claim_lost");
    }

    async fn who_never_held_a_job_cannot_add_to_its_story(farm: Farm) {
        farm.upload("clip").await;
        let (holder, stranger) = (farm.worker("w1").await, farm.worker("w2").await);
        let job = holder.claim().await;
        let before = farm.events().await.len();
        let refused = stranger.fail(&job, ErrorClass::Internal, "forged").await.unwrap_err();
        assert_eq!(refused.code, "not_yours");
        assert_eq!(farm.events().await.len(), before);
        // What its last holder tells too late is kept.
        holder.release(&job).await.unwrap();
        holder.fail(&job, ErrorClass::Internal, "late").await.unwrap_err();
        assert_eq!(farm.events().await.last().unwrap().kind, EventKind::LateReport);
    }

    async fn zero_bytes_where_text_is_kept_as_it_is_are_the_callers_mistake(farm: Farm) {
        let mut request = framefarm_shared::wire::worker_api::RegisterRequest {
            name: None, worker_type: None, capabilities: None, metadata: Some(serde_json::json!({ "os": "\0" })),
        };
        let refused = lifecycle::workers::register(&farm.app, request.clone()).await.unwrap_err();
        assert_eq!(refused.code, "bad_text");
        request.metadata = None;
        lifecycle::workers::register(&farm.app, request).await.unwrap();
    }
}
