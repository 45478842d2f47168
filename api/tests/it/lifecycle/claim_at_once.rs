//! The claim that is one statement on PostgreSQL: it writes what the longer way writes, and whatever else happens to its
//! rows in the same moment comes before it or after it.

use framefarm_api::db::{Engine, events, job};
use framefarm_api::lifecycle::claim;
use framefarm_api::on_both_engines;
use framefarm_api::testing::{Farm, TestWorker};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::BootId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{AttemptOutcome, JobStatus, QualityStatus, VideoStatus, WorkerStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{ClaimReply, ClaimRequest, NoJobReason, QualityReport};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// Whose first start was noted already.
async fn known_worker(farm: &Farm) -> TestWorker {
    let worker = farm.worker("w1").await;
    worker.beat(&[]).await.unwrap();
    assert_eq!(farm.worker_row(worker.id).await.boot_id, Some(worker.boot));
    worker
}

on_both_engines! {
    async fn a_known_worker_claims_as_an_unknown_one_does(farm: Farm) {
        farm.upload("first.mp4").await;
        farm.upload("second.mp4").await;
        let unknown = farm.worker("w1").await;
        let known = known_worker(&farm).await;
        let mut rows = Vec::new();
        for worker in [unknown, known] {
            let job = worker.claim().await;
            let (row, holder) = (farm.job(job.job_id).await, farm.worker_row(worker.id).await);
            assert_eq!((row.status, row.worker_id, row.fence), (JobStatus::Running, Some(worker.id), 1));
            assert_eq!((holder.status, holder.current_job_id), (WorkerStatus::Busy, Some(job.job_id)));
            assert_eq!(holder.boot_id, Some(worker.boot));
            assert_eq!(farm.video(job.video_id).await.status, VideoStatus::Processing);
            let mut tx = farm.app.db.begin().await.unwrap();
            let attempt = job::attempts::get(&mut tx, job.job_id, 1).await.unwrap().unwrap();
            tx.rollback().await.unwrap();
            assert_eq!((attempt.worker_id, attempt.number, attempt.started_at), (worker.id, 1, farm.now()));
            let told = events::of_job(&farm.app.db, job.job_id).await.unwrap().pop().unwrap();
            assert_eq!((told.kind, told.worker_id), (EventKind::JobClaimed, Some(worker.id)));
            assert_eq!((told.video_id, told.at), (Some(job.video_id), farm.now()));
            rows.push((told.actor, told.reason, told.data, attempt.worker_name, row.claim_expires_at));
            assert!(job.plan.is_none() && job.qualities.is_empty());
            assert_eq!(job.source.size, farm.video(job.video_id).await.source_size);
        }
        assert_eq!(rows[0], rows[1]);
        assert_eq!(rows[0].1.as_deref(), Some("attempt 1 by w1"));
        assert_eq!(rows[0].2.as_ref().map(|data| &data.0), Some(&json!({ "fence": 1, "attempt": 1, "status": "running" })));
    }

    async fn a_completion_ends_attempt_and_worker_and_tells_it(farm: Farm) {
        for name in ["a", "b"] {
            farm.upload(name).await;
        }
        farm.sql("UPDATE job SET queue_type = 'captions'; UPDATE video SET status = 'ready', generation = 1").await;
        let worker = known_worker(&farm).await;
        let captions = ClaimRequest { queue_types: Some(vec![QueueType::Captions]), ..worker.claim_request() };
        let mut jobs = Vec::new();
        for _ in 0..2 {
            jobs.push(claim::claim_now(&farm.app, worker.id, &captions).await.unwrap().job.unwrap());
        }
        for (job, then) in jobs.iter().zip([WorkerStatus::Busy, WorkerStatus::Idle]) {
            worker.complete_with(job, json!({ "tracks": 1 })).await.unwrap();
            let (row, holder) = (farm.job(job.job_id).await, farm.worker_row(worker.id).await);
            assert_eq!((row.status, row.results.map(|results| results.0)), (JobStatus::Completed, Some(json!({ "tracks": 1 }))));
            assert_eq!(holder.status, then);
            assert_eq!(holder.current_job_id, (then == WorkerStatus::Busy).then_some(jobs[1].job_id));
            let mut tx = farm.app.db.begin().await.unwrap();
            let attempt = job::attempts::get(&mut tx, job.job_id, job.fence).await.unwrap().unwrap();
            tx.rollback().await.unwrap();
            assert_eq!((attempt.outcome, attempt.ended_at), (Some(AttemptOutcome::Completed), Some(farm.now())));
            let told = events::of_job(&farm.app.db, job.job_id).await.unwrap().pop().unwrap();
            assert_eq!((told.kind, told.actor.as_str(), told.worker_id), (EventKind::JobCompleted, "worker", Some(worker.id)));
            assert_eq!(told.reason.as_deref(), Some("generation 1"));
            assert_eq!(told.data.unwrap().0, json!({ "fence": 1, "attempt": 1, "status": "completed" }));
            assert_eq!(farm.video(job.video_id).await.status, VideoStatus::Ready);
        }
    }

    async fn a_known_worker_leaves_a_fresh_job_to_a_better_one(farm: Farm) {
        let gpu = farm.gpu_worker("gpu").await;
        let cpu = known_worker(&farm).await;
        gpu.beat(&[]).await.unwrap();
        farm.upload("clip.mp4").await;
        assert_eq!(cpu.ask().await.reason, Some(NoJobReason::WaitingForGpu));
        assert!(gpu.try_claim().await.is_some());
    }

    async fn a_job_whose_time_has_come_is_before_one_that_came_later(farm: Farm) {
        farm.upload_with("urgent", |request| request.priority = 100).await;
        let worker = known_worker(&farm).await;
        let urgent = worker.claim().await;
        worker.fail(&urgent, ErrorClass::Transfer, "connection reset").await.unwrap();
        farm.upload("ordinary").await;
        farm.wait(farm.job(urgent.job_id).await.retry_after.unwrap() - farm.now());
        assert_eq!(worker.claim().await.job_id, urgent.job_id);
    }

    async fn a_job_that_was_tried_before_comes_with_its_plan(farm: Farm) {
        farm.upload("clip.mp4").await;
        let worker = known_worker(&farm).await;
        let first = worker.claim().await;
        worker.plan(&first, framefarm_api::testing::a_plan()).await.unwrap();
        farm.sql("UPDATE quality SET status = 'failed', error_message = 'once'").await;
        worker.release(&first).await.unwrap();
        let second = worker.claim().await;
        assert_eq!((second.job_id, second.fence), (first.job_id, 2));
        assert!(second.plan.is_some() && !second.qualities.is_empty());
        let again = |quality: &QualityReport| quality.status == QualityStatus::Pending;
        assert!(second.qualities.iter().all(again), "what failed is tried again: {:?}", second.qualities);
    }
}

/// A farm with one job, and a claim that has to wait for somebody who writes `change`.
struct Moment {
    farm: Farm,
    worker: TestWorker,
}

impl Moment {
    async fn new() -> Self {
        let farm = Farm::postgres().await;
        farm.upload("clip.mp4").await;
        let worker = known_worker(&farm).await;
        Self { farm, worker }
    }

    /// `change` is written while the claim looks, and committed when it waits for that.
    async fn claim(&self, change: &str) -> Result<ClaimReply, String> {
        let mut other = PgConnection::connect(&self.farm.database.url()).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(format!("BEGIN; {change}"))).execute(&mut other).await.unwrap();
        let (app, worker) = (self.farm.app.clone(), self.worker.clone());
        let claiming =
            tokio::spawn(async move { claim::claim_now(&app, worker.id, &worker.claim_request()).await });
        let waits = "SELECT count(*) FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut other).await.unwrap() == 0 {
            assert!(!claiming.is_finished(), "the claim did not wait");
            tokio::task::yield_now().await;
        }
        sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
        claiming.await.unwrap().map_err(|error| error.to_string())
    }

    /// How job, video and worker stand, how many attempts there were, and what the timeline says of claims.
    async fn rows(&self) -> String {
        const SQL: &str = "SELECT concat_ws(' ', j.status, j.fence, v.status, w.status, w.current_job_id, \
             (SELECT count(*) FROM attempt), (SELECT count(*) FROM event WHERE kind = 'job_claimed')) \
             FROM job j JOIN video v ON v.id = j.video_id CROSS JOIN worker w";
        let mut tx = self.farm.app.db.begin().await.unwrap();
        let Engine::Postgres(conn) = tx.engine() else { panic!("a moment is one of PostgreSQL") };
        sqlx::query_scalar(SQL).fetch_one(conn).await.unwrap()
    }

    async fn gets_nothing(&self) {
        let rows = self.rows().await;
        assert!(rows.starts_with("pending 0 pending ") && rows.ends_with(" 0 0"), "{rows}");
    }
}

