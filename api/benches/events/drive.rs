//! Workers that hold jobs and tell how far they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use framefarm_api::lifecycle::workers;
use framefarm_api::testing::Farm;
use framefarm_shared::id::{BootId, VideoId};
use framefarm_shared::wire::worker_api::{ClaimReply, ClaimedJob, RegisterRequest};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::clients::Told;

/// Between two calls for one video.
const PACE: Duration = Duration::from_millis(500);
const JOBS_OF_A_WORKER: usize = 50;

pub(crate) struct Job {
    pub(crate) video: VideoId,
    claimed: ClaimedJob,
    caller: Arc<Caller>,
}

struct Caller {
    http: Client,
    url: String,
    key: String,
}

impl Caller {
    async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth(&self.key).json(body);
        let answer = request.send().await.expect("an answer");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }
}

pub(crate) async fn claim(farm: &Farm, url: &str, count: usize) -> Arc<Vec<Job>> {
    let mut jobs = Vec::with_capacity(count);
    let http = Client::builder().tcp_nodelay(true).build().expect("a client");
    while jobs.len() < count {
        let name = Some(format!("bench-{}", jobs.len()));
        let request = RegisterRequest { name, worker_type: None, capabilities: None, metadata: None };
        let key = workers::register(&farm.app, request).await.expect("registered").api_key;
        let caller = Arc::new(Caller { http: http.clone(), url: url.to_owned(), key });
        let boot = BootId::new(&farm.clock);
        for _ in 0..JOBS_OF_A_WORKER.min(count - jobs.len()) {
            let reply = caller.post("/api/worker/claim", &json!({ "boot_id": boot })).await;
            let claimed = serde_json::from_value::<ClaimReply>(reply).expect("a reply").job.expect("a job");
            jobs.push(Job { video: claimed.video_id, claimed, caller: caller.clone() });
        }
    }
    Arc::new(jobs)
}

/// Each video by itself, not in step with the others; how many calls were answered.
pub(crate) async fn progress(jobs: &Arc<Vec<Job>>, told: &Arc<Told>, lasts: Duration) -> usize {
    let calls = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    let end = Instant::now() + lasts;
    for index in 0..jobs.len() {
        let (jobs, told, calls) = (jobs.clone(), told.clone(), calls.clone());
        tasks.spawn(async move {
            let job = &jobs[index];
            let first = Instant::now() + PACE.mul_f64(rand::random());
            let mut ticks = tokio::time::interval_at(first, PACE);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            for number in 0..told.most() {
                if ticks.tick().await >= end {
                    break;
                }
                #[expect(clippy::cast_precision_loss, reason = "a small count")]
                let body = json!({
                    "job_id": job.claimed.job_id, "fence": job.claimed.fence, "step": "transcode",
                    "percent": number as f64 / told.most() as f64 * 100.0, "log": format!("call={number};"),
                });
                job.caller.post("/api/worker/progress", &body).await;
                told.answered(index, number);
                calls.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("a task");
    }
    calls.load(Ordering::Relaxed)
}
