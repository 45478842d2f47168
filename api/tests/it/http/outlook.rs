//! What the queue says of itself: places, reasons, estimates.

use chrono::Duration;
use framefarm_api::testing::{TestWorker, a_plan};
use framefarm_shared::failure::ErrorClass;
use serde_json::{Value, json};

use super::Site;

async fn job(site: &Site, id: impl std::fmt::Display) -> Value {
    site.admin(&format!("GET /api/queue/jobs/{id}"), None).await.ok()["job"].clone()
}

async fn reason(site: &Site, id: impl std::fmt::Display) -> Value {
    job(site, id).await["waiting"]["reason"].clone()
}

/// A job that takes so long.
async fn done(site: &Site, worker: &TestWorker, name: &str, seconds: i64) {
    site.farm.upload(name).await;
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    site.farm.wait(Duration::seconds(seconds));
    worker.complete(&job).await.unwrap();
}

#[tokio::test]
async fn a_waiting_job_says_why() {
    let site = Site::open().await;
    let id = site.farm.upload("a.mp4").await.job.id;
    assert_eq!(
        job(&site, id).await["waiting"],
        json!({ "reason": "no_worker", "text": "No worker is online.", "until": null })
    );

    let worker = site.farm.worker("w1").await;
    worker.beat(&[]).await.unwrap();
    assert_eq!(reason(&site, id).await, "starting");
    site.admin("POST /api/queue/pause", None).await.ok();
    assert_eq!(reason(&site, id).await, "paused");
    site.admin("POST /api/queue/resume", None).await.ok();
    site.admin(&format!("POST /api/workers/{}/drain", worker.id), Some(json!({ "draining": true })))
        .await
        .ok();
    let draining = job(&site, id).await;
    assert_eq!(draining["waiting"]["reason"], "no_worker");
    assert!(draining["waiting"]["text"].as_str().unwrap().contains("draining"));
    site.admin(&format!("POST /api/workers/{}/drain", worker.id), Some(json!({ "draining": false })))
        .await
        .ok();

    let claimed = worker.claim().await;
    assert_eq!(job(&site, id).await["waiting"], Value::Null);
    let second = site.farm.upload("b.mp4").await.job.id;
    assert_eq!(reason(&site, second).await, "busy");
    site.admin("PATCH /api/queue/transcode", Some(json!({ "max_running": 1 }))).await.ok();
    let limited = job(&site, second).await["waiting"].clone();
    let text = "The limit of 1 running job is reached.";
    assert_eq!(limited, json!({ "reason": "limit", "text": text, "until": null }));

    worker.fail(&claimed, ErrorClass::Transfer, "cut off").await.unwrap();
    let failed = job(&site, id).await;
    assert_eq!(failed["waiting"]["reason"], "retry");
    assert_eq!(failed["waiting"]["until"], failed["retry_after"]);
    assert_eq!(failed["waiting_reason"], failed["waiting"]["text"]);
}

#[tokio::test]
async fn a_job_that_is_left_to_a_gpu_says_for_how_long() {
    let site = Site::open().await;
    site.farm.worker("cpu").await.beat(&[]).await.unwrap();
    let gpu = site.farm.gpu_worker("gpu-1").await;
    let id = site.farm.upload("a.mp4").await.job.id;
    let waiting = job(&site, id).await["waiting"].clone();
    assert_eq!(waiting["reason"], "gpu");
    assert!(waiting["text"].as_str().unwrap().starts_with("Waiting for gpu-1, at most "), "{waiting}");
    gpu.claim().await;
    let second = site.farm.upload("b.mp4").await.job.id;
    assert_eq!(reason(&site, second).await, "starting", "the CPU worker is free");
}

