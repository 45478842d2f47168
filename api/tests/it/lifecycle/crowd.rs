//! Many at once: every job is handed out exactly once, and stale callers change nothing. `heavy` tests run alone.

use std::collections::HashSet;

use chrono::Duration;
use framefarm_api::db::job::claim::Claimer;
use framefarm_api::db::job::claim_at_once::Asker;
use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::db::{Engine, Tx, job};
use framefarm_api::testing::{Farm, TestWorker};
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::worker_api::ClaimedJob;

async fn every_job_is_handed_out_exactly_once(farm: Farm, jobs: i64, claimers: usize) {
    farm.fill_queue(jobs).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..claimers {
        let worker = farm.worker(&format!("w{number}")).await;
        tasks.spawn(async move {
            let mut taken = Vec::new();
            while let Some(job) = worker.try_claim().await {
                taken.push(job.job_id);
            }
            taken
        });
    }
    let taken: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    let distinct: HashSet<_> = taken.iter().collect();
    assert_eq!(taken.len(), usize::try_from(jobs).unwrap());
    assert_eq!(distinct.len(), taken.len(), "a job was handed out twice");
    let filter = JobFilter { status: Some(JobStatus::Running), ..JobFilter::default() };
    let running = job::lists::counts(&farm.app.db, &filter).await.unwrap();
    assert_eq!(running[0].count, jobs, "a claim took more than it handed out");
}

/// Calls of every kind under fences that were taken over long ago.
async fn stale_calls_change_nothing(farm: Farm, calls: usize) {
    let count = 20;
    farm.fill_queue(count).await;
    let (old, new) = (farm.worker("old").await, farm.worker("new").await);
    let mut stale: Vec<ClaimedJob> = Vec::new();
    for _ in 0..count {
        stale.push(old.claim().await);
    }
    farm.wait(Duration::minutes(31));
    farm.reap().await;
    farm.pass_redelivery();
    for _ in 0..count {
        new.claim().await;
    }
    let before = snapshot(&farm).await;
    let stale = std::sync::Arc::new(stale);
    let mut tasks = tokio::task::JoinSet::new();
    for lane in 0..8 {
        let (old, stale) = (old.clone(), stale.clone());
        tasks.spawn(async move {
            let mut refused = 0;
            for call in (lane..calls).step_by(8) {
                refused += usize::from(stale_call(&old, &stale[call % stale.len()], call).await);
            }
            refused
        });
    }
    let refused: usize = tasks.join_all().await.into_iter().sum();
    assert_eq!(refused, calls);
    assert_eq!(snapshot(&farm).await, before);
}

/// `true` if it was refused as it must be.
async fn stale_call(old: &TestWorker, job: &ClaimedJob, kind: usize) -> bool {
    match kind % 5 {
        0 => old.progress(job, 50.0).await.is_err_and(|error| error.code == "fenced"),
        1 => old.release(job).await.is_err_and(|error| error.code == "fenced"),
        2 => old.complete(job).await.is_err_and(|error| error.code == "fenced"),
        3 => old.plan(job, framefarm_api::testing::a_plan()).await.is_err_and(|error| error.code == "fenced"),
        _ => {
            let delivery = framefarm_api::lifecycle::deliver::Delivery {
                worker: old.id,
                job: job.job_id,
                fence: job.fence,
                quality: "720p".to_owned(),
                first_segment: 0,
            };
            let refused = framefarm_api::lifecycle::deliver::expect(old.app(), &delivery).await;
            refused.is_err_and(|error| error.code == "fenced")
        }
    }
}

/// Everything a stale call could change.
async fn snapshot(farm: &Farm) -> String {
    let jobs = job::lists::list(&farm.app.db, &JobFilter::default(), None, 1000).await.unwrap();
    let mut videos = Vec::new();
    for job in &jobs {
        videos.push(farm.video(job.video_id).await);
    }
    let workers = framefarm_api::db::workers::all(&farm.app.db).await.unwrap();
    format!("{jobs:?} {videos:?} {workers:?}")
}

