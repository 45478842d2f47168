//! A job that becomes claimable at one instance wakes a worker that waits at another.

use chrono::Duration;
use framefarm_api::lifecycle::retranscode;
use framefarm_api::services::scheduler;
use framefarm_api::testing::{RedisVersion, TestRedis, a_plan};
use framefarm_api::{config::Settings, lifecycle};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;

use super::outages::until;
use super::{Several, gets, through_postgres, through_redis, waits};

/// Each way to become claimable, at one instance; each time a worker of the other hears of it.
async fn every_way_is_heard(change: impl Fn(&mut Settings)) {
    let several = Several::with(change).await;
    let (farm, other) = (&several.farm, &several.other);
    let worker = farm.worker("w1").await;

    let waiting = waits(&worker, other).await;
    let upload = farm.upload("clip").await;
    let job = gets(waiting, "an upload").await;
    assert_eq!(job.job_id, upload.job.id);

    let second = farm.worker("w2").await;
    let waiting = waits(&second, other).await;
    worker.release(&job).await.unwrap();
    let job = gets(waiting, "a release").await;

    second.fail(&job, ErrorClass::Encoder, "broke").await.unwrap();
    let waiting = waits(&worker, other).await;
    farm.wait(Duration::minutes(10));
    scheduler::run_once(farm.app.clone()).await.unwrap();
    let job = gets(waiting, "a retry whose time has come").await;

    worker.fail(&job, ErrorClass::InputInvalid, "no clip").await.unwrap();
    let waiting = waits(&worker, other).await;
    lifecycle::retry::retry_video(&farm.app, upload.video.id, "test").await.unwrap();
    let job = gets(waiting, "a person's retry").await;

    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    let waiting = waits(&worker, other).await;
    let request = retranscode::Request { retranscode_all: true, ..retranscode::Request::default() };
    retranscode::retranscode(&farm.app, upload.video.id, request, "test").await.unwrap();
    let job = gets(waiting, "a re-transcode").await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();

    lifecycle::queues::set_paused(&farm.app, &[QueueType::Transcode], true, "test").await.unwrap();
    farm.upload("another").await;
    let waiting = waits(&worker, other).await;
    lifecycle::queues::set_paused(&farm.app, &[QueueType::Transcode], false, "test").await.unwrap();
    gets(waiting, "the end of a pause").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_to_become_claimable_is_heard_through_redis_7() {
    let redis = TestRedis::start(RedisVersion::V7).await;
    Box::pin(every_way_is_heard(through_redis(&redis))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_to_become_claimable_is_heard_through_redis_6() {
    let redis = TestRedis::start(RedisVersion::V6).await;
    Box::pin(every_way_is_heard(through_redis(&redis))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_to_become_claimable_is_heard_through_postgres() {
    Box::pin(every_way_is_heard(through_postgres)).await;
}

/// A CPU worker that must leave a job to a GPU does not swallow the hint.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gpu_worker_at_another_instance_hears_of_the_job_that_is_left_to_it() {
    let redis = TestRedis::start(RedisVersion::V7).await;
    let several = Several::with(through_redis(&redis)).await;
    let (farm, other) = (&several.farm, &several.other);
    let (cpu, gpu) = (farm.worker("cpu").await, farm.gpu_worker("gpu").await);
    let left = waits(&cpu, &farm.app).await;
    let waiting = waits(&gpu, other).await;
    let upload = farm.upload("clip").await;
    assert_eq!(gets(waiting, "what a CPU worker leaves").await.job_id, upload.job.id);
    left.abort();
}

/// As many jobs as workers: each gets one, wherever it waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_wakes_as_many_workers_as_there_are_jobs() {
    let redis = TestRedis::start(RedisVersion::V7).await;
    let several = Several::with(through_redis(&redis)).await;
    let (farm, other) = (&several.farm, &several.other);
    let mut waiting = Vec::new();
    for number in 0..12 {
        let worker = farm.worker(&format!("w{number}")).await;
        waiting.push(waits(&worker, if number % 4 == 0 { &farm.app } else { other }).await);
    }
    for number in 0..12 {
        farm.upload(&format!("clip {number}")).await;
    }
    let mut got = Vec::new();
    for claim in waiting {
        got.push(gets(claim, "a burst").await.job_id);
    }
    got.sort_unstable();
    got.dedup();
    assert_eq!(got.len(), 12);
    // A claim may find a job before its hint arrives. The next one that waits finds nothing, and what is left goes.
    let nothing = waits(&farm.worker("late").await, other).await;
    until("what was decided is gone from the streams", async || {
        redis.run::<u64>(&["XLEN", "{framefarm}:jobs:normal"]).await == 0
    })
    .await;
    nothing.abort();
}
