//! The calls of the queue's screen: what their filters mean, what they answer, and who may.

use framefarm_api::auth::Scope;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::JobId;
use serde_json::{Value, json};

use super::fails;
use crate::http::Site;

async fn upload(site: &Site, name: &str, collection: Option<&str>) -> JobId {
    let named = collection.map(str::to_owned);
    site.farm.upload_with(name, |request| request.collection = named).await.job.id
}

/// Three failed jobs: of another class each, in two collections.
async fn three_failures(site: &Site) -> [JobId; 3] {
    let jobs = [
        upload(site, "Holiday one", Some("family")).await,
        upload(site, "Holiday two", Some("news")).await,
        upload(site, "Other", Some("news")).await,
    ];
    for (job, class) in
        jobs.iter().zip([ErrorClass::InputInvalid, ErrorClass::InputMissing, ErrorClass::InputInvalid])
    {
        fails(&site.farm, *job, class).await;
    }
    jobs
}

async fn post(site: &Site, path: &str) -> Value {
    site.admin(&format!("POST /api/queue/{path}"), None).await.ok()
}

#[tokio::test]
async fn every_filter_of_the_list_is_one_of_retrying_and_of_clearing() {
    let site = Site::open().await;
    let jobs = three_failures(&site).await;
    let row = site.farm.job(jobs[2]).await;
    let (video, worker) = (row.video_id, row.processed_by_worker_id.unwrap());
    for (filter, count) in [
        (String::new(), 3),
        ("&collection=news".to_owned(), 2),
        ("&collection=nobody".to_owned(), 0),
        ("&search=HOLIDAY".to_owned(), 2),
        ("&search=holiday&collection=news".to_owned(), 1),
        ("&error_class=input_invalid".to_owned(), 2),
        ("&status=failed".to_owned(), 3),
        ("&status=cancelled".to_owned(), 0),
        ("&status=pending".to_owned(), 0),
        ("&queue_type=preview".to_owned(), 0),
        (format!("&video={video}"), 1),
        (format!("&worker={worker}"), 1),
    ] {
        let listed = site.admin(&format!("GET /api/queue/jobs?limit=9{filter}"), None).await.ok();
        assert_eq!(listed["items"].as_array().unwrap().len(), count, "{filter}");
        let retried = post(&site, &format!("retry-errors?dry_run=true{filter}")).await;
        assert_eq!((&retried["retried"], &retried["dry_run"]), (&json!(count), &json!(true)), "{filter}");
        let cleared = post(&site, &format!("clear-errors?dry_run=true{filter}")).await;
        assert_eq!(cleared, json!({ "cleared": count, "dry_run": true }), "{filter}");
        let done = post(&site, &format!("clear-completed?dry_run=true{filter}")).await;
        assert_eq!(done["cleared"], 0, "{filter}");
    }
    let cleared = post(&site, "clear-errors?error_class=input_invalid&collection=news").await;
    assert_eq!(cleared, json!({ "cleared": 1, "dry_run": false }));
    let audit = site.admin("GET /api/audit?limit=1", None).await.ok();
    let words = "1 failed and cancelled jobs (collection news, error input_invalid)";
    assert_eq!(audit["items"][0]["reason"], words);
    assert_eq!(post(&site, "clear-errors?error_class=input_invalid&collection=news").await["cleared"], 0);
    let audit = site.admin("GET /api/audit?limit=1", None).await.ok();
    assert_eq!(audit["items"][0]["reason"], words, "nothing was done, nothing is told");
    let retried = post(&site, "retry-errors?collection=family").await;
    assert_eq!((&retried["retried"], &retried["skipped"]), (&json!(1), &json!(0)));
    let left = site.admin("GET /api/queue/depth?collection=news", None).await.ok();
    assert_eq!(left, json!({ "pending": 0, "running": 0, "completed": 0, "errors": 1 }));
}

