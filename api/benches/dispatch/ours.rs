//! The farm as workers see it: the real program, called over HTTP on connections that stay open.

use framefarm_api::auth::{Scope, token};
use framefarm_api::lifecycle::workers;
use framefarm_api::testing::{Farm, TestDatabase};
use framefarm_shared::id::BootId;
use framefarm_shared::wire::worker_api::{ClaimReply, ClaimedJob, RegisterRequest};
use reqwest::Client;
use serde_json::{Value, json};

use super::common::Server;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Database,
    Hybrid,
}

/// Whether the program can be told to use Redis.
pub(crate) fn knows_redis() -> bool {
    framefarm_api::config::reference().contains("job_queue_mode")
}

/// A server on a database of its own.
pub(crate) struct Site {
    pub(crate) farm: Farm,
    pub(crate) server: Server,
}

impl Site {
    /// `prepare` fills the database before the server starts.
    pub(crate) async fn start(mode: Mode, prepare: impl AsyncFnOnce(&Farm)) -> Self {
        let farm = Farm::on(TestDatabase::postgres().await, |_| {}).await;
        prepare(&farm).await;
        let redis = std::env::var("BENCH_REDIS_URL").unwrap_or_default();
        let settings: &[(&str, &str)] = match mode {
            Mode::Database => &[],
            Mode::Hybrid => &[("FRAMEFARM_JOB_QUEUE_MODE", "hybrid"), ("FRAMEFARM_REDIS_URL", &redis)],
        };
        let server = Server::start(&farm.database.url(), settings);
        Self { farm, server }
    }

    pub(crate) async fn uploader(&self) -> Caller {
        let token = token::create(&self.farm.app, "bench", Scope::Upload, "admin").await.expect("a token").1;
        Caller::new(&self.server.url, token)
    }

    pub(crate) async fn worker(&self, name: &str) -> Worker {
        let request = RegisterRequest {
            name: Some(name.to_owned()),
            worker_type: None,
            capabilities: None,
            metadata: None,
        };
        let reply = workers::register(&self.farm.app, request).await.expect("registered");
        Worker { caller: Caller::new(&self.server.url, reply.api_key), boot: BootId::new(&self.farm.clock) }
    }
}

pub(crate) struct Caller {
    http: Client,
    url: String,
    secret: String,
}

impl Caller {
    fn new(url: &str, secret: String) -> Self {
        let http = Client::builder().tcp_nodelay(true).build().expect("a client");
        Self { http, url: url.to_owned(), secret }
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth(&self.secret).json(body);
        let answer = request.send().await.expect("an answer");
        let status = answer.status();
        let body = answer.bytes().await.expect("a body");
        assert!(status.is_success(), "{path}: {status} {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap_or_default()
    }

    /// One call that makes a video and its job.
    pub(crate) async fn upload(&self, content: &str) {
        let request = self
            .http
            .post(format!("{}/api/uploads", self.url))
            .bearer_auth(&self.secret)
            .header("Tus-Resumable", "1.0.0")
            .header("Upload-Length", content.len())
            .header("Content-Type", "application/offset+octet-stream")
            .body(content.to_owned());
        let answer = request.send().await.expect("an answer");
        assert!(answer.headers().contains_key("framefarm-job-id"), "{answer:?}");
    }
}

pub(crate) struct Worker {
    caller: Caller,
    boot: BootId,
}

impl Worker {
    pub(crate) async fn claim(&self, kind: &str, wait_seconds: u32) -> Option<ClaimedJob> {
        let body = json!({ "boot_id": self.boot, "queue_types": [kind], "wait_seconds": wait_seconds });
        let reply = self.caller.post("/api/worker/claim", &body).await;
        serde_json::from_value::<ClaimReply>(reply).expect("a reply").job
    }

    /// Ends the job for good: a source that cannot be read is never tried again.
    pub(crate) async fn fail(&self, job: &ClaimedJob) {
        let body =
            json!({ "job_id": job.job_id, "fence": job.fence, "class": "input_invalid", "message": "bench" });
        self.caller.post("/api/worker/fail", &body).await;
    }

    /// Of a captions job, which delivers nothing by itself.
    pub(crate) async fn complete(&self, job: &ClaimedJob) {
        let body = json!({ "job_id": job.job_id, "fence": job.fence, "results": { "tracks": 0 } });
        self.caller.post("/api/worker/complete", &body).await;
    }
}
