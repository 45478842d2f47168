//! Originals, jobs and generations whose time is over.

use chrono::Duration;
use framefarm_api::db::collections::{self, Rules};
use framefarm_api::db::{generations, job, sources, videos};
use framefarm_api::lifecycle::{cancel, play, retranscode, retry};
use framefarm_api::testing::Farm;
use framefarm_api::{on_both_engines, responses};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{CollectionId, VideoId};
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::retention::SourceRetention;
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;

use super::{a_ready_video, everything, store_source};

const INSTANT: Duration = Duration::microseconds(1);

async fn with_retention(farm: Farm, rule: SourceRetention) -> Farm {
    farm.restarted(|settings| settings.retention.source_retention = rule).await
}

async fn has_source(farm: &Farm, video: VideoId) -> bool {
    let row = farm.video(video).await;
    assert_eq!(
        responses::videos::get(&farm.app, video).await.unwrap().video.source_deleted_at,
        row.source_deleted_at
    );
    row.source_deleted_at.is_none()
}

async fn in_collection(farm: &Farm, name: &str, rules: Rules, video: VideoId) {
    let mut tx = farm.app.db.begin().await.unwrap();
    let id = CollectionId::new(&farm.clock);
    let row = collections::insert_if_free(&mut tx, id, name, &rules, farm.now()).await.unwrap().unwrap();
    videos::set_collection(&mut tx, video, Some(row.id)).await.unwrap();
    tx.commit().await.unwrap();
}

