//! A farm in which everything happens that is counted, seen through two scrapes of a real server.

use std::net::SocketAddr;
use std::time::Duration as StdDuration;

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use chrono::Duration;
use framefarm_api::alerts::endpoints;
use framefarm_api::app::App;
use framefarm_api::config::JobQueueMode;
use framefarm_api::lifecycle::{cancel, progress, queues, retranscode, retry, workers};
use framefarm_api::services::{self, surveyor};
use framefarm_api::testing::{Farm, RedisVersion, TestDatabase, TestRedis, a_gpu};
use framefarm_shared::alert::{AlertType, EndpointKind};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::gpu::{Gpu, GpuSample};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::Step;
use framefarm_shared::wire::worker_api::{ProgressRequest, QualityProgress};

use super::pages::{committed_table, write_table};
use super::promtool::promtool;
use super::{Scrape, get, listen, scrape};
use crate::alerts::Receiver;
use crate::served::{Actor, Served};

const PATIENCE: StdDuration = StdDuration::from_secs(20);

/// What cannot change while a process runs, or is well all the time; it only has to be there.
const STEADY: [&str; 5] = [
    "framefarm_build_info",
    "framefarm_collect_success",
    "framefarm_database_connections_max",
    "framefarm_start_time_seconds",
    "framefarm_storage_size_bytes",
];

