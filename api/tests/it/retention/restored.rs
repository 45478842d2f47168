//! Nothing that the farm that was has handed out is handed out again.

use chrono::Duration;
use framefarm_api::db::uploads::{self, UploadRequest};
use framefarm_api::db::{events, key_value, workers};
use framefarm_api::lifecycle::restored::settle;
use framefarm_api::on_both_engines;
use framefarm_api::testing::a_plan;
use framefarm_shared::id::UploadId;
use framefarm_shared::state::{JobStatus, VideoStatus, WorkerStatus};
use framefarm_shared::wire::event::EventKind;

on_both_engines! {
    async fn a_worker_of_the_farm_that_was_can_finish_nothing(farm: Farm) {
        let (held, waiting) = (farm.upload("held at the backup").await, farm.upload("claimed after it").await);
        let worker = farm.worker("w1").await;
        let held_before = worker.claim().await;
        worker.encode(&held_before, &a_plan()).await;
        // Here the backup is made. What comes now is forgotten by the farm, and not by the worker.
        let after_backup = framefarm_shared::wire::worker_api::ClaimedJob {
            job_id: waiting.job.id,
            video_id: waiting.video.id,
            fence: held_before.fence,
            ..held_before.clone()
        };
        let settled = settle(&farm.app, Some(farm.now())).await.unwrap();
        assert_eq!(settled.jobs_released, 1);
        let row = farm.job(held.job.id).await;
        assert_eq!((row.status, row.attempt_number, row.worker_id), (JobStatus::Pending, 0, None));
        assert_eq!(farm.video(held.video.id).await.status, VideoStatus::Pending);
        assert_eq!(workers::get(&farm.app.db, worker.id).await.unwrap().unwrap().status, WorkerStatus::Idle);

        let refused = worker.complete(&held_before).await.unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.code), (409, "fenced"));
        farm.pass_redelivery();
        framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
        for _ in 0..2 {
            let again = worker.claim().await;
            assert!(again.fence > framefarm_api::testing::the_beginning().timestamp_millis(), "{}", again.fence);
        }
        // The same worker holds both jobs again: only the fence tells its two lives apart.
        for old in [&held_before, &after_backup] {
            let row = farm.job(old.job_id).await;
            assert_eq!((row.status, row.worker_id), (JobStatus::Running, Some(worker.id)));
            let refused = worker.complete(old).await.unwrap_err();
            assert_eq!((refused.status.as_u16(), refused.code), (409, "fenced"));
            assert!(worker.deliver(old, &a_plan(), "360p", 0..=2).await.is_err());
            assert!(worker.progress(old, 50.0).await.is_err());
        }
    }

    async fn the_same_backup_restored_twice_hands_out_other_fences(farm: Farm) {
        let upload = farm.upload("clip").await;
        let mut fences = Vec::new();
        for _ in 0..2 {
            farm.sql("UPDATE job SET fence = 0").await;
            farm.wait(Duration::minutes(1));
            settle(&farm.app, None).await.unwrap();
            fences.push(farm.job(upload.job.id).await.fence);
        }
        assert!(fences[1] - fences[0] >= 60_000, "{fences:?}");
    }

    async fn numbers_of_events_go_on_above_all_that_were_told(farm: Farm) {
        farm.upload("clip").await;
        let (_, before) = events::range(&farm.app.db).await.unwrap().unwrap();
        settle(&farm.app, Some(farm.now())).await.unwrap();
        let told = farm.events().await;
        let last = told.last().unwrap();
        assert_eq!((last.kind, last.actor.as_str()), (EventKind::FarmRestored, "farm"));
        assert!(last.reason.as_ref().unwrap().contains("2026-09-21T"), "{:?}", last.reason);
        assert!(last.id > before + 1_000_000);
    }

    async fn uploads_that_were_not_whole_begin_again_and_logins_stay(farm: Farm) {
        let mut tx = farm.app.db.begin().await.unwrap();
        let id = UploadId::new(&farm.clock);
        let request = UploadRequest::default();
        uploads::insert(&mut tx, id, 10, "", &request, farm.now(), farm.now() + Duration::days(1)).await.unwrap();
        key_value::set(&mut tx, key_value::ADMIN_PASSWORD, "hash").await.unwrap();
        key_value::set(&mut tx, key_value::BACKUP_UNTIL, "1").await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(settle(&farm.app, None).await.unwrap().uploads_dropped, 1);
        assert!(uploads::get(&farm.app.db, id).await.unwrap().is_none());
        let fact = async |name| key_value::get(&farm.app.db, name).await.unwrap();
        assert_eq!(fact(key_value::ADMIN_PASSWORD).await.as_deref(), Some("hash"));
        assert_eq!(fact(key_value::BACKUP_UNTIL).await.as_deref(), Some("0"));
    }
}
