//! Uploads, deletions, retries, re-transcodes and workers, all at once and in any order; `FRAMEFARM_STORM=10000` for more.

use std::sync::Arc;

use axum::http::StatusCode;
use chrono::Duration;
use framefarm_api::db::{job, videos};
use framefarm_api::error::ApiError;
use framefarm_api::lifecycle::enqueue::{Source, enqueue};
use framefarm_api::lifecycle::retranscode::{Request, retranscode};
use framefarm_api::lifecycle::upload::UploadRequest;
use framefarm_api::lifecycle::{cancel, delete, retry, workers};
use framefarm_api::on_both_engines;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::VideoId;
use framefarm_shared::state::{JobStatus, VideoStatus};
use rand::Rng as _;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

/// Contents: so few that everybody works on the same ones.
const CLIPS: u32 = 6;
const PEOPLE: usize = 5;

fn steps() -> usize {
    std::env::var("FRAMEFARM_STORM").map_or(250, |text| text.parse().unwrap())
}

/// Being too late is no mistake, and neither is a deadlock that was broken up.
fn fine<T>(result: Result<T, ApiError>) -> Option<T> {
    match result {
        Ok(done) => Some(done),
        Err(error) if error.status != StatusCode::INTERNAL_SERVER_ERROR => None,
        Err(error) => panic!("{error}"),
    }
}

async fn upload(farm: &Farm, clip: u32, force: bool) -> Option<VideoId> {
    let source = Source {
        video: VideoId::new(&farm.clock),
        size: 1_000_000,
        sha256: format!("{clip:064x}"),
        since: farm.now(),
    };
    let request = UploadRequest {
        file_name: format!("clip {clip}"),
        force,
        cancel_running: force,
        ..UploadRequest::default()
    };
    fine(enqueue(&farm.app, source, request, "somebody").await).map(|done| done.video.id)
}

async fn some_video(farm: &Farm, random: &mut StdRng) -> Option<VideoId> {
    let list = videos::list(&farm.app.db, &videos::VideoFilter::default(), None, 100).await.unwrap();
    (!list.is_empty()).then(|| list[random.random_range(0..list.len())].id)
}

async fn person(farm: Arc<Farm>, steps: usize, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..steps {
        farm.wait(Duration::milliseconds(random.random_range(0..500)));
        let clip = random.random_range(0..CLIPS);
        let what = random.random_range(0..10);
        if what < 4 {
            upload(&farm, clip, what == 3).await;
            continue;
        }
        let Some(video) = some_video(&farm, &mut random).await else { continue };
        let all = job::of_video(&farm.app.db, video).await.unwrap();
        match what {
            4 | 5 => drop(fine(delete::delete(&farm.app, video, "somebody").await)),
            6 => {
                let request = Request { retranscode_all: true, ..Request::default() };
                fine(retranscode(&farm.app, video, request, "somebody").await);
            }
            7 => drop(fine(cancel::cancel_video(&farm.app, video, "somebody").await)),
            8 => drop(fine(delete::restore(&farm.app, video, "somebody").await)),
            _ => {
                if !all.is_empty() {
                    let job = all[random.random_range(0..all.len())].id;
                    fine(retry::requeue(&farm.app, job, "somebody").await);
                }
            }
        }
    }
}

/// Works, fails, hands back, and forgets.
async fn worker(worker: TestWorker, steps: usize, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut held = Vec::new();
    for _ in 0..steps {
        let request = worker.claim_request();
        let claimed = framefarm_api::lifecycle::claim::claim_now(worker.app(), worker.id, &request).await;
        let Some(job) = fine(claimed).and_then(|reply| reply.job) else {
            fine(worker.beat(&held.iter().collect::<Vec<_>>()).await);
            tokio::task::yield_now().await;
            continue;
        };
        match random.random_range(0..10) {
            0 => drop(fine(worker.fail(&job, ErrorClass::InputInvalid, "no").await)),
            1 => drop(fine(worker.release(&job).await)),
            // The reply was lost.
            2 => {}
            3 => held.push(job),
            _ => {
                if fine(worker.plan(&job, a_plan()).await).is_some() {
                    finish(&worker, &job).await;
                }
            }
        }
    }
    for job in held {
        fine(worker.release(&job).await);
    }
}