mod heavy {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn eight_claimers_share_ten_thousand_jobs_on_sqlite() {
        every_job_is_handed_out_exactly_once(Farm::sqlite().await, 10_000, 8).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn eight_claimers_share_ten_thousand_jobs_on_postgres() {
        every_job_is_handed_out_exactly_once(Farm::postgres().await, 10_000, 8).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_hundred_thousand_stale_calls_change_nothing_on_sqlite() {
        stale_calls_change_nothing(Farm::sqlite().await, 100_000).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_hundred_thousand_stale_calls_change_nothing_on_postgres() {
        stale_calls_change_nothing(Farm::postgres().await, 100_000).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_claimer_does_not_wait_for_the_first_on_postgres() {
    let farm = Farm::postgres().await;
    farm.fill_queue(2).await;
    let (one, two) = (farm.worker("w1").await, farm.worker("w2").await);
    let by = |worker: WorkerId| Claimer {
        worker,
        worker_name: "w",
        now: farm.now(),
        expires: farm.now() + Duration::minutes(30),
    };
    // The first transaction stays open with its row locked; the second must pass it by.
    let mut first = farm.app.db.begin().await.unwrap();
    let held = job::claim::claim_next(&mut first, by(one.id), QueueType::Transcode, farm.now(), false)
        .await
        .unwrap();
    let mut second = farm.app.db.begin().await.unwrap();
    let next = job::claim::claim_next(&mut second, by(two.id), QueueType::Transcode, farm.now(), false);
    let next =
        tokio::time::timeout(std::time::Duration::from_secs(10), next).await.expect("waited for a lock");
    assert_ne!(held.unwrap().id, next.unwrap().unwrap().id);
    first.rollback().await.unwrap();
    second.rollback().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_is_acknowledged_only_when_no_claim_is_under_way_on_postgres() {
    let farm = Farm::postgres().await;
    farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let mut claiming = farm.app.db.begin().await.unwrap();
    let by = Claimer { worker: worker.id, worker_name: "w1", now: farm.now(), expires: farm.now() };
    let claimed = job::claim::claim_next(&mut claiming, by, QueueType::Transcode, farm.now(), false).await;
    assert!(claimed.unwrap().is_some());
    let app = farm.app.clone();
    let pause = tokio::spawn(async move {
        framefarm_api::lifecycle::queues::set_paused(&app, &[QueueType::Transcode], true, "admin").await
    });
    let still_open = tokio::time::timeout(std::time::Duration::from_millis(300), async {
        while !pause.is_finished() {
            tokio::task::yield_now().await;
        }
    });
    assert!(still_open.await.is_err(), "the pause did not wait for the claim that had not seen it");
    claiming.commit().await.unwrap();
    pause.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn local_and_remote_workers_take_the_same_road() {
    use framefarm_shared::wire::worker_api::WorkerType;
    for farm in [Farm::sqlite().await, Farm::postgres().await] {
        for round in 0..10 {
            farm.upload(&format!("clip {round}")).await;
            let (local, remote) = (farm.worker("local").await, farm.worker("remote").await);
            farm.sql("UPDATE worker SET worker_type = 'local' WHERE name = 'local'").await;
            assert_eq!(farm.worker_row(local.id).await.worker_type, WorkerType::Local);
            let (a, b) = tokio::join!(local.try_claim(), remote.try_claim());
            assert_eq!(usize::from(a.is_some()) + usize::from(b.is_some()), 1, "round {round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_claim_reads_an_index_and_sorts_nothing() {
    for farm in [Farm::sqlite().await, Farm::postgres().await] {
        farm.fill_queue(2_000).await;
        let plan = explain_claim(&farm).await;
        assert!(plan.contains("job_claimable"), "{plan}");
        assert!(!plan.contains("Sort") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_question_of_a_claim_reads_the_whole_queue_with_a_plan_for_any_values() {
    let farm = Farm::postgres().await;
    farm.fill_queue(2_000).await;
    farm.sql("ANALYZE job; ANALYZE video").await;
    let (worker, kind, now) = (farm.worker("w1").await, QueueType::Transcode, farm.now());
    worker.beat(&[]).await.unwrap();
    let mut tx = farm.app.db.begin().await.unwrap();
    set_local(&mut tx, "SET LOCAL plan_cache_mode = force_generic_plan").await;
    job::claim_context::look(&mut tx, worker.id, kind, now, now).await.unwrap().unwrap();
    let by = Claimer { worker: worker.id, worker_name: "w1", now, expires: now };
    job::claim::claim_next(&mut tx, by, kind, now, false).await.unwrap().unwrap();
    let asker = Asker { worker: worker.id, boot_id: worker.boot, now, expires: now, gpu_heard_since: now };
    job::claim_at_once::claim(&mut tx, asker, kind).await.unwrap().unwrap();
    assert!(job::claim::any_claimable(&mut tx, kind).await.unwrap());
    assert_eq!(rows_read_one_after_the_other(&mut tx).await, 0);
    tx.rollback().await.unwrap();
}

async fn set_local(tx: &mut Tx, text: &'static str) {
    let Engine::Postgres(conn) = tx.engine() else { return };
    sqlx::raw_sql(text).execute(conn).await.unwrap();
}

/// Rows of the queue that this transaction saw without an index.
async fn rows_read_one_after_the_other(tx: &mut Tx) -> i64 {
    let Engine::Postgres(conn) = tx.engine() else { return 0 };
    let sql = "SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'job'";
    sqlx::query_scalar(sql).fetch_one(conn).await.unwrap()
}

async fn explain_claim(farm: &Farm) -> String {
    use sqlx::{AssertSqlSafe, Row};
    let worker = farm.worker("w1").await;
    let mut tx = farm.app.db.begin().await.unwrap();
    macro_rules! bound {
        ($text:expr) => {
            sqlx::query(AssertSqlSafe($text))
                .bind(worker.id)
                .bind(farm.now())
                .bind(farm.now())
                .bind("w1")
                .bind(QueueType::Transcode)
                .bind(farm.now())
                .bind(false)
                .bind(-1)
                .bind(-1)
        };
    }
    let lines: Vec<String> = match tx.engine() {
        Engine::Postgres(conn) => {
            sqlx::raw_sql("ANALYZE job; ANALYZE video").execute(&mut *conn).await.unwrap();
            let query = bound!(format!("EXPLAIN {}", job::claim::CLAIM_POSTGRES));
            query.fetch_all(conn).await.unwrap().iter().map(|row| row.get(0)).collect()
        }
        Engine::Sqlite(conn) => {
            let query = bound!(format!("EXPLAIN QUERY PLAN {}", job::claim::CLAIM_SQLITE));
            query.fetch_all(conn).await.unwrap().iter().map(|row| row.get("detail")).collect()
        }
    };
    tx.rollback().await.unwrap();
    lines.join("\n")
}
