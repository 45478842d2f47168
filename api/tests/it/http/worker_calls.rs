//! A worker's calls, word by word.

use framefarm_shared::id::BootId;
use serde_json::{Value, json};

use super::{SECRET, Site};

#[tokio::test]
async fn a_worker_claims_tells_hands_back_and_fails() {
    let site = Site::open().await;
    let headers = [("x-admin-secret", SECRET)];
    let registered = site.call("POST /api/worker/register", &headers, Some(json!({}))).await.ok();
    let key = registered["api_key"].as_str().unwrap().to_owned();
    let post = async |call: &str, body: Value| {
        site.as_bearer(&key, &format!("POST /api/worker/{call}"), Some(body)).await
    };
    let boot = BootId::new(&site.farm.clock);
    let empty = post("claim", json!({ "boot_id": boot })).await.ok();
    assert_eq!((&empty["job"], &empty["reason"]), (&Value::Null, &json!("empty")));

    let job = site.farm.upload("a.mp4").await.job.id;
    let claimed = post("claim", json!({ "boot_id": boot, "queue_types": ["transcode"] })).await.ok();
    assert_eq!((&claimed["job"]["job_id"], &claimed["job"]["fence"]), (&json!(job), &json!(1)));
    let with = |fence: i64, more: Value| {
        let mut body = json!({ "job_id": job, "fence": fence });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let told = post("progress", with(1, json!({ "step": "probe", "percent": 5 }))).await.ok();
    assert_eq!(told["lease_seconds"], 1800);
    let asleep = post("progress", with(1, json!({ "step": "sleep", "percent": 6 }))).await;
    assert_eq!(asleep.problem(), (422, "bad_field"));
    assert_eq!(post("release", with(1, json!({}))).await.status, 204);

    let claimed = post("claim", json!({ "boot_id": boot, "job_id": job })).await.ok();
    assert_eq!(claimed["job"]["fence"], 2);
    let late = post("complete", with(1, json!({}))).await;
    assert_eq!(late.problem(), (409, "fenced"));
    let failure = json!({ "class": "input_invalid", "message": "not a video" });
    assert_eq!(post("fail", with(2, failure.clone())).await.ok()["status"], "failed");
    assert_eq!(post("fail", with(2, failure)).await.problem(), (409, "claim_lost"));
}
