//! A farm as its clients see it: reached without a network, or by a real listener.

use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Request, StatusCode};
use framefarm_api::app::App;
use framefarm_api::auth::{Scope, token};
use framefarm_api::config::Settings;
use framefarm_api::db::Db;
use framefarm_api::http::router;
use framefarm_api::lifecycle::{claim, complete, plan, workers};
use framefarm_api::testing::{Farm, TestDatabase, media, s3_url, settings};
use framefarm_shared::clock::{Clock, wall_clock};
use framefarm_shared::id::{BootId, WorkerId};
use framefarm_shared::plan::{Plan, SourceInfo, VideoTrack};
use framefarm_shared::wire::worker_api::{
    ClaimRequest, ClaimedJob, CompleteRequest, PlanRequest, RegisterRequest,
};
use sha2::{Digest as _, Sha256};
use tower::ServiceExt as _;

/// Three segments of 6 s.
pub(crate) const BOUNDARIES: [u64; 4] = [0, 6_000_000, 12_000_000, 18_000_000];

pub(crate) struct Served {
    farm: Farm,
    pub(crate) token: String,
}

impl Deref for Served {
    type Target = Farm;

    fn deref(&self) -> &Farm {
        &self.farm
    }
}

impl Served {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::on(TestDatabase::sqlite(), change).await
    }

    /// On PostgreSQL and an object store, as instances of a farm are.
    pub(crate) async fn on_s3(change: impl FnOnce(&mut Settings)) -> Self {
        let more = |settings: &mut Settings| {
            settings.storage_url = s3_url();
            change(settings);
        };
        Self::on(TestDatabase::postgres().await, more).await
    }

    /// The clock begins at the machine's time: files carry that too.
    pub(crate) async fn on(database: TestDatabase, change: impl FnOnce(&mut Settings)) -> Self {
        let clock = Clock::manual(wall_clock());
        let mut settings = settings(&database);
        change(&mut settings);
        let app = App::start(settings, clock.clone()).await.expect("an app");
        let (_, token) = token::create(&app, "tests", Scope::Upload, "admin").await.expect("a token");
        Self { farm: Farm { app, clock, database }, token }
    }

    /// The process ended without a word and starts again on the same data.
    pub(crate) async fn after_a_crash(self) -> Self {
        Self { farm: self.farm.restarted(|_| {}).await, token: self.token }
    }

    pub(crate) fn db(&self) -> &Db {
        &self.app.db
    }

    pub(crate) fn router(&self) -> Router {
        router::router(self.app.clone())
    }

    /// With the uploader's token, unless the request brings its own.
    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        self.send_to(&self.app, request).await
    }

    /// The same to another instance.
    pub(crate) async fn send_to(&self, app: &App, mut request: Request<Body>) -> Answer {
        if !request.headers().contains_key(AUTHORIZATION) {
            let value = format!("Bearer {}", self.token).parse().expect("a header");
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        let response = router::router(app.clone()).oneshot(request).await.expect("infallible");
        let (head, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
        Answer { status: head.status, headers: head.headers, body }
    }

    /// Another instance of the same farm, with a disk of its own where the storage is elsewhere.
    pub(crate) async fn neighbour(&self) -> (App, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a directory");
        let mut settings = self.app.settings.clone();
        settings.data_dir = dir.path().to_owned();
        (App::start(settings, self.clock.clone()).await.expect("an app"), dir)
    }

    pub(crate) async fn listen(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = self.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.app.settings.data_dir.clone()
    }

    /// Every file below a directory of the data directory.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.path().join(below)];
        while let Some(dir) = open.pop() {
            for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    open.push(entry.path());
                } else {
                    found.push(entry.path().strip_prefix(self.path()).expect("below").display().to_string());
                }
            }
        }
        found.sort();
        found
    }

    pub(crate) async fn register(&self, name: &str) -> Actor {
        let request = RegisterRequest {
            name: Some(name.to_owned()),
            worker_type: None,
            capabilities: None,
            metadata: None,
        };
        let reply = workers::register(&self.app, request).await.expect("registered");
        Actor { id: reply.worker_id, key: reply.api_key, boot: BootId::new(&self.app.clock) }
    }

    pub(crate) async fn claim(&self, worker: &Actor) -> ClaimedJob {
        self.queued(worker).await.expect("a job")
    }

    /// A job, if one is due.
    pub(crate) async fn queued(&self, worker: &Actor) -> Option<ClaimedJob> {
        let request =
            ClaimRequest { boot_id: worker.boot, queue_types: None, job_id: None, wait_seconds: None };
        claim::claim(&self.app, worker.id, &request).await.expect("a reply").job
    }

    pub(crate) async fn claim_and_plan(&self, worker: &Actor) -> ClaimedJob {
        let job = self.claim(worker).await;
        let video = VideoTrack { width: 1280, height: 720, frame_rate: 25.0, codec: "h264".to_owned() };
        let source = SourceInfo {
            duration_us: BOUNDARIES[3],
            video: Some(video),
            has_cover: None,
            audio: vec![],
            subtitles: vec![],
            notes: vec![],
        };
        let request = PlanRequest { fence: job.fence, plan: Plan::regular(source) };
        plan::plan(&self.app, worker.id, job.job_id, request).await.expect("a plan");
        job
    }

    /// Uploads a small source that asks for 720p alone.
    pub(crate) async fn upload(&self, bytes: &[u8]) -> Answer {
        let request = Request::post("/api/uploads")
            .header("Tus-Resumable", "1.0.0")
            .header("Upload-Length", bytes.len())
            .header("Upload-Metadata", "filename YS5tcDQ=,qualities NzIwcA==")
            .header("Content-Type", "application/offset+octet-stream")
            .body(Body::from(bytes.to_vec()));
        self.send(request.expect("a request")).await
    }

    pub(crate) async fn put_part(
        &self,
        worker: &Actor,
        job: &ClaimedJob,
        fence: i64,
        first: u32,
        part: Vec<u8>,
    ) -> Answer {
        self.send(part_request(worker, job, fence, first, part)).await
    }

    /// Delivers everything and completes: the newest job of the queue becomes a video that plays.
    pub(crate) async fn encode(&self, worker: &Actor) -> ClaimedJob {
        let job = self.claim_and_plan(worker).await;
        let part = media::part("720p", 0, &BOUNDARIES).build();
        let answer = self.put_part(worker, &job, job.fence, 0, part).await;
        assert_eq!(answer.status, StatusCode::OK, "{:?}", answer.body);
        let request =
            CompleteRequest { job_id: job.job_id, fence: job.fence, results: None, left_out: vec![] };
        complete::complete(&self.app, worker.id, &request).await.expect("complete");
        job
    }
}

pub(crate) fn part_request(
    worker: &Actor,
    job: &ClaimedJob,
    fence: i64,
    first: u32,
    part: Vec<u8>,
) -> Request<Body> {
    Request::put(format!("/api/worker/jobs/{}/qualities/720p/parts/{first}?fence={fence}", job.job_id))
        .header(AUTHORIZATION, worker.bearer())
        .header("Repr-Digest", repr_digest(&part))
        .body(Body::from(part))
        .expect("a request")
}

pub(crate) fn repr_digest(bytes: &[u8]) -> String {
    format!("sha-256=:{}:", base64(&Sha256::digest(bytes)))
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    use ::base64::Engine as _;
    ::base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[derive(Clone)]
pub(crate) struct Actor {
    pub(crate) id: WorkerId,
    pub(crate) key: String,
    pub(crate) boot: BootId,
}

impl Actor {
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.key)
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// A header as text; empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Status and code of a problem document.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), "application/problem+json");
        (self.status.as_u16(), self.json()["code"].as_str().expect("a code").to_owned())
    }
}