#[tokio::test]
async fn a_heartbeat_in_the_moment_of_a_claim_is_kept() {
    let moment = Moment::new().await;
    let reply = moment.claim("UPDATE worker SET metadata = '{\"kept\": true}'").await.unwrap();
    let worker = moment.farm.worker_row(moment.worker.id).await;
    assert_eq!((worker.status, worker.current_job_id), (WorkerStatus::Busy, reply.job.map(|job| job.job_id)));
    assert_eq!(serde_json::to_value(&worker.metadata).unwrap(), json!({ "kept": true }));
    assert!(moment.rows().await.ends_with(" 1 1"));
}

#[tokio::test]
async fn a_new_title_in_the_moment_of_a_claim_is_kept() {
    let moment = Moment::new().await;
    let job = moment.claim("UPDATE video SET title = 'kept'").await.unwrap().job.unwrap();
    let video = moment.farm.video(job.video_id).await;
    assert_eq!((video.status, video.title.as_str()), (VideoStatus::Processing, "kept"));
}

#[tokio::test]
async fn a_worker_that_is_disabled_in_the_moment_of_a_claim_gets_nothing() {
    let moment = Moment::new().await;
    let refused = moment.claim("UPDATE worker SET status = 'disabled'").await.unwrap_err();
    assert!(refused.contains("disabled"), "{refused}");
    moment.gets_nothing().await;
}