async fn everything_moves(database: TestDatabase) {
    let mut redis = TestRedis::start(RedisVersion::V7).await;
    let farm = Served::on(database, |settings| {
        settings.redis_url = redis.url();
        settings.job_queue_mode = JobQueueMode::Hybrid;
        settings.metrics.metrics_cache_seconds = 0;
        settings.alerts.alert_webhook_allow = "127.0.0.0/8".parse().unwrap();
    })
    .await;
    let address = listen(&farm).await;
    let before = scrape(address).await;
    // The first run of the ticker fails.
    farm.break_table("fact").await;
    let _services = services::start(&farm.app);
    let failures = "framefarm_service_failures_total{service=\"ticker\"}";
    until(address, |scrape| scrape.value(failures) > 0).await;
    farm.mend_table("fact").await;
    assert_eq!(before.value("framefarm_dispatch_mode{mode=\"redis\"}"), 1);

    jobs_go_every_way(&farm).await;
    gpus_are_exported(&farm).await;
    surveyor::run_once(farm.app.clone()).await.unwrap();
    webhooks_are_tried(&farm.app).await;
    std::fs::write(farm.path().join("ballast"), vec![7; 8 << 20]).unwrap();

    // What goes on during the second scrape: a stream, a claim that waits, a transaction, an outage of Redis.
    let _stream = get(address, "/api/events").bearer_auth(&farm.token).send().await.unwrap();
    let waiter = farm.register("waiter").await;
    let _claim = wait_for_a_job(&farm, address, &waiter).await;
    redis.kill().await;
    let broker = farm.app.broker.as_ref().unwrap();
    for _ in 0..3 {
        let ping = async |mut connection| redis::cmd("PING").query_async::<String>(&mut connection).await;
        broker.call(ping).await.unwrap_err();
    }
    farm.app.draining.cancel();
    let transaction = farm.app.db.begin().await.unwrap();
    let after = scrape(address).await;
    drop(transaction);

    for (series, value) in [
        ("framefarm_dispatch_mode{mode=\"database\"}", 1),
        ("framefarm_redis_breaker_state{state=\"open\"}", 1),
        ("framefarm_degraded{code=\"redis_down\"}", 1),
        ("framefarm_webhook_deliveries_total{kind=\"slack\",outcome=\"delivered\"}", 1),
        ("framefarm_webhook_deliveries_total{kind=\"generic\",outcome=\"refused\"}", 1),
        ("framefarm_sse_clients", 1),
        ("framefarm_claims_waiting", 1),
        ("framefarm_gpu_temperature_celsius{gpu=\"GPU-1\",worker=\"rig\"}", 61),
        // One came over the wire, two are made up.
        ("framefarm_storage_bytes{kind=\"sources\"}", 2_000_028),
    ] {
        assert_eq!(after.value(series), value, "{series}");
    }
    for (name, family) in &after.families {
        assert!(name.starts_with("framefarm_"), "{name}");
        let was = before.families.get(name).map(|family| &family.samples);
        let moved = was != Some(&family.samples) && family.samples.values().any(|value| *value != 0.0);
        let there = STEADY.contains(&name.as_str()) && family.samples.values().any(|value| *value != 0.0);
        assert!(moved || there, "{name} does not move: {:?}", family.samples);
    }
    assert_eq!(promtool(&["check", "metrics"], &after.text), "");
    if std::env::var_os("FRAMEFARM_WRITE_DOCS").is_some() {
        write_table(&after.table());
    }
    assert_eq!(
        committed_table(),
        after.table(),
        "docs/metrics.md is out of date: run this test with FRAMEFARM_WRITE_DOCS=1"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_metric_moves_and_stands_on_its_page_on_sqlite() {
    Box::pin(everything_moves(TestDatabase::sqlite())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_metric_moves_and_stands_on_its_page_on_postgres() {
    Box::pin(everything_moves(TestDatabase::postgres().await)).await;
}

async fn until(address: SocketAddr, holds: impl Fn(&Scrape) -> bool) -> Scrape {
    let found = async {
        loop {
            let found = scrape(address).await;
            if holds(&found) {
                return found;
            }
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("it does not come to that")
}

/// Completed, again, requeued, cancelled, lost, poisoned, stalled and failed; part of it over the wire.
async fn jobs_go_every_way(farm: &Served) {
    let app = &farm.app;
    let actor = farm.register("wire").await;
    farm.upload(b"a source that is long enough").await;
    let video = farm.encode(&actor).await.video_id;
    let again = retranscode::Request { retranscode_all: true, ..<_>::default() };
    let job = retranscode::retranscode(app, video, again, "test").await.unwrap();
    cancel::cancel_job(app, job.id, "test").await.unwrap();
    assert!(retry::requeue(app, job.id, "test").await.unwrap());

    let worker = farm.worker("hands").await;
    let claimed = worker.claim().await;
    worker.beat(&[&claimed]).await.unwrap();
    worker.plan(&claimed, framefarm_api::testing::a_plan()).await.unwrap();
    let speed = Some(2.5);
    let quality = QualityProgress {
        name: "720p".to_owned(),
        speed,
        encoder: Some("libx264".to_owned()),
        ..<_>::default()
    };
    let (job_id, fence) = (claimed.job_id, claimed.fence);
    let (step, percent, eta_seconds, log) = (Step::Transcode, 10.0, None, None);
    let request =
        ProgressRequest { job_id, fence, step, percent, eta_seconds, log, qualities: vec![quality] };
    progress::progress(app, worker.id, &request).await.unwrap();
    worker.fail(&claimed, ErrorClass::InputInvalid, "no video").await.unwrap();

    // Three times lost is enough; the last holder hears of it.
    let lost = Farm::upload(farm, "lost.mp4").await.job.id;
    for _ in 0..3 {
        let claimed = worker.claim().await;
        assert_eq!(claimed.job_id, lost);
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        assert_eq!(worker.beat(&[&claimed]).await.unwrap().lost.len(), 1);
        farm.pass_redelivery();
        services::scheduler::run_once(app.clone()).await.unwrap();
    }
    queues::set_paused(app, &[QueueType::Preview], true, "test").await.unwrap();
    let idle = farm.worker("idle").await;
    workers::drain(app, idle.id, true, "test").await.unwrap();
    // One that waits.
    Farm::upload(farm, "waiting.mp4").await;
    farm.wait(Duration::minutes(2));
}

async fn gpus_are_exported(farm: &Served) {
    let sample = GpuSample {
        encoder_percent: Some(80),
        decoder_percent: Some(40),
        compute_percent: Some(10),
        memory_used_bytes: Some(1 << 30),
        temperature_celsius: Some(61),
        power_watts: Some(120),
        encoder_sessions: Some(3),
        ..GpuSample::default()
    };
    let gpu = Gpu { sample: Some(sample), sessions: 2, ..a_gpu("GPU-1") };
    farm.worker("rig").await.beat_with_gpus(vec![gpu]).await.unwrap();
}

/// One receiver takes what it gets, the other does not.
async fn webhooks_are_tried(app: &App) {
    let happy = Receiver::content().await;
    let broken = Receiver::start(|_| StatusCode::BAD_REQUEST.into_response()).await;
    for (receiver, kind) in [(&happy, EndpointKind::Slack), (&broken, EndpointKind::Generic)] {
        let (name, url) = ("test".to_owned(), receiver.url.clone());
        // Nothing of this type happens: only what a person tries goes there.
        let alert_types = Some(vec![AlertType::DiskLow]);
        let new = endpoints::New { name, url, kind: Some(kind), alert_types, enabled: true };
        let (endpoint, _) = endpoints::create(app, new, "test").await.unwrap();
        endpoints::test(app, endpoint.id, "test").await.unwrap();
    }
}

/// Returns once the claim waits.
async fn wait_for_a_job(farm: &Served, address: SocketAddr, worker: &Actor) -> tokio::task::JoinHandle<()> {
    // Nothing is to be had: the queue that it asks for is paused.
    let body = serde_json::json!({ "boot_id": worker.boot, "wait_seconds": 30, "queue_types": ["preview"] });
    let claim = reqwest::Client::new().post(format!("http://{address}/api/worker/claim"));
    let claim = claim.bearer_auth(&worker.key).json(&body).send();
    let waiting = tokio::spawn(async move { drop(claim.await) });
    let waits = async {
        while farm.app.waiters.waiting() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.expect("it waits");
    waiting
}
