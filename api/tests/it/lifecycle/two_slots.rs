//! A worker with two slots, on PostgreSQL, where transactions run beside each other.

use framefarm_api::testing::{Farm, TestWorker};
use framefarm_shared::state::WorkerStatus;
use framefarm_shared::wire::worker_api::ClaimedJob;
use sqlx::{Connection, PgConnection};
use tokio::task::JoinHandle;

fn hands_back(worker: &TestWorker, job: ClaimedJob) -> JoinHandle<()> {
    let worker = worker.clone();
    tokio::spawn(async move { worker.release(&job).await.unwrap() })
}

/// Somebody holds the worker's row until as many transactions wait for it.
async fn until_waiting(farm: &Farm, count: i64, start: impl FnOnce() -> Vec<JoinHandle<()>>) {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let mut other = PgConnection::connect(&farm.database.url()).await.unwrap();
    sqlx::raw_sql("BEGIN; SELECT id FROM worker FOR UPDATE").execute(&mut other).await.unwrap();
    let started = start();
    while sqlx::query_scalar::<_, i64>(WAITING).fetch_one(&mut other).await.unwrap() < count {
        assert!(!started.iter().any(JoinHandle::is_finished), "it did not wait");
        tokio::task::yield_now().await;
    }
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    for task in started {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_worker_whose_two_jobs_end_in_the_same_moment_is_idle() {
    let farm = Farm::postgres().await;
    let worker = farm.worker("w1").await;
    farm.upload("one").await;
    farm.upload("two").await;
    let (one, two) = (worker.claim().await, worker.claim().await);
    until_waiting(&farm, 2, || vec![hands_back(&worker, one), hands_back(&worker, two)]).await;
    let row = farm.worker_row(worker.id).await;
    assert_eq!((row.status, row.current_job_id), (WorkerStatus::Idle, None));
}