on_both_engines! {
    async fn without_a_rule_originals_are_kept(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "clip").await;
        farm.wait(Duration::days(1_000));
        farm.clean().await;
        assert!(has_source(&farm, video).await);
    }

    async fn an_original_goes_when_its_days_are_over_and_the_video_plays_on(farm: Farm) {
        let farm = with_retention(farm, SourceRetention::Days(7)).await;
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "clip").await;
        farm.wait(Duration::days(7) - INSTANT);
        farm.clean().await;
        assert!(has_source(&farm, video).await, "too early");
        assert!(play::source(&farm.app, video).await.is_ok());
        farm.wait(INSTANT);
        farm.clean().await;
        assert!(!has_source(&farm, video).await);
        assert_eq!(farm.app.storage.count_below(&ObjectKey::source_prefix(video)).await, 1, "for some minutes more");
        farm.wait(Duration::minutes(11));
        farm.clean().await;
        assert_eq!(farm.app.storage.count_below(&ObjectKey::source_prefix(video)).await, 0);
        let row = farm.video(video).await;
        assert_eq!((row.status, row.generation), (VideoStatus::Ready, 1));
        assert!(play::master(&farm.app, &row.slug).await.is_ok());

        let gone = play::source(&farm.app, video).await.map(drop).unwrap_err();
        assert_eq!((gone.status.as_u16(), gone.code), (410, "source_gone"));
        let gone = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap_err();
        assert_eq!((gone.status.as_u16(), gone.code), (409, "source_gone"));
        let told = farm.events().await;
        assert_eq!(told.iter().filter(|event| event.kind == EventKind::SourceDeleted).count(), 1);
    }

    async fn each_collection_may_have_rules_of_its_own(farm: Farm) {
        let farm = with_retention(farm, SourceRetention::Days(3)).await;
        let worker = farm.worker("w1").await;
        let mut all = Vec::new();
        for (name, rule) in [("at once", Some("delete_after_ready")), ("kept", Some("keep")), ("five", Some("5")), ("farm", None), ("odd", Some("no rule"))] {
            let video = a_ready_video(&farm, &worker, name).await;
            let rules = Rules { source_retention: rule.map(ToOwned::to_owned), ..Rules::default() };
            in_collection(&farm, name, rules, video).await;
            all.push(video);
        }
        let mut kept = Vec::new();
        for days in [0, 3, 2] {
            farm.wait(Duration::days(days));
            farm.clean().await;
            let mut now = Vec::new();
            for video in &all {
                now.push(has_source(&farm, *video).await);
            }
            kept.push(now);
        }
        assert_eq!(kept[0], [false, true, true, true, true], "at once");
        assert_eq!(kept[1], [false, true, true, false, true], "after three days");
        assert_eq!(kept[2], [false, true, false, false, true], "after five days; a rule that cannot be read keeps");
    }

    async fn an_original_stays_while_something_is_to_be_done_with_it(farm: Farm) {
        let farm = with_retention(farm, SourceRetention::DeleteAfterReady).await;
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "clip").await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        farm.clean().await;
        assert!(has_source(&farm, video).await, "a re-transcode waits");
        let job = worker.claim().await;
        farm.clean().await;
        assert!(has_source(&farm, video).await, "it runs");
        worker.fail(&job, ErrorClass::Transfer, "cut off").await.unwrap();
        farm.clean().await;
        assert!(has_source(&farm, video).await, "it waits to be tried again");
        cancel::cancel_video(&farm.app, video, "admin").await.unwrap();
        farm.clean().await;
        assert!(!has_source(&farm, video).await);
        let gone = retry::retry_video(&farm.app, video, "admin").await.unwrap_err();
        assert_eq!((gone.status.as_u16(), gone.code), (409, "source_gone"));
        assert!(!retry::requeue(&farm.app, job.job_id, "admin").await.unwrap());
    }

    async fn a_failed_video_keeps_its_original(farm: Farm) {
        let farm = with_retention(farm, SourceRetention::DeleteAfterReady).await;
        let (upload, worker) = (farm.upload("clip").await, farm.worker("w1").await);
        store_source(&farm, upload.video.id).await;
        worker.fail(&worker.claim().await, ErrorClass::InputInvalid, "damaged").await.unwrap();
        farm.wait(Duration::days(300));
        farm.clean().await;
        assert!(has_source(&farm, upload.video.id).await);
        assert!(job::of_video(&farm.app.db, upload.video.id).await.unwrap().is_empty(), "its job is forgotten");
        let again = retry::retry_video(&farm.app, upload.video.id, "admin").await.unwrap();
        assert_eq!((again.status, farm.video(upload.video.id).await.status), (JobStatus::Pending, VideoStatus::Pending));
    }

    async fn a_re_transcode_in_the_moment_of_deletion_has_its_original_or_is_refused(farm: Farm) {
        let farm = with_retention(farm, SourceRetention::DeleteAfterReady).await;
        let worker = farm.worker("w1").await;
        for round in 0..20 {
            let video = a_ready_video(&farm, &worker, &format!("clip {round}")).await;
            let app = farm.app.clone();
            let asking = tokio::spawn(async move {
                for _ in 0..round * 10 {
                    tokio::task::yield_now().await;
                }
                retranscode::retranscode(&app, video, everything(), "admin").await
            });
            farm.clean().await;
            let kept = has_source(&farm, video).await;
            match asking.await.unwrap() {
                Ok(job) => {
                    // Asked after the look of the clean-up, and before another one.
                    assert!(has_source(&farm, video).await && kept, "round {round}: job {}", job.number);
                    cancel::cancel_video(&farm.app, video, "admin").await.unwrap();
                }
                Err(error) => assert_eq!((error.code, kept), ("source_gone", false), "round {round}"),
            }
            farm.clean().await;
            assert!(!has_source(&farm, video).await);
        }
    }

    async fn a_job_that_is_being_added_or_retried_keeps_the_original(farm: Farm) {
        let worker = farm.worker("w1").await;
        for retried in [false, true] {
            let video = a_ready_video(&farm, &worker, &format!("clip {retried}")).await;
            let job = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
            cancel::cancel_video(&farm.app, video, "admin").await.unwrap();
            let mut tx = farm.app.db.begin().await.unwrap();
            if retried {
                job::retry_if_ended(&mut tx, job.id, farm.now()).await.unwrap().unwrap();
                assert!(sources::hold_if_kept(&mut tx, video).await.unwrap());
            } else {
                let new = job::NewJob {
                    id: framefarm_shared::id::JobId::new(&farm.clock),
                    video_id: video,
                    collection_id: None,
                    queue_type: framefarm_shared::queue::QueueType::Preview,
                    identity: job.identity.clone(),
                    priority: 0,
                    generation: 1,
                    retranscode: None,
                    max_attempts: 3,
                    max_lost: 3,
                };
                job::insert_unless_live(&mut tx, new, farm.now()).await.unwrap().unwrap();
            }
            let (app, now) = (farm.app.clone(), farm.now());
            let mut giving_up = tokio::spawn(async move {
                let mut tx = app.db.begin().await.unwrap();
                let given = sources::give_up_if_unneeded(&mut tx, video, now, now).await.unwrap();
                tx.commit().await.unwrap();
                given
            });
            let early = tokio::time::timeout(std::time::Duration::from_millis(200), &mut giving_up).await;
            assert!(early.is_err(), "it did not wait for the other transaction: {early:?}");
            tx.commit().await.unwrap();
            assert!(!giving_up.await.unwrap(), "retried: {retried}");
            assert!(has_source(&farm, video).await);
        }
    }

    async fn a_forced_upload_of_a_video_without_its_original_is_a_new_video(farm: Farm) {
        let farm = with_retention(farm, SourceRetention::DeleteAfterReady).await;
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "clip").await;
        farm.clean().await;
        let again = farm.upload_with("clip", |request| request.force = true).await;
        assert!(again.source_kept && again.video.id != video);
    }

    async fn completed_jobs_go_by_the_rule_of_their_collection(farm: Farm) {
        let worker = farm.worker("w1").await;
        let mut all = Vec::new();
        for (name, days) in [("week", Some(7)), ("farm", None), ("never kept", Some(0))] {
            let rules = Rules { completed_retention_days: days, ..Rules::default() };
            let mut tx = farm.app.db.begin().await.unwrap();
            let id = CollectionId::new(&farm.clock);
            collections::insert_if_free(&mut tx, id, name, &rules, farm.now()).await.unwrap().unwrap();
            tx.commit().await.unwrap();
            let upload = farm.upload_with(name, |request| request.collection = Some(name.to_owned())).await;
            let job = worker.claim().await;
            worker.encode(&job, &framefarm_api::testing::a_plan()).await;
            worker.complete(&job).await.unwrap();
            all.push(upload.job.id);
        }
        let mut kept = Vec::new();
        for wait in [Duration::zero(), Duration::days(7) - INSTANT, INSTANT, Duration::days(23) - INSTANT, INSTANT] {
            farm.wait(wait);
            farm.clean().await;
            let mut now = Vec::new();
            for job in &all {
                now.push(job::get(&farm.app.db, *job).await.unwrap().is_some());
            }
            kept.push(now);
        }
        assert_eq!(kept[0], [true, true, false]);
        assert_eq!(kept[1], [true, true, false]);
        assert_eq!(kept[2], [false, true, false]);
        assert_eq!(kept[3], [false, true, false]);
        assert_eq!(kept[4], [false, false, false]);
        let totals = job::lists::removed_totals(&farm.app.db).await.unwrap();
        assert_eq!(totals.iter().map(|total| total.count).sum::<i64>(), 3);
    }

    async fn failed_and_cancelled_jobs_are_forgotten_after_ninety_days_but_counted(farm: Farm) {
        let worker = farm.worker("w1").await;
        let failed = farm.upload("failed").await;
        worker.fail(&worker.claim().await, ErrorClass::InputInvalid, "damaged").await.unwrap();
        let cancelled = farm.upload("cancelled").await;
        cancel::cancel_video(&farm.app, cancelled.video.id, "admin").await.unwrap();
        farm.wait(Duration::days(90) - INSTANT);
        farm.clean().await;
        assert_eq!(farm.job(failed.job.id).await.status, JobStatus::Failed);
        farm.wait(INSTANT);
        farm.clean().await;
        for job in [failed.job.id, cancelled.job.id] {
            assert!(job::get(&farm.app.db, job).await.unwrap().is_none());
        }
        let totals = job::lists::removed_totals(&farm.app.db).await.unwrap();
        assert_eq!(totals.len(), 2);
        assert_eq!(farm.video(failed.video.id).await.status, VideoStatus::Failed);
    }

    async fn output_of_a_job_that_was_cleared_is_swept_as_well(farm: Farm) {
        let (upload, worker, plan) = (farm.upload("clip").await, farm.worker("w1").await, framefarm_api::testing::a_plan());
        let job = worker.claim().await;
        worker.plan(&job, plan.clone()).await.unwrap();
        worker.deliver(&job, &plan, "360p", 0..=2).await.unwrap();
        worker.fail(&job, ErrorClass::InputInvalid, "damaged").await.unwrap();
        farm.sql("DELETE FROM job").await;
        farm.wait(Duration::hours(25));
        farm.clean().await;
        farm.wait(Duration::minutes(11));
        farm.clean().await;
        assert!(generations::of_video(&farm.app.db, upload.video.id).await.unwrap().is_empty());
        assert_eq!(farm.app.storage.count_below("videos").await, 0);
    }

    async fn an_old_generation_goes_with_its_master(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "clip").await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        let job = worker.claim().await;
        worker.encode(&job, &framefarm_api::testing::a_plan()).await;
        worker.complete(&job).await.unwrap();
        let old = ObjectKey::Master { video, generation: 1 };
        farm.wait(Duration::minutes(59));
        farm.clean().await;
        assert!(farm.app.storage.head(&old).await.is_ok(), "somebody may be watching it");
        farm.wait(Duration::minutes(11));
        farm.clean().await;
        assert!(farm.app.storage.head(&old).await.is_err());
        assert!(farm.app.storage.head(&ObjectKey::Master { video, generation: 2 }).await.is_ok());
    }
}
