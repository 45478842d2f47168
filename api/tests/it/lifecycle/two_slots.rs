//! A worker with two slots, on PostgreSQL, where transactions run beside each other.

use std::pin::Pin;

use framefarm_api::testing::{Farm, TestWorker};
use framefarm_shared::id::JobId;
use framefarm_shared::state::WorkerStatus;
use framefarm_shared::wire::worker_api::ClaimedJob;
use sqlx::{Connection, PgConnection};

pub(super) type Call = Pin<Box<dyn Future<Output = ()> + Send>>;

fn hands_back(worker: &TestWorker, job: ClaimedJob) -> Call {
    let worker = worker.clone();
    Box::pin(async move { worker.release(&job).await.unwrap() })
}

pub(super) fn claims(worker: &TestWorker, job: JobId) -> Call {
    let worker = worker.clone();
    Box::pin(async move { assert_eq!(worker.claim().await.job_id, job) })
}

/// So that both calls wait for the worker's row, and get it in their order.
const WORKERS: &str = "SELECT id FROM worker FOR UPDATE";

/// Holds `lock` until the first call waits and then the second.
pub(super) async fn in_the_same_moment(farm: &Farm, lock: &str, calls: [Call; 2]) {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let mut other = PgConnection::connect(&farm.database.url()).await.unwrap();
    sqlx::raw_sql("BEGIN").execute(&mut other).await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(lock)).execute(&mut other).await.unwrap();
    let mut tasks = Vec::new();
    for (call, waiting) in calls.into_iter().zip(1_i64..) {
        tasks.push(tokio::spawn(call));
        while sqlx::query_scalar::<_, i64>(WAITING).fetch_one(&mut other).await.unwrap() < waiting {
            assert!(!tasks.iter().any(tokio::task::JoinHandle::is_finished), "it did not wait");
            tokio::task::yield_now().await;
        }
    }
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    for task in tasks {
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
    in_the_same_moment(&farm, WORKERS, [hands_back(&worker, one), hands_back(&worker, two)]).await;
    let row = farm.worker_row(worker.id).await;
    assert_eq!((row.status, row.current_job_id), (WorkerStatus::Idle, None));
}

#[tokio::test]
async fn a_worker_that_claims_in_the_moment_its_other_job_ends_is_busy() {
    let farm = Farm::postgres().await;
    let worker = farm.worker("w1").await;
    farm.upload("one").await;
    let one = worker.claim().await;
    let two = farm.upload("two").await.job.id;
    in_the_same_moment(&farm, WORKERS, [claims(&worker, two), hands_back(&worker, one)]).await;
    let row = farm.worker_row(worker.id).await;
    assert_eq!((row.status, row.current_job_id), (WorkerStatus::Busy, Some(two)));
}
