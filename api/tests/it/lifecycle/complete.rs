//! Completion, publishing, generations, deletion.

use std::collections::BTreeSet;

use chrono::Duration;
use framefarm_api::config::Cleanup;
use framefarm_api::lifecycle::{self, retranscode};
use framefarm_api::on_both_storages;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::{MediaFile, ObjectKey};
use framefarm_shared::state::{JobStatus, Step, VideoStatus, WorkerStatus};

async fn a_ready_video(farm: &Farm) -> (TestWorker, VideoId) {
    let upload = farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    (worker, upload.video.id)
}

async fn master(farm: &Farm, video: VideoId) -> Option<String> {
    let generation = farm.video(video).await.generation;
    let key = ObjectKey::Master { video, generation };
    farm.app.storage.get(&key).await.ok().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
}

/// How many hex digits the digests have in the names of a generation's files.
async fn digest_lengths(farm: &Farm, video: VideoId, generation: i32) -> BTreeSet<usize> {
    let stored =
        farm.app.storage.objects_below(&ObjectKey::generation_prefix(video, generation)).await.unwrap();
    let digests = stored.iter().filter_map(|object| MediaFile::parse(&object.name)?.digest());
    digests.map(|digest| digest.to_string().len()).collect()
}

async fn every_listed_file_is_there(farm: &Farm, video: VideoId, generation: i32) {
    for quality in ["720p", "480p", "360p", "audio0"] {
        let file = |name: &str| {
            let file = MediaFile::parse(&format!("{quality}/{name}")).expect("a name of ours");
            ObjectKey::Media { video, generation, file }
        };
        let playlist = farm.app.storage.get(&file("playlist.m3u8")).await.unwrap();
        let playlist = String::from_utf8(playlist.to_vec()).unwrap();
        let names: Vec<_> = playlist.lines().filter(|line| line.starts_with("seg_")).collect();
        assert_eq!(names.len(), 3);
        for name in names {
            assert!(farm.app.storage.head(&file(name)).await.is_ok(), "{quality}/{name}");
        }
    }
}

fn everything() -> retranscode::Request {
    retranscode::Request { retranscode_all: true, ..Default::default() }
}