#[tokio::test]
async fn jobs_are_chosen_by_ids_or_by_a_filter_and_the_report_is_partial() {
    let site = Site::open().await;
    let [one, two, three] = three_failures(&site).await;
    let unknown = JobId::new(&site.farm.clock);
    let waiting = upload(&site, "waiting", None).await;
    let call =
        async |path: &str, body: Value| site.admin(&format!("POST /api/queue/{path}"), Some(body)).await;
    let report = call("requeue", json!({ "ids": [one, unknown, waiting] })).await.ok();
    assert_eq!((&report["retried"], &report["skipped"]), (&json!(1), &json!(2)));
    let reasons = json!([{ "reason": "unknown", "count": 1 }, { "reason": "not_ended", "count": 1 }]);
    assert_eq!(report["reasons"], reasons);
    let named = report["skipped_jobs"].as_array().unwrap();
    assert!(named.contains(&json!({ "id": unknown, "number": null, "reason": "unknown" })));
    let report = call("requeue", json!({ "filter": { "collection": "news" }, "dry_run": true })).await.ok();
    assert_eq!((&report["retried"], &report["dry_run"]), (&json!(2), &json!(true)));
    let report = call("requeue", json!({ "filter": { "error_class": "input_missing" } })).await.ok();
    assert_eq!((&report["retried"], site.farm.job(two).await.requeue_count), (&json!(1), 1));

    let report = call("priority", json!({ "priority": "high", "ids": [one, two, three] })).await.ok();
    assert_eq!((&report["changed"], &report["skipped"]), (&json!(2), &json!(1)));
    assert_eq!(report["reasons"], json!([{ "reason": "not_pending", "count": 1 }]));
    let everything = json!({ "priority": 100, "filter": {} });
    let report = call("priority", everything.clone()).await.ok();
    assert_eq!((&report["changed"], &report["unchanged"]), (&json!(1), &json!(2)));
    let report = call("priority", everything).await.ok();
    assert_eq!((&report["changed"], &report["unchanged"]), (&json!(0), &json!(3)));

    for (path, body, problem) in [
        ("requeue", json!({}), (400, "bad_choice")),
        ("requeue", json!({ "ids": [one], "filter": {} }), (400, "bad_choice")),
        ("requeue", json!({ "ids": vec![one; 10_001] }), (400, "too_many_ids")),
        ("requeue", json!({ "filter": { "colection": "news" } }), (422, "bad_field")),
        ("priority", json!({ "priority": 1001, "filter": {} }), (400, "bad_priority")),
        ("priority", json!({ "filter": {} }), (422, "bad_field")),
    ] {
        assert_eq!(call(path, body).await.problem(), problem);
    }
}

#[tokio::test]
async fn jobs_are_counted_by_collection_queue_and_status() {
    let site = Site::open().await;
    three_failures(&site).await;
    upload(&site, "waiting", None).await;
    let counted = site.admin("GET /api/queue/counts", None).await.ok();
    let row = |collection: Option<&str>, status: &str, count: i64| json!({ "collection": collection, "queue_type": "transcode", "status": status, "count": count });
    let expected =
        [row(None, "pending", 1), row(Some("family"), "failed", 1), row(Some("news"), "failed", 2)];
    assert_eq!(counted["counts"], json!(expected));
}

#[tokio::test]
async fn only_an_admin_changes_the_queue_and_whoever_may_read_looks() {
    let site = Site::open().await;
    let job = upload(&site, "clip", None).await;
    let (reader, uploader) = (site.token(Scope::Read).await, site.token(Scope::Upload).await);
    let log = format!("GET /api/queue/jobs/{job}/log");
    for call in ["GET /api/queue/stuck", "GET /api/queue/counts", &log] {
        assert_eq!(site.as_bearer(&reader, call, None).await.status, 200, "{call}");
        assert_eq!(site.call(call, &[], None).await.problem().0, 401, "{call}");
    }
    let choice = json!({ "filter": {} });
    let priority = json!({ "filter": {}, "priority": 1 });
    for (call, body) in [
        ("POST /api/queue/retry-errors", None),
        ("POST /api/queue/clear-errors", None),
        ("POST /api/queue/clear-completed", None),
        ("POST /api/queue/requeue", Some(choice)),
        ("POST /api/queue/priority", Some(priority)),
        ("GET /api/queue/export", None),
        ("POST /api/queue/import", Some(json!([]))),
    ] {
        for token in [&reader, &uploader] {
            assert_eq!(site.as_bearer(token, call, body.clone()).await.problem().0, 403, "{call}");
        }
        assert_eq!(site.call(call, &[], body.clone()).await.problem().0, 401, "{call}");
        assert!(site.admin(call, body).await.status.is_success(), "{call}");
    }
}
