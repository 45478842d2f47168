//! What is counted, and when.

use chrono::Duration;
use framefarm_api::lifecycle::workers;
use framefarm_shared::failure::ErrorClass;

use super::Scrape;

async fn counted(farm: &framefarm_api::testing::Farm) -> Scrape {
    Scrape::parse(&farm.app.metrics.text(&farm.app).await.unwrap())
}

fn recovered(scrape: &Scrape, reason: &str) -> i64 {
    scrape.value(&format!("framefarm_stale_jobs_recovered_total{{reason=\"{reason}\"}}"))
}

framefarm_api::on_both_engines! {
    async fn what_is_rolled_back_is_not_counted(farm: Farm) {
        let job = farm.upload("a.mp4").await.job;
        let enqueued = "framefarm_jobs_enqueued_total{queue_type=\"transcode\",reason=\"requeued\"}";
        let cancelled = "framefarm_jobs_finished_total{queue_type=\"transcode\",status=\"cancelled\"}";
        let mut tx = farm.app.db.begin().await.unwrap();
        framefarm_api::db::job::cancel_if_pending(&mut tx, job.id, farm.now()).await.unwrap().unwrap();
        framefarm_api::db::job::retry_if_ended(&mut tx, job.id, farm.now()).await.unwrap().unwrap();
        tx.rollback().await.unwrap();
        let found = counted(&farm).await;
        assert_eq!((found.value(enqueued), found.value(cancelled)), (0, 0));
    }

    async fn jobs_taken_back_are_counted_by_the_evidence(farm: Farm) {
        let reasons = ["claim_expired", "worker_restarted", "worker_disabled", "key_revoked", "worker_removed", "no_progress"];
        let mut seen = Vec::new();
        for reason in reasons {
            farm.upload(reason).await;
            let worker = farm.worker(reason).await;
            let job = worker.claim().await;
            match reason {
                "claim_expired" => {
                    farm.wait(Duration::minutes(31));
                    farm.reap().await;
                }
                "worker_restarted" => drop(worker.restarted().beat(&[]).await.unwrap()),
                "worker_disabled" => workers::disable(&farm.app, worker.id, "admin").await.unwrap(),
                "key_revoked" => workers::revoke_key(&farm.app, worker.id, "admin").await.unwrap(),
                "worker_removed" => workers::delete(&farm.app, worker.id, "admin").await.unwrap(),
                _ => {
                    for _ in 0..31 {
                        farm.wait(Duration::minutes(1));
                        worker.beat(&[&job]).await.unwrap();
                    }
                    farm.reap().await;
                }
            }
            // Out of the way of the next one.
            framefarm_api::lifecycle::cancel::cancel_job(&farm.app, job.job_id, "test").await.unwrap();
            let found = counted(&farm).await;
            seen.push(reason);
            for other in reasons {
                let expected = i64::from(seen.contains(&other));
                assert_eq!(recovered(&found, other), expected, "{other} after {reason}");
            }
        }
    }

    async fn the_last_try_is_told_from_the_others(farm: Farm) {
        farm.upload("a.mp4").await;
        let worker = farm.worker("w").await;
        let used_up = "framefarm_max_retries_exceeded_total{budget=\"failures\",queue_type=\"transcode\"}";
        let failures = "framefarm_attempt_failures_total{class=\"transfer\",queue_type=\"transcode\"}";
        let failed = "framefarm_jobs_finished_total{queue_type=\"transcode\",status=\"failed\"}";
        for (attempt, over) in [(1, 0), (2, 0), (3, 1)] {
            let job = worker.claim().await;
            farm.wait(Duration::seconds(10));
            worker.fail(&job, ErrorClass::Transfer, "cut").await.unwrap();
            let found = counted(&farm).await;
            assert_eq!((found.value(failures), found.value(used_up), found.value(failed)), (attempt, over, over));
            farm.wait(Duration::hours(2));
            framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
        }
        let lasted = "framefarm_attempt_duration_seconds_sum{outcome=\"failed\",queue_type=\"transcode\"}";
        assert_eq!(counted(&farm).await.value(lasted), 30);
        // A source that is no video was not tried too often: it was tried in vain.
        farm.upload("b.mp4").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::InputInvalid, "no video").await.unwrap();
        assert_eq!(counted(&farm).await.value(used_up), 1);
    }
}
