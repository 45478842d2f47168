//! Instances whose clocks differ. Real time: nobody else knows how far it is off.

use chrono::Duration;
use framefarm_api::app::App;
use framefarm_api::services::{reaper, ticker};
use framefarm_api::testing::{Farm, TestDatabase, settings};
use framefarm_shared::clock::Clock;
use framefarm_shared::state::{JobStatus, WorkerStatus};

async fn instance(database: &TestDatabase, ahead: Duration) -> App {
    let clock = Clock::system();
    clock.set(clock.now() + ahead);
    let mut settings = settings(database);
    settings.worker_heartbeat_interval = 5;
    settings.worker_claim_duration_minutes = 1.0 / 3.0;
    settings.worker_offline_threshold_minutes = 1.0 / 3.0;
    App::start(settings, clock).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_starts_with_the_databases_time() {
    let database = TestDatabase::postgres().await;
    for ahead in [-60, 60, 86_400] {
        let app = instance(&database, Duration::seconds(ahead)).await;
        let time = app.db.server_time().await.unwrap().unwrap();
        let off = app.clock.now() - time;
        assert!(off.abs() < Duration::milliseconds(900), "{ahead} s ahead: {off}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_whose_clock_goes_wrong_takes_nothing_from_healthy_workers() {
    let database = TestDatabase::postgres().await;
    let app = instance(&database, Duration::zero()).await;
    let other = instance(&database, Duration::zero()).await;
    let farm = Farm { clock: app.clock.clone(), app, database };
    farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    for _ in 0..5 {
        worker.beat(&[&job]).await.unwrap();
        other.clock.set(farm.now() + Duration::seconds(60));
        reaper::run_once(other.clone()).await.unwrap();
        ticker::run_once(other.clone()).await.unwrap();
        reaper::run_once(other.clone()).await.unwrap();
    }
    let row = farm.job(job.job_id).await;
    assert_eq!((row.status, row.fence, row.lost_count), (JobStatus::Running, job.fence, 0));
    assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Busy);
    assert!((other.clock.now() - farm.now()).abs() < Duration::seconds(2));
}