on_both_storages! {
    async fn a_completed_job_makes_its_video_ready(farm: Farm) {
        let (worker, video) = a_ready_video(&farm).await;
        let row = farm.video(video).await;
        assert_eq!((row.status, row.generation, row.duration_us), (VideoStatus::Ready, 1, Some(18_000_000)));
        assert_eq!((row.error_message, row.ready_at), (None, Some(farm.now())));
        let job = framefarm_api::db::job::of_video(&farm.app.db, video).await.unwrap().remove(0);
        assert_eq!((job.status, job.current_step), (JobStatus::Completed, Some(Step::Finalize)));
        assert!((job.progress_percent - 100.0).abs() < f64::EPSILON);
        assert_eq!((job.finished_at, job.worker_id, job.claimed_at), (Some(farm.now()), None, None));
        let free = farm.worker_row(worker.id).await;
        assert_eq!((free.status, free.current_job_id), (WorkerStatus::Idle, None));
        let text = master(&farm, video).await.unwrap();
        for line in ["RESOLUTION=1280x720", "AUDIO=\"audio\"", "g1/360p/playlist.m3u8", "AVERAGE-BANDWIDTH="] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }

    async fn completion_asked_for_twice_answers_twice_and_happens_once(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        farm.wait(Duration::hours(2));
        let again = worker.complete(&job).await.unwrap();
        assert_eq!((again.status, again.generation), (JobStatus::Completed, 1));
        let events = framefarm_api::db::events::of_job(&farm.app.db, job.job_id).await.unwrap();
        assert_eq!(events.iter().filter(|event| event.kind.as_str() == "job_completed").count(), 1);
    }

    async fn an_incomplete_delivery_can_not_be_completed(farm: Farm) {
        let upload = farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let job = worker.claim().await;
        assert_eq!(worker.complete(&job).await.unwrap_err().code, "not_complete");
        worker.plan(&job, plan.clone()).await.unwrap();
        for quality in ["720p", "480p", "audio0"] {
            worker.deliver(&job, &plan, quality, 0..=2).await.unwrap();
        }
        worker.deliver(&job, &plan, "360p", 0..=1).await.unwrap();
        let error = worker.complete(&job).await.unwrap_err();
        assert_eq!(error.detail, "Still missing: 360p (2 of 3 segments).");
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Processing);
        worker.deliver(&job, &plan, "360p", 2..=2).await.unwrap();
        worker.complete(&job).await.unwrap();
    }

    async fn completion_after_expiry_and_reassignment_is_refused(farm: Farm) {
        let upload = farm.upload("clip").await;
        let (one, two, plan) = (farm.worker("w1").await, farm.worker("w2").await, a_plan());
        let late = one.claim().await;
        one.encode(&late, &plan).await;
        farm.wait(Duration::minutes(31));
        let error = one.complete(&late).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (409, "claim_expired"));
        farm.reap().await;
        farm.pass_redelivery();
        let job = two.claim().await;
        assert_eq!(one.complete(&late).await.unwrap_err().code, "fenced");
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Processing);
        two.complete(&job).await.unwrap();
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Ready);
    }

    async fn release_and_completion_at_once_have_exactly_one_winner(farm: Farm) {
        let plan = a_plan();
        for round in 0..12 {
            let upload = farm.upload(&format!("clip {round}")).await;
            let worker = farm.worker(&format!("w{round}")).await;
            let job = worker.claim().await;
            worker.encode(&job, &plan).await;
            let disable = {
                let app = farm.app.clone();
                let id = worker.id;
                tokio::spawn(async move { lifecycle::workers::disable(&app, id, "admin").await })
            };
            let completed = worker.complete(&job).await.is_ok();
            disable.await.unwrap().unwrap();
            let (row, video) = (farm.job(job.job_id).await, farm.video(upload.video.id).await);
            let expected = if completed {
                (JobStatus::Completed, VideoStatus::Ready)
            } else {
                (JobStatus::Pending, VideoStatus::Pending)
            };
            assert_eq!((row.status, video.status), expected);
            lifecycle::delete::delete(&farm.app, upload.video.id, "admin").await.unwrap();
        }
    }

    async fn delivering_the_same_part_twice_changes_nothing(farm: Farm) {
        farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let job = worker.claim().await;
        worker.plan(&job, plan.clone()).await.unwrap();
        let one = worker.deliver(&job, &plan, "360p", 0..=1).await.unwrap();
        let two = worker.deliver(&job, &plan, "360p", 0..=1).await.unwrap();
        assert_eq!((one.segments_completed, two.segments_completed), (2, 2));
    }

    async fn the_first_plan_stays(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.plan(&job, a_plan()).await.unwrap();
        let other = framefarm_api::testing::plan_of(12_000_000);
        assert_eq!(worker.plan(&job, other).await.unwrap().plan, a_plan());
    }

    async fn a_queued_retranscode_leaves_the_video_playable(farm: Farm) {
        let (worker, video) = a_ready_video(&farm).await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        assert_eq!(farm.video(video).await.status, VideoStatus::Ready);
        assert!(master(&farm, video).await.is_some());
        let twice = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap_err();
        assert_eq!(twice.code, "already_queued");

        let job = worker.claim().await;
        assert_eq!((job.generation, farm.video(video).await.status), (2, VideoStatus::Ready));
        assert!(master(&farm, video).await.is_some(), "it plays while it is encoded again");
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        assert_eq!(farm.video(video).await.generation, 2);
        let old = ObjectKey::generation_prefix(video, 1);
        farm.wait(Duration::hours(1) + Duration::seconds(17));
        farm.clean().await;
        assert!(farm.app.storage.count_below(&old).await > 0, "whoever watches it watches it to its end");
        farm.wait(Duration::seconds(1));
        farm.clean().await;
        assert_eq!(farm.app.storage.count_below(&old).await, 0, "the old generation is swept");
        assert!(master(&farm, video).await.unwrap().contains("g2/"));
    }

    async fn a_failed_retranscode_leaves_the_old_generation_playing(farm: Farm) {
        let (worker, video) = a_ready_video(&farm).await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::InputInvalid, "source damaged").await.unwrap();
        let row = farm.video(video).await;
        assert_eq!((row.status, row.generation), (VideoStatus::Ready, 1));
    }

    async fn a_lost_retranscode_can_be_claimed_again(farm: Farm) {
        let (worker, video) = a_ready_video(&farm).await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        worker.claim().await;
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        farm.pass_redelivery();
        worker.beat(&[]).await.unwrap();
        assert_eq!(worker.claim().await.video_id, video);
    }

    async fn a_generation_begun_by_an_earlier_version_goes_on_under_its_names(farm: Farm) {
        let video = farm.upload("clip").await.video.id;
        farm.sql("UPDATE generation SET short_names = true").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        assert_eq!(digest_lengths(&farm, video, 1).await, BTreeSet::from([16]));

        let request = retranscode::Request { qualities: vec!["360p".to_owned()], ..Default::default() };
        retranscode::retranscode(&farm.app, video, request, "admin").await.unwrap();
        let job = worker.claim().await;
        worker.deliver(&job, &a_plan(), "360p", 0..=2).await.unwrap();
        worker.complete(&job).await.unwrap();
        assert_eq!(digest_lengths(&farm, video, 2).await, BTreeSet::from([64]));
        let whole = farm.app.storage.count_below(&ObjectKey::video_prefix(video)).await;
        farm.wait(Duration::minutes(59));
        farm.clean().await;
        assert_eq!(farm.app.storage.count_below(&ObjectKey::video_prefix(video)).await, whole);
        for generation in [1, 2] {
            every_listed_file_is_there(&farm, video, generation).await;
        }
    }

    async fn one_quality_is_encoded_again_and_the_others_come_along(farm: Farm) {
        let (worker, video) = a_ready_video(&farm).await;
        let request = retranscode::Request { qualities: vec!["360p".to_owned()], ..Default::default() };
        retranscode::retranscode(&farm.app, video, request, "admin").await.unwrap();
        let job = worker.claim().await;
        let open: Vec<_> = job.qualities.iter()
            .filter(|q| q.status == framefarm_shared::state::QualityStatus::Pending)
            .map(|q| q.quality.name.as_str()).collect();
        assert_eq!(open, ["360p"]);
        worker.deliver(&job, &a_plan(), "360p", 0..=2).await.unwrap();
        worker.complete(&job).await.unwrap();
        farm.wait(Duration::hours(2));
        farm.clean().await;
        for quality in ["720p", "480p", "360p", "audio0"] {
            let prefix = ObjectKey::quality_prefix(video, 2, quality);
            assert_eq!(farm.app.storage.count_below(&prefix).await, 5, "{quality}: init, playlist, three segments");
        }
    }

    async fn a_retranscode_names_only_qualities_the_video_has(farm: Farm) {
        let (_, video) = a_ready_video(&farm).await;
        for name in ["2160p", "../../etc", ""] {
            let request = retranscode::Request { qualities: vec![name.to_owned()], ..Default::default() };
            let error = retranscode::retranscode(&farm.app, video, request, "admin").await.unwrap_err();
            assert_eq!(error.code, "unknown_quality", "{name}");
        }
        let neither = retranscode::retranscode(&farm.app, video, retranscode::Request::default(), "admin").await.unwrap_err();
        assert_eq!(neither.code, "bad_retranscode");
    }

    async fn cleanup_on_claim_frees_the_disk_first(farm: Farm) {
        let farm = farm.restarted(|settings| settings.retranscode_cleanup = Cleanup::OnClaim).await;
        let (worker, video) = a_ready_video(&farm).await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        assert_eq!(farm.video(video).await.generation, 1, "never claimed, nothing removed");
        let job = worker.claim().await;
        let row = farm.video(video).await;
        assert_eq!((row.status, row.generation), (VideoStatus::Processing, 0));
        worker.release(&job).await.unwrap();
        assert_eq!(farm.video(video).await.status, VideoStatus::Pending);
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        assert_eq!(farm.video(video).await.generation, 2);
    }

    async fn a_deleted_video_is_swept_with_all_its_files(farm: Farm) {
        let (_, video) = a_ready_video(&farm).await;
        lifecycle::delete::delete(&farm.app, video, "admin").await.unwrap();
        farm.clean().await;
        assert!(farm.app.storage.count_below("videos").await > 0, "it can be restored for a day");
        lifecycle::delete::restore(&farm.app, video, "admin").await.unwrap();
        assert_eq!(farm.video(video).await.status, VideoStatus::Ready);
        lifecycle::delete::delete(&farm.app, video, "admin").await.unwrap();
        farm.wait(Duration::hours(25));
        farm.clean().await;
        farm.wait(Duration::minutes(11));
        farm.clean().await;
        assert_eq!(farm.app.storage.count_below("videos").await, 0);
        assert!(framefarm_api::db::videos::get(&farm.app.db, video).await.unwrap().is_none());
    }

    async fn a_retry_after_the_leftovers_were_swept_starts_a_new_generation(farm: Farm) {
        let upload = farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let job = worker.claim().await;
        worker.plan(&job, plan.clone()).await.unwrap();
        worker.deliver(&job, &plan, "360p", 0..=2).await.unwrap();
        worker.fail(&job, ErrorClass::InputInvalid, "damaged").await.unwrap();
        farm.wait(Duration::hours(25));
        farm.clean().await;
        lifecycle::retry::retry_video(&farm.app, upload.video.id, "admin").await.unwrap();
        worker.beat(&[]).await.unwrap();
        let again = worker.claim().await;
        assert_eq!((again.generation, again.plan.is_none()), (2, true));
        worker.encode(&again, &plan).await;
        farm.wait(Duration::minutes(11));
        farm.clean().await;
        worker.complete(&again).await.unwrap();
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Ready);
    }

    async fn the_history_is_forgotten_after_thirty_days_but_counted(farm: Farm) {
        let (_, video) = a_ready_video(&farm).await;
        farm.wait(Duration::days(30) - Duration::seconds(1));
        farm.clean().await;
        assert_eq!(framefarm_api::db::job::of_video(&farm.app.db, video).await.unwrap().len(), 1);
        farm.wait(Duration::seconds(1));
        farm.clean().await;
        assert!(framefarm_api::db::job::of_video(&farm.app.db, video).await.unwrap().is_empty());
        let totals = framefarm_api::db::job::lists::removed_totals(&farm.app.db).await.unwrap();
        assert_eq!((totals.len(), totals[0].count), (1, 1));
        assert_eq!(farm.video(video).await.status, VideoStatus::Ready, "what plays stays");
    }
}
