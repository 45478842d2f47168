//! Uploads become jobs: once per content, again by force, and every way to become claimable is heard.

use std::time::Duration as StdDuration;

use chrono::Duration;
use framefarm_api::config::Dedupe;
use framefarm_api::lifecycle::{self, retranscode};
use framefarm_api::on_both_engines;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::JobId;
use framefarm_shared::ladder::VideoCodec;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, VideoStatus};

/// Starts to wait for a job, does what makes one claimable, and expects to be woken rather than to find it by polling.
async fn woken_by(farm: &Farm, worker: &TestWorker, how: &str, act: impl Future<Output = ()>) -> JobId {
    let waiting = tokio::spawn({
        let worker = worker.clone();
        async move { worker.wait_for_job(25).await }
    });
    // The claim has looked and found nothing once its transaction is over; acting earlier is harmless.
    tokio::time::timeout(StdDuration::from_secs(5), async {
        while farm.app.waiters.waiting() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("nobody waits");
    act.await;
    let job = tokio::time::timeout(StdDuration::from_secs(10), waiting).await;
    job.unwrap_or_else(|_| panic!("{how} woke nobody"))
        .unwrap()
        .unwrap_or_else(|| panic!("{how} gave nothing"))
        .job_id
}

on_both_engines! {
    async fn of_two_who_upload_the_same_the_one_in_a_hurry_sets_the_pace(farm: Farm) {
        let first = farm.upload_with("clip", |request| request.priority = 2).await;
        for (asked, then) in [(None, 2), (Some(1), 2), (Some(7), 7), (Some(-3), 7)] {
            let again = farm.upload_with("clip", |request| {
                request.title = Some("another title".to_owned());
                request.priority = asked.unwrap_or_default();
                request.priority_named = asked.is_some();
            });
            let again = again.await;
            assert_eq!((again.video.id, again.deduplicated), (first.video.id, true));
            assert_eq!((farm.job(first.job.id).await.priority, again.job.priority), (then, then));
        }
        assert_eq!(farm.video(first.video.id).await.title, "clip");
    }

    async fn what_plays_is_found_again_where_that_is_set(farm: Farm) {
        let first = farm.upload("clip").await.video.id;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        let mut farm = farm;
        for (dedupe, found) in [(Dedupe::All, true), (Dedupe::Window, true), (Dedupe::Off, false), (Dedupe::Live, false)] {
            farm = farm.restarted(|settings| settings.dedupe.dedupe = dedupe).await;
            let again = farm.upload("clip").await;
            assert_eq!((again.video.id == first, again.deduplicated), (found, found), "{dedupe:?}");
            if !found {
                lifecycle::delete::delete(&farm.app, again.video.id, "admin").await.unwrap();
            }
        }
        farm.wait(Duration::hours(25));
        farm = farm.restarted(|settings| settings.dedupe.dedupe = Dedupe::Window).await;
        assert!(!farm.upload("clip").await.deduplicated);
    }

    async fn where_nothing_is_the_same_every_upload_is_encoded(farm: Farm) {
        let farm = farm.restarted(|settings| settings.dedupe.dedupe = Dedupe::Off).await;
        let worker = farm.worker("w1").await;
        let mut videos = Vec::new();
        for _ in 0..3 {
            videos.push(farm.upload("clip").await.video.id);
        }
        for _ in 0..3 {
            let job = worker.claim().await;
            worker.encode(&job, &a_plan()).await;
            worker.complete(&job).await.unwrap();
        }
        let request = || retranscode::Request { retranscode_all: true, ..Default::default() };
        for video in videos {
            retranscode::retranscode(&farm.app, video, request(), "admin").await.unwrap();
        }
    }

    async fn the_ladder_of_the_settings_decides_what_is_encoded(farm: Farm) {
        let farm = farm.restarted(|settings| settings.ladder = "720p:1500:hevc,240p:300,720p:2500".parse().unwrap()).await;
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        let planned = worker.plan(&job, a_plan()).await.unwrap().qualities;
        let told: Vec<_> = planned.iter().map(|q| (q.quality.name.as_str(), q.quality.codec.as_str(), q.quality.bitrate_kbps)).collect();
        let expected =
            [("720phevc", "hevc", 1_500), ("720p", "h264", 2_500), ("240p", "h264", 300), ("audio0", "h264", 128)];
        assert_eq!(told, expected);
        let detail = framefarm_api::responses::videos::get(&farm.app, job.video_id).await.unwrap();
        let codecs: Vec<_> = detail.qualities.iter().map(|q| q.codec.map(VideoCodec::as_str)).collect();
        assert_eq!(codecs, [Some("hevc"), Some("h264"), Some("h264"), None], "a sound has none");

        let wants = |name: &str| lifecycle::upload::UploadRequest {
            file_name: "clip".to_owned(), qualities: Some(vec![name.to_owned()]), ..Default::default()
        };
        assert!(lifecycle::enqueue::check_request(&farm.app, &wants("720phevc")).await.is_ok());
        let error = lifecycle::enqueue::check_request(&farm.app, &wants("1080p")).await.unwrap_err();
        assert_eq!(error.detail, "Unknown quality `1080p`; choose from 720phevc, 720p, 240p.");
    }

    async fn the_same_content_is_queued_once(farm: Farm) {
        let first = farm.upload("clip").await;
        assert!(!first.deduplicated);
        for _ in 0..3 {
            let again = farm.upload("clip").await;
            assert_eq!((again.deduplicated, again.job.id, again.video.id), (true, first.job.id, first.video.id));
        }
        farm.worker("w1").await.claim().await;
        let while_running = farm.upload("clip").await;
        assert_eq!(while_running.job.id, first.job.id, "a running job counts as well");
    }

    async fn another_ladder_is_other_work(farm: Farm) {
        let all = farm.upload("clip").await;
        let small = farm.upload_with("clip", |request| request.qualities = Some(vec!["360p".to_owned()])).await;
        assert_ne!(all.job.id, small.job.id);
    }

    async fn the_same_content_may_come_again_after_it_ended(farm: Farm) {
        let first = farm.upload("clip").await;
        lifecycle::cancel::cancel_video(&farm.app, first.video.id, "admin").await.unwrap();
        let second = farm.upload("clip").await;
        assert!(!second.deduplicated && second.job.number > first.job.number);
    }

    async fn a_hundred_identical_submissions_at_once_make_one_job(farm: Farm) {
        let farm = std::sync::Arc::new(farm);
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let farm = farm.clone();
            tasks.spawn(async move { farm.upload("clip").await.job.id });
        }
        let ids: std::collections::HashSet<_> = tasks.join_all().await.into_iter().collect();
        assert_eq!(ids.len(), 1);
    }

    async fn force_runs_the_same_content_as_a_new_generation(farm: Farm) {
        let first = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        let forced = farm.upload_with("clip", |request| request.force = true).await;
        assert_eq!((forced.video.id, forced.job.generation), (first.video.id, 2));
        assert_eq!(farm.video(first.video.id).await.status, VideoStatus::Ready, "it plays meanwhile");
    }

    async fn force_on_a_running_job_needs_to_be_said_twice(farm: Farm) {
        let first = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        let source = lifecycle::enqueue::Source {
            video: framefarm_shared::id::VideoId::new(&farm.clock),
            size: 1,
            sha256: first.video.source_sha256.clone(),
            since: farm.now(),
        };
        let request = framefarm_api::db::uploads::UploadRequest {
            file_name: "clip".to_owned(),
            force: true,
            ..Default::default()
        };
        let refused = lifecycle::enqueue::enqueue(&farm.app, source.clone(), request.clone(), "t").await.unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.code), (409, "duplicate_running"));
        worker.progress(&job, 5.0).await.unwrap();
        let request = framefarm_api::db::uploads::UploadRequest { cancel_running: true, ..request };
        let forced = lifecycle::enqueue::enqueue(&farm.app, source, request, "t").await.unwrap();
        assert_eq!(forced.job.as_ref().unwrap().status, JobStatus::Pending);
        assert_eq!(worker.progress(&job, 6.0).await.unwrap_err().code, "claim_lost");
        assert_eq!(worker.claim().await.job_id, forced.job.unwrap().id);
    }

    async fn force_on_a_waiting_job_replaces_it(farm: Farm) {
        let first = farm.upload("clip").await;
        let forced = farm.upload_with("clip", |request| request.force = true).await;
        assert_eq!(farm.job(first.job.id).await.status, JobStatus::Cancelled);
        assert_eq!(farm.worker("w1").await.claim().await.job_id, forced.job.id);
    }

    async fn an_upload_is_accepted_while_nobody_can_run_it(farm: Farm) {
        lifecycle::queues::set_paused(&farm.app, QueueType::ALL, true, "admin").await.unwrap();
        assert_eq!(farm.upload("clip").await.job.status, JobStatus::Pending);
    }

    async fn video_and_job_are_made_together_or_not_at_all(farm: Farm) {
        for table in ["job", "generation", "event"] {
            farm.break_table(table).await;
            let source = lifecycle::enqueue::Source {
                video: framefarm_shared::id::VideoId::new(&farm.clock),
                size: 1,
                sha256: "ab".to_owned(),
                since: farm.now(),
            };
            let request = framefarm_api::db::uploads::UploadRequest { file_name: "f".to_owned(), ..Default::default() };
            lifecycle::enqueue::enqueue(&farm.app, source, request, "test").await.unwrap_err();
            farm.mend_table(table).await;
            let videos = framefarm_api::db::videos::list(&farm.app.db, &framefarm_api::db::videos::VideoFilter::default(), None, 10).await.unwrap();
            assert!(videos.is_empty(), "a broken {table} left a video behind");
        }
    }

    async fn every_way_to_become_claimable_wakes_a_waiting_worker(farm: Farm) {
        let farm = farm.restarted(|settings| settings.claim_poll_interval = 30.0).await;
        let worker = farm.worker("w1").await;
        let first = woken_by(&farm, &worker, "an upload", Box::pin(async { drop(farm.upload("clip").await) })).await;
        let held = async || {
            let row = farm.job(first).await;
            framefarm_shared::wire::worker_api::HeldJob { job_id: first, fence: row.fence }
        };
        let release = async |worker: &TestWorker| {
            let held = held().await;
            let request = framefarm_shared::wire::worker_api::ReleaseRequest {
                job_id: held.job_id, fence: held.fence, reason: None,
            };
            lifecycle::release::release(&farm.app, worker.id, &request).await.unwrap();
        };
        woken_by(&farm, &worker, "a release", release(&worker)).await;

        woken_by(&farm, &worker, "a due retry", async {
            let held = held().await;
            let request = framefarm_shared::wire::worker_api::FailRequest {
                job_id: held.job_id, fence: held.fence, class: ErrorClass::Transfer, message: "reset".to_owned(),
                log: None,
            };
            lifecycle::fail::fail(&farm.app, worker.id, &request).await.unwrap();
            farm.wait(Duration::minutes(2));
            framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
        }).await;

        woken_by(&farm, &worker, "a lost worker", async {
            farm.wait(Duration::minutes(31));
            farm.reap().await;
            farm.pass_redelivery();
            framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
        }).await;

        let video = farm.job(first).await.video_id;
        woken_by(&farm, &worker, "a retry", async {
            lifecycle::cancel::cancel_video(&farm.app, video, "admin").await.unwrap();
            lifecycle::retry::retry_video(&farm.app, video, "admin").await.unwrap();
        }).await;

        let job = held().await;
        worker.encode_under(job.job_id, job.fence, &a_plan()).await;
        let request = framefarm_shared::wire::worker_api::CompleteRequest {
            job_id: job.job_id, fence: job.fence, results: None, left_out: vec![],
        };
        lifecycle::complete::complete(&farm.app, worker.id, &request).await.unwrap();
        woken_by(&farm, &worker, "a re-transcode", async {
            let request = retranscode::Request { retranscode_all: true, ..Default::default() };
            retranscode::retranscode(&farm.app, video, request, "admin").await.unwrap();
        }).await;

        lifecycle::queues::set_paused(&farm.app, QueueType::ALL, true, "admin").await.unwrap();
        farm.upload("another").await;
        woken_by(&farm, &worker, "a resumed queue", async {
            lifecycle::queues::set_paused(&farm.app, QueueType::ALL, false, "admin").await.unwrap();
        }).await;
    }

    async fn a_cpu_worker_that_waits_for_a_gpu_gets_the_job_when_the_wait_is_over(farm: Farm) {
        farm.gpu_worker("gpu-1").await;
        let cpu = farm.worker("cpu-1").await;
        farm.upload("clip").await;
        let waiting = tokio::spawn(async move { cpu.wait_for_job(20).await });
        while farm.app.waiters.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        farm.wait(Duration::seconds(61));
        let job = tokio::time::timeout(StdDuration::from_secs(10), waiting).await.expect("waited to the end");
        assert!(job.unwrap().is_some(), "the deferral swallowed the hint");
    }
}