async fn finish(worker: &TestWorker, job: &framefarm_shared::wire::worker_api::ClaimedJob) {
    let plan = a_plan();
    let Some(planned) = fine(worker.plan(job, plan.clone()).await) else { return };
    for quality in planned.qualities {
        let name = quality.quality.name;
        if quality.status == framefarm_shared::state::QualityStatus::Pending
            && fine(worker.deliver(job, &plan, &name, 0..=plan.segment_count() - 1).await).is_none()
        {
            return;
        }
    }
    fine(worker.complete(job).await);
}

/// What must never be, whatever happens in whichever order.
async fn check(farm: &Farm) {
    for (what, query) in [
        (
            "a live job of a deleted video",
            "SELECT count(*) FROM job j JOIN video v ON v.id = j.video_id \
             WHERE j.status IN ('pending', 'running') AND v.deleted_at IS NOT NULL",
        ),
        (
            "two live jobs of a video",
            "SELECT count(*) FROM (SELECT 1 FROM job WHERE status IN ('pending', 'running') \
             GROUP BY video_id, queue_type HAVING count(*) > 1) AS twice",
        ),
        (
            "a waiting job that nobody can claim",
            "SELECT count(*) FROM job j JOIN video v ON v.id = j.video_id WHERE j.status = 'pending' \
             AND NOT (v.status = 'pending' OR (v.status = 'ready' AND j.retranscode IS NOT NULL))",
        ),
        (
            "a video that waits for nobody",
            "SELECT count(*) FROM video v WHERE v.deleted_at IS NULL AND v.status IN ('pending', 'processing') \
             AND NOT EXISTS (SELECT 1 FROM job j WHERE j.video_id = v.id AND j.status IN ('pending', 'running'))",
        ),
        ("a job that was lost or poisoned", "SELECT count(*) FROM job WHERE lost_count > 0"),
        (
            "an attempt that never ended",
            "SELECT count(*) FROM attempt a JOIN job j ON j.id = a.job_id \
             WHERE a.ended_at IS NULL AND NOT (j.status = 'running' AND j.fence = a.fence)",
        ),
    ] {
        assert_eq!(farm.number(query).await, 0, "{what}");
    }
}

on_both_engines! {
    async fn nothing_is_lost_stuck_or_spent(farm: Farm) {
        let seed: u64 = rand::random();
        println!("seed {seed}");
        let farm = Arc::new(farm);
        let mut tasks = tokio::task::JoinSet::new();
        let each = steps() / PEOPLE;
        for number in 0..PEOPLE {
            tasks.spawn(person(Arc::clone(&farm), each, seed.wrapping_add(number as u64)));
        }
        for number in 0..2 {
            let hand = farm.worker(&format!("w{number}")).await;
            tasks.spawn(worker(hand, each * 2, seed.wrapping_mul(31).wrapping_add(number)));
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        check(&farm).await;
        settle(&farm).await;
        check(&farm).await;
        assert_eq!(farm.number("SELECT count(*) FROM job WHERE status IN ('pending', 'running')").await, 0);
        let odd = farm.number("SELECT count(*) FROM video WHERE status NOT IN ('ready', 'failed')").await;
        assert_eq!(odd, 0);
    }
}

/// One worker does all that is left; whatever others forgot comes back to it.
async fn settle(farm: &Farm) {
    let last = farm.worker("last").await;
    for row in framefarm_api::db::workers::all(&farm.app.db).await.unwrap() {
        if row.id != last.id && !row.name.starts_with("last") {
            workers::disable(&farm.app, row.id, "admin").await.unwrap();
        }
    }
    farm.sql("UPDATE job SET lost_count = 0").await;
    farm.pass_redelivery();
    while let Some(job) = last.try_claim().await {
        finish(&last, &job).await;
        let row = farm.job(job.job_id).await;
        assert_eq!(row.status, JobStatus::Completed, "{row:?}");
        assert_eq!(farm.video(row.video_id).await.status, VideoStatus::Ready);
        farm.pass_redelivery();
    }
}
