//! Redis may vanish, come back empty, be emptied: that costs time, never a job.

use std::time::Duration;

use framefarm_api::broker::BrokerStatus;
use framefarm_api::responses::health;
use framefarm_api::services::relay;
use framefarm_api::testing::{RedisVersion, TestDatabase, TestRedis};

use super::{PATIENCE, Several, gets, through_redis, waits};

/// Asks until it is so; for what sends no signal.
pub(super) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let soon = Duration::from_millis(20);
    let found = tokio::time::timeout(PATIENCE, async {
        while !is_so().await {
            tokio::time::sleep(soon).await;
        }
    });
    found.await.unwrap_or_else(|_| panic!("{what} did not happen"));
}

async fn survives(version: RedisVersion) {
    let mut redis = TestRedis::start(version).await;
    let change = through_redis(&redis);
    let several = Several::with(|settings| {
        change(settings);
        settings.claim_poll_interval = 0.5;
    })
    .await;
    let (farm, other) = (&several.farm, &several.other);
    let worker = farm.worker("w1").await;

    let waiting = waits(&worker, other).await;
    redis.kill().await;
    farm.upload("while it is away").await;
    gets(waiting, "the poll").await;
    let broker = farm.app.broker.clone().unwrap();
    until("the breaker opens", async || {
        farm.upload(&format!("clip {:x}", rand::random::<u64>())).await;
        broker.status() == BrokerStatus::Down
    })
    .await;
    farm.clock.advance(chrono::Duration::seconds(1));
    let told = health::farm(&farm.app).await.unwrap();
    assert!(told.degraded.iter().any(|line| line.starts_with("redis down")), "{:?}", told.degraded);
    while worker.try_claim().await.is_some() {}

    redis.bring_back().await;
    until("the breaker closes", async || {
        let ping = broker.call(async |mut connection| redis::cmd("PING").query_async(&mut connection).await);
        ping.await.is_ok_and(|_: String| broker.status() == BrokerStatus::Up)
    })
    .await;
    // Health is kept for a second.
    farm.clock.advance(chrono::Duration::seconds(1));
    assert!(health::farm(&farm.app).await.unwrap().degraded.iter().all(|line| !line.starts_with("redis")));

    for command in [
        &["FLUSHALL"][..],
        &["XTRIM", "{framefarm}:jobs:normal", "MAXLEN", "0"],
        &["DEL", "{framefarm}:jobs:normal"],
    ] {
        let waiting = waits(&worker, other).await;
        redis.run::<redis::Value>(command).await;
        farm.upload(&format!("after {command:?}")).await;
        gets(waiting, &format!("after {command:?}")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn losing_redis_7_costs_no_job() {
    Box::pin(survives(RedisVersion::V7)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn losing_redis_6_costs_no_job() {
    Box::pin(survives(RedisVersion::V6)).await;
}

/// The commit was there, the hint was not: the process died between them, or Redis was emptied.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hint_that_was_lost_is_sent_again() {
    let redis = TestRedis::start(RedisVersion::V7).await;
    let several = Several::with(through_redis(&redis)).await;
    let (farm, other) = (&several.farm, &several.other);
    let worker = farm.worker("w1").await;
    let waiting = waits(&worker, other).await;
    // As somebody would who enqueues and dies before the hint is sent: no instance is notified.
    farm.sql("INSERT INTO video (id, slug, title, status, source_name, source_size, source_sha256, identity, last_generation, created_at) \
         VALUES ('00000000-0000-0000-0000-000000000001', 'v', 'v', 'pending', 'v', 1, 'x', 'i', 1, '2026-09-01T00:00:00Z'); \
         INSERT INTO generation (video_id, number, created_at) VALUES ('00000000-0000-0000-0000-000000000001', 1, '2026-09-01T00:00:00Z'); \
         INSERT INTO job (id, video_id, queue_type, identity, priority, sort_at, enqueued_at, claimable_at, generation, max_attempts, max_lost) \
         VALUES ('00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000001', 'transcode', 'i', 0, \
         '2026-09-01T00:00:00Z', '2026-09-01T00:00:00Z', '2026-09-01T00:00:00Z', 1, 3, 3)")
        .await;
    let counts = relay::run_once(farm.app.clone()).await.unwrap();
    assert!(counts.contains(&("hints_sent_again", 1)), "{counts:?}");
    gets(waiting, "the relay").await;
    let counts = relay::run_once(farm.app.clone()).await.unwrap();
    assert!(counts.contains(&("hints_sent_again", 0)), "nothing waits any more: {counts:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mode_redis_refuses_to_start_without_it_and_hybrid_does_not() {
    let mut redis = TestRedis::start(RedisVersion::V7).await;
    let change = through_redis(&redis);
    redis.kill().await;
    let database = TestDatabase::sqlite();
    let mut settings = framefarm_api::testing::settings(&database);
    change(&mut settings);
    let clock = framefarm_shared::clock::Clock::manual(framefarm_api::testing::the_beginning());
    assert!(framefarm_api::app::App::start(settings.clone(), clock.clone()).await.is_ok());
    settings.job_queue_mode = framefarm_api::config::JobQueueMode::Redis;
    let error = framefarm_api::app::App::start(settings, clock).await.err().map(|error| format!("{error:#}"));
    assert!(error.as_ref().is_some_and(|text| text.contains("job_queue_mode = hybrid")), "{error:?}");
}
