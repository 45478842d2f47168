//! What each operation on a queue of ten thousand takes, from the request to the whole answer, on both engines.
//! That each of them is right is tested (`ten_thousand_jobs_are_managed_in_a_few_batches`).
//!
//! `make bench-manage` runs it with a PostgreSQL that really syncs.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, header};
use framefarm_api::auth::{Scope, token};
use framefarm_api::http::router::router;
use framefarm_api::testing::{Farm, TestDatabase};
use framefarm_shared::object_key::ObjectKey;
use serde_json::{Value, json};
use tower::ServiceExt as _;

const ROUNDS: usize = 3;
const WANTED: Duration = Duration::from_secs(1);

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    println!(
        "10,000 jobs, a quarter of them each waiting, completed, failed and cancelled; {ROUNDS} rounds\n"
    );
    println!("{:<10} {:<44} {:>9} {:>9}", "engine", "operation", "median ms", "worst ms");
    let mut slow = 0;
    for engine in ["sqlite", "postgres"] {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push(round(engine).await);
        }
        for (position, (operation, _)) in rounds[0].iter().enumerate() {
            let mut took: Vec<Duration> = rounds.iter().map(|round| round[position].1).collect();
            took.sort();
            let worst = took[ROUNDS - 1];
            slow += usize::from(worst >= WANTED);
            let (median, worst) = (took[ROUNDS / 2].as_millis(), worst.as_millis());
            println!("{engine:<10} {operation:<44} {median:>9} {worst:>9}");
        }
    }
    println!("\n{slow} took a second or longer (wanted: none)");
}

async fn a_farm(engine: &str) -> Farm {
    let database = if engine == "sqlite" { TestDatabase::sqlite() } else { TestDatabase::postgres().await };
    Farm::on(database, |_| {}).await
}

/// Every operation once, each from where the one before it left the queue.
async fn round(engine: &str) -> Vec<(&'static str, Duration)> {
    let farm = a_farm(engine).await;
    farm.fill_mixed_queue(10_000).await;
    let mut site = Site::of(&farm).await;
    site.call("the counts of the overview", "GET /api/overview", None).await;
    site.call("the first hundred that failed", "GET /api/queue/jobs?status=failed&limit=100", None).await;
    site.call("those that hang", "GET /api/queue/stuck?older_seconds=600", None).await;
    let export = site.call("export of 10,000", "GET /api/queue/export", None).await;
    site.call("clear 2,500 completed, dry run", "POST /api/queue/clear-completed?dry_run=true", None).await;
    site.call("clear 2,500 completed", "POST /api/queue/clear-completed", None).await;
    site.call("clear 5,000 failed and cancelled", "POST /api/queue/clear-errors", None).await;
    site.call("import of 10,000, of which 7,500 are missing", "POST /api/queue/import", Some(export.clone()))
        .await;
    site.call("import of 10,000 that are there", "POST /api/queue/import", Some(export.clone())).await;
    let change = json!({ "filter": { "queue_type": "transcode" }, "priority": 7 });
    site.call("another priority for 2,500", "POST /api/queue/priority", Some(change.to_string().into()))
        .await;
    site.call("retry of 5,000, dry run", "POST /api/queue/retry-errors?dry_run=true", None).await;
    site.call("retry of 5,000", "POST /api/queue/retry-errors", None).await;
    let ids: Vec<Value> = jobs_of(&export, "errors").map(|job| job["id"].clone()).collect();
    let requeue = json!({ "ids": ids });
    site.call("requeue of 5,000 by id", "POST /api/queue/requeue", Some(requeue.to_string().into())).await;
    site.call("pause", "POST /api/queue/pause", None).await;
    site.call("resume", "POST /api/queue/resume", None).await;

    let empty = a_farm(engine).await;
    with_files(&empty, &export);
    let mut other = Site::of(&empty).await;
    other
        .call(
            "import of 10,000 into an empty farm, dry run",
            "POST /api/queue/import?dry_run=true",
            Some(export.clone()),
        )
        .await;
    other.call("import of 10,000 into an empty farm", "POST /api/queue/import", Some(export)).await;
    site.took.extend(other.took);
    site.took
}

struct Site {
    router: Router,
    token: String,
    took: Vec<(&'static str, Duration)>,
}

impl Site {
    async fn of(farm: &Farm) -> Self {
        let token = token::create(&farm.app, "bench", Scope::Admin, "bench").await.expect("a token").1;
        Self { router: router(farm.app.clone()), token, took: Vec::new() }
    }

    async fn call(&mut self, what: &'static str, call: &str, body: Option<Bytes>) -> Bytes {
        let (method, path) = call.split_once(' ').expect("a method and a path");
        let mut request = Request::builder().method(method).uri(path);
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.token));
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(body.map_or_else(Body::empty, Body::from)).expect("a request");
        let begun = Instant::now();
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let status = response.status();
        let answer = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        self.took.push((what, begun.elapsed()));
        assert!(status.is_success(), "{call}: {status} {}", String::from_utf8_lossy(&answer));
        answer
    }
}

fn jobs_of(export: &Bytes, part: &str) -> impl Iterator<Item = Value> {
    let export: Value = serde_json::from_slice(export).expect("an export");
    export[part].as_array().expect("a part of it").clone().into_iter()
}

/// What the videos of an export need to be taken in.
fn with_files(farm: &Farm, export: &Bytes) {
    for video in jobs_of(export, "videos") {
        let id = serde_json::from_value(video["id"].clone()).expect("an id");
        let key = match video["status"].as_str() {
            Some("ready") => ObjectKey::Master { video: id, generation: 1 },
            _ => ObjectKey::Source { video: id },
        };
        let path = farm.app.storage.directory().expect("files").join(key.path());
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        std::fs::write(path, b"x").expect("it is written");
    }
}
