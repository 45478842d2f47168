//! The queue from the admin's side.

use framefarm_api::lifecycle::fail::fail;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::wire::worker_api::FailRequest;
use serde_json::{Value, json};

use super::Site;

/// A job that failed for good.
async fn failed_job(site: &Site, name: &str) -> String {
    let job = site.farm.upload(name).await.job.id;
    let worker = site.farm.worker("w").await;
    let claimed = worker.claim().await;
    assert_eq!(claimed.job_id, job);
    let request = FailRequest {
        job_id: job,
        fence: claimed.fence,
        class: ErrorClass::InputInvalid,
        message: "not a video".to_owned(),
        log: None,
    };
    fail(&site.farm.app, worker.id, &request).await.unwrap();
    job.to_string()
}

async fn depth(site: &Site) -> Value {
    site.admin("GET /api/queue/depth", None).await.ok()
}

#[tokio::test]
async fn a_failed_job_is_explained_and_requeued_once() {
    let site = Site::open().await;
    let id = failed_job(&site, "a.mp4").await;
    let detail = site.admin(&format!("GET /api/queue/jobs/{id}"), None).await.ok();
    let job = &detail["job"];
    assert_eq!((&job["status"], &job["state"]), (&json!("failed"), &json!("failed")));
    assert_eq!((&job["error"], &job["error_class"]), (&json!("not a video"), &json!("input_invalid")));
    assert_eq!(job["error_hint"], "The file cannot be decoded as video or audio.");
    assert_eq!(job["processed_by_worker_name"], "w");
    assert_eq!(detail["attempts"][0]["outcome"], "failed");
    let kinds: Vec<&str> =
        detail["timeline"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["job_enqueued", "job_claimed", "job_failed"]);
    assert_eq!(depth(&site).await, json!({ "pending": 0, "running": 0, "completed": 0, "errors": 1 }));

    let requeue = format!("POST /api/queue/jobs/{id}/requeue");
    assert_eq!(site.admin(&requeue, None).await.ok(), json!({ "requeued": true }));
    assert_eq!(site.admin(&requeue, None).await.ok(), json!({ "requeued": false }));
    assert_eq!(depth(&site).await, json!({ "pending": 1, "running": 0, "completed": 0, "errors": 0 }));
    let unknown =
        format!("POST /api/queue/jobs/{}/requeue", framefarm_shared::id::JobId::new(&site.farm.clock));
    assert_eq!(site.admin(&unknown, None).await.ok(), json!({ "requeued": false }));
}

#[tokio::test]
async fn errors_are_retried_and_cleared_together() {
    let site = Site::open().await;
    failed_job(&site, "a.mp4").await;
    failed_job(&site, "b.mp4").await;
    let other = site.admin("POST /api/queue/clear-errors?queue_type=preview", None).await.ok();
    assert_eq!(other, json!({ "cleared": 0, "dry_run": false }));
    let report = |retried: u64| json!({ "retried": retried, "skipped": 0, "reasons": [], "skipped_jobs": [], "dry_run": false });
    let nobody = site.admin("POST /api/queue/retry-errors?collection=unknown", None).await.ok();
    assert_eq!(nobody, report(0));
    let retried = site.admin("POST /api/queue/retry-errors", None).await.ok();
    assert_eq!(retried, report(2));

    failed_job_of_queue(&site).await;
    assert_eq!(site.admin("POST /api/queue/clear-completed", None).await.ok()["cleared"], 0);
    assert_eq!(site.admin("POST /api/queue/clear-errors", None).await.ok()["cleared"], 1);
    assert_eq!(depth(&site).await["errors"], 0);
}

/// Lets the next waiting job fail.
async fn failed_job_of_queue(site: &Site) {
    let worker = site.farm.worker("w").await;
    let claimed = worker.claim().await;
    let (job_id, fence) = (claimed.job_id, claimed.fence);
    let (class, message) = (ErrorClass::InputInvalid, "no".to_owned());
    let request = FailRequest { job_id, fence, class, message, log: None };
    fail(&site.farm.app, worker.id, &request).await.unwrap();
}

#[tokio::test]
async fn priorities_are_names_or_numbers_within_bounds() {
    let site = Site::open().await;
    let id = site.farm.upload("a.mp4").await.job.id;
    let call = format!("POST /api/queue/jobs/{id}/priority");
    for (given, stored) in [(json!("high"), 100), (json!(-1000), -1000), (json!(7.0), 7)] {
        let job = site.admin(&call, Some(json!({ "priority": given }))).await.ok();
        assert_eq!(job["priority"], stored);
    }
    let refused = site.admin(&call, Some(json!({ "priority": 1001 }))).await;
    assert_eq!(refused.problem(), (400, "bad_priority"));
    for wrong in [json!("urgent"), json!(0.5), json!(null), json!(1e12)] {
        let answer = site.admin(&call, Some(json!({ "priority": wrong }))).await;
        assert_eq!(answer.problem(), (422, "bad_field"), "{wrong}");
    }
    site.farm.worker("w").await.claim().await;
    let running = site.admin(&call, Some(json!({ "priority": "low" }))).await;
    assert_eq!(running.problem(), (409, "not_pending"));
}

#[tokio::test]
async fn a_paused_queue_says_why_jobs_wait() {
    let site = Site::open().await;
    site.farm.upload("a.mp4").await;
    let queues = site.admin("POST /api/queue/pause?queue_type=transcode", None).await.ok();
    let paused: Vec<&str> = queues["queues"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|queue| queue["paused"] == true)
        .map(|queue| queue["queue_type"].as_str().unwrap())
        .collect();
    assert_eq!(paused, ["transcode"]);
    let jobs = site.admin("GET /api/queue/jobs", None).await.ok();
    assert_eq!(jobs["items"][0]["waiting_reason"], "The transcode queue is paused.");
    site.admin("POST /api/queue/resume", None).await.ok();
    let jobs = site.admin("GET /api/queue/jobs", None).await.ok();
    assert_eq!(jobs["items"][0]["waiting_reason"], "No worker is online.");
}

#[tokio::test]
async fn a_queue_is_changed_field_by_field() {
    let site = Site::open().await;
    let change = async |body: Value| {
        let queues = site.admin("PATCH /api/queue/transcode", Some(body)).await.ok();
        let all = queues["queues"].as_array().unwrap().clone();
        let queue = all.into_iter().find(|queue| queue["queue_type"] == "transcode").unwrap();
        (queue["max_running"].clone(), queue["retry_mode"].clone())
    };
    assert_eq!(change(json!({ "max_running": 1 })).await, (json!(1), json!("auto")));
    assert_eq!(change(json!({ "retry_mode": "manual" })).await, (json!(1), json!("manual")));
    assert_eq!(change(json!({})).await, (json!(1), json!("manual")));
    assert_eq!(change(json!({ "max_running": null })).await, (json!(null), json!("manual")));
    let refused = site.admin("PATCH /api/queue/transcode", Some(json!({ "max_running": 0 }))).await;
    assert_eq!(refused.problem(), (400, "bad_max_running"));
    let audit = site.admin("GET /api/audit?limit=1", None).await.ok();
    assert_eq!(
        (&audit["items"][0]["kind"], &audit["items"][0]["actor"]),
        (&json!("queue_changed"), &json!("token:test"))
    );
}