#[tokio::test]
async fn a_worker_that_is_drained_in_the_moment_of_a_claim_gets_nothing() {
    let moment = Moment::new().await;
    let reply = moment.claim("UPDATE worker SET draining = true").await.unwrap();
    assert_eq!(reply.reason, Some(NoJobReason::Draining));
    moment.gets_nothing().await;
}

#[tokio::test]
async fn a_process_that_is_succeeded_in_the_moment_of_a_claim_gets_nothing() {
    let moment = Moment::new().await;
    moment.farm.wait(chrono::Duration::seconds(1));
    let newer = BootId::new(&moment.farm.clock);
    let refused = moment.claim(&format!("UPDATE worker SET boot_id = '{newer}'")).await.unwrap_err();
    assert!(refused.contains("newer process"), "{refused}");
    moment.gets_nothing().await;
}

#[tokio::test]
async fn a_video_that_is_deleted_in_the_moment_of_a_claim_is_not_given_out() {
    let moment = Moment::new().await;
    let reply = moment.claim("UPDATE video SET deleted_at = now()").await.unwrap();
    assert_eq!(reply.reason, Some(NoJobReason::Empty));
    moment.gets_nothing().await;
}

#[tokio::test]
async fn a_queue_that_is_paused_in_the_moment_of_a_claim_gives_nothing() {
    let moment = Moment::new().await;
    let reply = moment.claim("UPDATE queue SET paused = true").await.unwrap();
    assert_eq!(reply.reason, Some(NoJobReason::Paused));
    moment.gets_nothing().await;
}

#[tokio::test]
async fn a_queue_that_gets_a_limit_in_the_moment_of_a_claim_keeps_it() {
    let moment = Moment::new().await;
    moment.farm.upload("another.mp4").await;
    moment.farm.worker("w2").await.claim().await;
    let reply = moment.claim("UPDATE queue SET max_running = 1").await.unwrap();
    assert_eq!(reply.reason, Some(NoJobReason::AtCapacity));
    assert_eq!(moment.farm.worker_row(moment.worker.id).await.current_job_id, None);
}
