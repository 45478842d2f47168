//! Times in which nobody could write anything down, while the API was running.

use chrono::Duration;
use framefarm_api::lifecycle::startup;
use framefarm_api::on_both_engines;
use framefarm_shared::state::{JobStatus, WorkerStatus};

on_both_engines! {
    async fn a_database_that_was_away_costs_nobody_a_job(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        startup::tick(&farm.app).await.unwrap();
        let job = worker.claim().await;
        farm.wait(Duration::hours(2));
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running, "nobody has accounted for it yet");
        let outage = startup::tick(&farm.app).await.unwrap();
        assert_eq!((outage.lasted, outage.leases_extended), (Some(Duration::hours(2)), 1));
        farm.reap().await;
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Busy);
        assert_eq!(worker.beat(&[&job]).await.unwrap().renewed.len(), 1);
        let row = farm.job(job.job_id).await;
        assert_eq!((row.fence, row.lost_count), (job.fence, 0));
    }

    async fn the_first_tick_of_a_farm_keeps_no_reaper_away(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        startup::tick(&farm.app).await.unwrap();
        farm.live_through(Duration::seconds(60)).await;
        assert!(!startup::in_grace(&farm.app).await.unwrap());
        farm.live_through(Duration::minutes(30)).await;
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending);
    }

    async fn two_instances_account_for_an_outage_once(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        startup::tick(&farm.app).await.unwrap();
        let job = worker.claim().await;
        let expires = farm.job(job.job_id).await.claim_expires_at.unwrap();
        farm.wait(Duration::minutes(10));
        let (one, two) = tokio::join!(startup::tick(&farm.app), startup::tick(&farm.app));
        assert_eq!(one.unwrap().leases_extended + two.unwrap().leases_extended, 1);
        assert_eq!(farm.job(job.job_id).await.claim_expires_at, Some(expires + Duration::minutes(10)));
    }

    async fn a_tick_that_comes_late_is_no_outage(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        startup::tick(&farm.app).await.unwrap();
        let job = worker.claim().await;
        farm.wait(Duration::seconds(9));
        assert_eq!(startup::tick(&farm.app).await.unwrap().leases_extended, 0);
        farm.live_through(Duration::minutes(31)).await;
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending, "its worker is gone, not the database");
    }
}
