//! Leases and fences: who may touch a running job, and until when.

use chrono::Duration;
use framefarm_api::db::job;
use framefarm_api::lifecycle;
use framefarm_api::on_both_engines;
use framefarm_api::testing::a_plan;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::state::{AttemptOutcome, JobState, JobStatus};
use framefarm_shared::wire::worker_api::RefusalCode;

on_both_engines! {
    async fn progress_and_heartbeats_renew_the_lease(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        for _ in 0..5 {
            farm.wait(Duration::minutes(20));
            let reply = worker.beat(&[&job]).await.unwrap();
            assert_eq!((reply.renewed.len(), reply.lost.len()), (1, 0));
            assert_eq!(farm.job(job.job_id).await.claim_expires_at, Some(farm.now() + Duration::minutes(30)));
            farm.wait(Duration::minutes(9));
            worker.progress(&job, 1.0).await.unwrap();
            assert_eq!(farm.job(job.job_id).await.claim_expires_at, Some(farm.now() + Duration::minutes(30)));
        }
    }

    async fn a_claim_that_ends_now_can_not_be_renewed(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(30));
        assert_eq!(farm.job(job.job_id).await.state(farm.now()), JobState::Expired);
        let reply = worker.beat(&[&job]).await.unwrap();
        assert!(reply.renewed.is_empty());
        assert_eq!(reply.lost[0].code, RefusalCode::ClaimExpired);
        assert_eq!(worker.progress(&job, 5.0).await.unwrap_err().code, "claim_expired");
    }

    async fn a_late_heartbeat_meets_the_reaper_and_exactly_one_wins(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(30) - Duration::microseconds(1));
        worker.progress(&job, 1.0).await.unwrap();
        farm.wait(Duration::minutes(6));
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running, "renewed in time, so nobody may take it");
        farm.wait(Duration::minutes(30));
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending);
        assert_eq!(worker.beat(&[&job]).await.unwrap().lost[0].code, RefusalCode::ClaimLost);
    }

    async fn the_holder_of_an_expired_claim_may_claim_it_again_and_keeps_its_segments(farm: Farm) {
        farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let job = worker.claim().await;
        worker.plan(&job, plan.clone()).await.unwrap();
        worker.deliver(&job, &plan, "360p", 0..=1).await.unwrap();
        farm.wait(Duration::minutes(31));
        assert_eq!(worker.progress(&job, 50.0).await.unwrap_err().code, "claim_expired");
        let again = worker.claim_this(job.job_id).await.unwrap();
        assert_eq!(again.fence, job.fence + 1);
        let quality = again.qualities.iter().find(|q| q.quality.name == "360p").unwrap();
        assert_eq!((quality.have[0].first, quality.have[0].last), (0, 1));
        assert_eq!(worker.progress(&job, 50.0).await.unwrap_err().code, "fenced");
        assert_eq!(farm.job(job.job_id).await.lost_count, 0);
    }

    async fn the_attempt_whose_claim_expired_is_over_when_its_holder_claims_again(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(31));
        let again = worker.claim_this(job.job_id).await.unwrap();
        let rows = job::attempts::of_job(&farm.app.db, job.job_id).await.unwrap();
        let ends: Vec<_> = rows.iter().map(|row| (row.fence, row.outcome, row.ended_at)).collect();
        assert_eq!(ends, [(job.fence, Some(AttemptOutcome::Lost), Some(farm.now())), (again.fence, None, None)]);
    }

    async fn nobody_else_may_take_an_expired_claim_by_its_id(farm: Farm) {
        farm.upload("clip").await;
        let (one, two) = (farm.worker("w1").await, farm.worker("w2").await);
        let job = one.claim().await;
        farm.wait(Duration::minutes(31));
        one.beat(&[]).await.unwrap();
        assert!(two.claim_this(job.job_id).await.is_none());
        assert!(two.try_claim().await.is_none(), "a claim call releases nothing by itself");
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running);
    }

    async fn a_worker_that_wakes_up_after_a_takeover_can_change_nothing(farm: Farm) {
        let upload = farm.upload("clip").await;
        let (old, new, plan) = (farm.worker("old").await, farm.worker("new").await, a_plan());
        let stale = old.claim().await;
        old.plan(&stale, plan.clone()).await.unwrap();
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        farm.pass_redelivery();
        let fresh = new.claim().await;
        let before = format!("{:?}", farm.job(fresh.job_id).await);

        assert_eq!(old.progress(&stale, 99.0).await.unwrap_err().code, "fenced");
        assert_eq!(old.deliver(&stale, &plan, "360p", 0..=2).await.unwrap_err().code, "fenced");
        assert_eq!(old.complete(&stale).await.unwrap_err().code, "fenced");
        assert_eq!(old.release(&stale).await.unwrap_err().code, "fenced");
        assert_eq!(old.plan(&stale, plan.clone()).await.unwrap_err().code, "fenced");
        assert_eq!(old.fail(&stale, ErrorClass::InputInvalid, "too late").await.unwrap_err().code, "fenced");
        let reply = old.beat(&[&stale]).await.unwrap();
        assert_eq!(reply.lost[0].code, RefusalCode::Fenced);

        assert_eq!(format!("{:?}", farm.job(fresh.job_id).await), before);
        let stored = farm.app.storage.count_below(&format!("videos/{}", upload.video.id)).await;
        assert_eq!(stored, 0, "a late delivery must leave no file");
        new.progress(&fresh, 1.0).await.unwrap();
    }

    async fn an_older_fence_of_the_holder_itself_is_refused(farm: Farm) {
        farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let old = worker.claim().await;
        worker.release(&old).await.unwrap();
        let new = worker.claim().await;
        worker.encode(&new, &plan).await;
        assert_eq!(worker.fail(&old, ErrorClass::InputInvalid, "late").await.unwrap_err().code, "fenced");
        assert_eq!(worker.release(&old).await.unwrap_err().code, "fenced");
        assert_eq!(worker.complete(&old).await.unwrap_err().code, "fenced");
        assert_eq!(worker.progress(&old, 99.0).await.unwrap_err().code, "fenced");
        assert_eq!(worker.beat(&[&old]).await.unwrap().lost[0].code, RefusalCode::Fenced);
        worker.complete(&new).await.unwrap();
    }

    async fn a_part_verified_before_the_loss_does_not_count_after_it(farm: Farm) {
        use framefarm_api::lifecycle::deliver::{self, Delivery};
        farm.upload("clip").await;
        let (old, new, plan) = (farm.worker("old").await, farm.worker("new").await, a_plan());
        let stale = old.claim().await;
        old.plan(&stale, plan.clone()).await.unwrap();
        let quality = "360p".to_owned();
        let delivery = Delivery { worker: old.id, job: stale.job_id, fence: stale.fence, quality, first_segment: 0 };
        let expected = deliver::expect(&farm.app, &delivery).await.unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let archive = scratch.path().join("part");
        std::fs::write(&archive, framefarm_api::testing::media::part("360p", 0, &plan.boundaries_us).build()).unwrap();
        let unpacked = tempfile::tempdir_in(farm.app.scratch()).unwrap();
        let verified = deliver::verify(&farm.app, archive, unpacked.path(), &expected).await.unwrap();

        farm.wait(Duration::minutes(31));
        farm.reap().await;
        farm.pass_redelivery();
        let fresh = new.claim().await;
        let refused = deliver::accept(&farm.app, &delivery, &expected, &verified).await.unwrap_err();
        assert_eq!(refused.code, "fenced");
        let key = framefarm_api::db::qualities::GenerationKey { video: fresh.video_id, number: 1 };
        assert!(framefarm_api::db::segments::of_quality(&farm.app.db, key, "360p").await.unwrap().is_empty());
        new.deliver(&fresh, &plan, "360p", 0..=2).await.unwrap();
    }

    async fn a_late_failure_report_is_refused_but_kept_for_diagnosis(farm: Farm) {
        farm.upload("clip").await;
        let (old, new) = (farm.worker("old").await, farm.worker("new").await);
        let stale = old.claim().await;
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        farm.pass_redelivery();
        new.claim().await;
        old.fail(&stale, ErrorClass::Storage, "disk gone").await.unwrap_err();
        let events = framefarm_api::db::events::of_job(&farm.app.db, stale.job_id).await.unwrap();
        let last = events.last().unwrap();
        assert_eq!(last.kind.as_str(), "late_report");
        assert!(last.reason.as_ref().unwrap().contains("disk gone"));
    }

    async fn a_worker_that_never_held_the_job_gets_403(farm: Farm) {
        farm.upload("clip").await;
        let (holder, stranger) = (farm.worker("w1").await, farm.worker("w2").await);
        let job = holder.claim().await;
        let error = stranger.progress(&job, 5.0).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (403, "not_yours"));
    }

    async fn a_cancelled_job_is_lost_to_its_worker(farm: Farm) {
        let upload = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        lifecycle::cancel::cancel_video(&farm.app, upload.video.id, "admin").await.unwrap();
        assert_eq!(worker.progress(&job, 5.0).await.unwrap_err().code, "claim_lost");
        assert_eq!(worker.beat(&[&job]).await.unwrap().lost[0].code, RefusalCode::ClaimLost);
        assert!(worker.try_claim().await.is_none());
    }

    async fn one_lost_job_does_not_touch_the_others_of_its_worker(farm: Farm) {
        let first = farm.upload("a").await;
        farm.upload("b").await;
        let worker = farm.worker("w1").await;
        let (a, b) = (worker.claim().await, worker.claim().await);
        lifecycle::cancel::cancel_video(&farm.app, first.video.id, "admin").await.unwrap();
        let reply = worker.beat(&[&a, &b]).await.unwrap();
        assert_eq!((reply.renewed[0].job_id, reply.lost[0].job_id), (b.job_id, a.job_id));
        assert_eq!(farm.worker_row(worker.id).await.current_job_id, Some(b.job_id));
    }

    async fn percents_out_of_range_are_refused(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        for percent in [-1.0, 101.0, f64::NAN] {
            assert_eq!(worker.progress(&job, percent).await.unwrap_err().code, "bad_percent");
        }
    }

    async fn progress_never_goes_back_within_an_attempt(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.progress(&job, 60.0).await.unwrap();
        worker.progress(&job, 20.0).await.unwrap();
        assert!((farm.job(job.job_id).await.progress_percent - 60.0).abs() < f64::EPSILON);
    }
}