#[tokio::test]
async fn waiting_jobs_stand_in_the_order_in_which_they_are_taken() {
    let site = Site::open().await;
    let first = site.farm.upload("a.mp4").await.job.id;
    let second = site.farm.upload("b.mp4").await.job.id;
    let urgent = site.farm.upload_with("c.mp4", |request| request.priority = 50).await.job.id;
    let next = site.admin("GET /api/queue/next", None).await.ok();
    let order: Vec<Value> = next["items"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect();
    assert_eq!(order, [json!(urgent), json!(first), json!(second)]);
    assert_eq!(next["total"], 3);
    assert_eq!(next["items"][1]["position"], 2);
    assert_eq!(next["items"][1]["video_title"], "a");
    let worker = site.farm.worker("w1").await;
    worker.claim().await;
    assert_eq!(job(&site, urgent).await["position"], Value::Null);
    assert_eq!(job(&site, first).await["position"], 1);
    assert_eq!(
        site.admin("GET /api/queue/next?limit=1", None).await.ok()["items"].as_array().unwrap().len(),
        1
    );
}

#[tokio::test]
async fn an_estimate_comes_from_what_was_measured_and_is_a_range() {
    let site = Site::open().await;
    let worker = site.farm.worker("w1").await;
    let first = site.farm.upload("first.mp4").await.job.id;
    assert_eq!(job(&site, first).await["eta"], Value::Null, "nothing was measured yet");
    let claimed = worker.claim().await;
    worker.release(&claimed).await.unwrap();
    site.admin(&format!("POST /api/queue/jobs/{first}/cancel"), None).await.ok();

    done(&site, &worker, "one.mp4", 60).await;
    done(&site, &worker, "two.mp4", 60).await;
    let running = site.farm.upload("running.mp4").await.job.id;
    let claimed = worker.claim().await;
    assert_eq!(claimed.job_id, running);
    site.farm.wait(Duration::seconds(30));
    worker.progress(&claimed, 50.0).await.unwrap();
    let third = site.farm.upload("third.mp4").await.job.id;
    let fourth = site.farm.upload("fourth.mp4").await.job.id;
    let seconds = |job: &Value, field: &str| job["eta"][field].as_f64().unwrap();
    let (third, fourth) = (job(&site, third).await, job(&site, fourth).await);
    assert!((seconds(&job(&site, running).await, "seconds") - 30.0).abs() < 0.1);
    assert!((seconds(&third, "starts_in_seconds") - 30.0).abs() < 0.1);
    assert!((seconds(&third, "seconds") - 90.0).abs() < 0.1);
    assert!((seconds(&fourth, "seconds") - 150.0).abs() < 0.1);
    assert!(seconds(&fourth, "low_seconds") < 150.0 && seconds(&fourth, "high_seconds") > 150.0);
    let spread = |job: &Value| seconds(job, "high_seconds") - seconds(job, "low_seconds");
    assert!(spread(&fourth) > spread(&third), "the further away, the less is known");

    let overview = site.admin("GET /api/overview", None).await.ok();
    assert!((overview["queue_eta"]["seconds"].as_f64().unwrap() - 150.0).abs() < 0.1);
    assert_eq!(overview["running"][0]["id"], json!(running));
    site.admin("POST /api/queue/pause", None).await.ok();
    assert_eq!(job(&site, third["id"].as_str().unwrap()).await["eta"], Value::Null);
    let workers = site.admin("GET /api/workers", None).await.ok();
    let speed = workers["items"][0]["speed"].as_f64().unwrap();
    assert!((speed - 0.3).abs() < 0.01, "18 s of video in 60 s: {speed}");
    assert_eq!(workers["items"][0]["jobs"][0]["video_title"], "running");
}

#[tokio::test]
async fn the_work_on_a_video_stands_beside_it() {
    let site = Site::open().await;
    let worker = site.farm.worker("w1").await;
    site.farm.upload("clip.mp4").await;
    let list = || async { site.admin("GET /api/videos", None).await.ok()["items"][0].clone() };
    let waiting = list().await["work"].clone();
    assert_eq!((&waiting["status"], &waiting["position"]), (&json!("pending"), &json!(1)));
    assert_eq!(waiting["qualities"], json!([]));
    let claimed = worker.claim().await;
    worker.plan(&claimed, a_plan()).await.unwrap();
    worker.progress(&claimed, 12.5).await.unwrap();
    let running = list().await["work"].clone();
    assert_eq!((&running["percent"], &running["worker_name"]), (&json!(12.5), &json!("w1")));
    assert!(running["qualities"].as_array().unwrap().len() >= 4, "{running}");
    worker.encode(&claimed, &a_plan()).await;
    worker.complete(&claimed).await.unwrap();
    assert_eq!(list().await["work"], Value::Null);
}

#[tokio::test]
async fn throughput_has_every_hour_and_every_day() {
    let site = Site::open().await;
    let worker = site.farm.worker("w1").await;
    done(&site, &worker, "one.mp4", 60).await;
    let hours = site.admin("GET /api/throughput", None).await.ok();
    let buckets = hours["buckets"].as_array().unwrap();
    assert_eq!((buckets.len(), &hours["bucket_seconds"]), (24, &json!(3600)));
    assert_eq!((&buckets[23]["completed"], &buckets[22]["completed"]), (&json!(1), &json!(0)));
    assert_eq!(buckets[23]["video_seconds"], 18.0);
    let days = site.admin("GET /api/throughput?hours=720", None).await.ok();
    assert_eq!((days["buckets"].as_array().unwrap().len(), &days["bucket_seconds"]), (30, &json!(86400)));
    assert_eq!(site.admin("GET /api/throughput?hours=0", None).await.problem(), (400, "bad_hours"));
}

#[tokio::test]
async fn one_job_is_cancelled_once() {
    let site = Site::open().await;
    let id = site.farm.upload("a.mp4").await.job.id;
    let cancel = format!("POST /api/queue/jobs/{id}/cancel");
    assert_eq!(site.admin(&cancel, None).await.ok()["status"], "cancelled");
    assert_eq!(site.admin(&cancel, None).await.problem(), (409, "nothing_to_cancel"));
}
