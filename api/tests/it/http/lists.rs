//! Pages of lists, and single things.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Site;

/// Follows the cursors of a list to its end.
async fn walk(site: &Site, list: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut cursor = String::new();
    for _ in 0..100 {
        let page = site.admin(&format!("GET {list}{cursor}"), None).await.ok();
        items.extend(page["items"].as_array().unwrap().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return items,
        }
    }
    panic!("{list} never ends");
}

#[tokio::test]
async fn pages_show_everything_once_newest_first() {
    let site = Site::open().await;
    for number in 0..7 {
        site.farm.upload(&format!("{number}.mp4")).await;
        if number % 2 == 0 {
            site.farm.wait(chrono::Duration::seconds(1));
        }
    }
    for list in
        ["/api/videos?limit=2", "/api/queue/jobs?limit=2", "/api/videos?limit=7", "/api/queue/jobs?limit=3"]
    {
        let items = walk(&site, list).await;
        let ids: HashSet<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert_eq!((items.len(), ids.len()), (7, 7), "{list}");
    }
    let jobs = walk(&site, "/api/queue/jobs?limit=2").await;
    let numbers: Vec<i64> = jobs.iter().map(|job| job["number"].as_i64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a > b), "{numbers:?}");
    let events = walk(&site, "/api/audit?limit=5").await;
    assert_eq!(events.len(), 15, "a video and a job each, and the token that asks");
}

#[tokio::test]
async fn a_new_item_does_not_shift_the_next_page() {
    let site = Site::open().await;
    for number in 0..3 {
        site.farm.upload(&format!("{number}.mp4")).await;
    }
    let first = site.admin("GET /api/queue/jobs?limit=2", None).await.ok();
    site.farm.upload("late.mp4").await;
    let next = first["next_cursor"].as_str().unwrap();
    let second = site.admin(&format!("GET /api/queue/jobs?limit=2&cursor={next}"), None).await.ok();
    assert_eq!(second["items"].as_array().unwrap().len(), 1);
    assert_eq!(second["items"][0]["number"], 1);
}

#[tokio::test]
async fn filters_narrow_a_list() {
    let site = Site::open().await;
    site.farm.upload_with("Holiday.mp4", |request| request.collection = Some("family".to_owned())).await;
    site.farm.upload("100%_real.mp4").await;
    for (query, count) in [
        ("videos?collection=family", 1),
        ("videos?collection=unknown", 0),
        ("videos?collection=%00", 0),
        ("videos?search=HOLI", 1),
        ("videos?search=%25_", 1),
        ("videos?search=%00", 2),
        ("videos?status=ready", 0),
        ("queue/jobs?collection=family", 1),
        ("queue/jobs?status=pending&queue_type=transcode", 2),
        ("queue/jobs?queue_type=preview", 0),
        ("audit?kind=video_created", 2),
        ("audit?kind=video_created&search=holiday", 1),
        ("audit?search=nobody", 0),
        ("audit?search=%00", 5),
        ("audit?actor=nobody", 0),
        ("audit?actor=%00", 0),
        ("audit?important=true", 5),
    ] {
        let page = site.admin(&format!("GET /api/{query}"), None).await.ok();
        assert_eq!(page["items"].as_array().unwrap().len(), count, "{query}");
        assert!(page["next_cursor"].is_null());
    }
}

#[tokio::test]
async fn a_video_is_renamed_moved_deleted_and_restored() {
    let site = Site::open().await;
    let id = site.farm.upload("a.mp4").await.video.id;
    let path = format!("/api/videos/{id}");
    let change = json!({ "title": " New title ", "collection": "family" });
    let changed = site.admin(&format!("PATCH {path}"), Some(change)).await.ok();
    assert_eq!(
        (&changed["video"]["title"], &changed["video"]["collection"]),
        (&json!("New title"), &json!("family"))
    );
    let changed = site.admin(&format!("PATCH {path}"), Some(json!({ "collection": null }))).await.ok();
    assert_eq!(
        (&changed["video"]["title"], &changed["video"]["collection"]),
        (&json!("New title"), &json!(null))
    );
    let refused = site.admin(&format!("PATCH {path}"), Some(json!({ "title": "  " }))).await;
    assert_eq!(refused.problem(), (400, "bad_text"));

    assert_eq!(site.admin(&format!("DELETE {path}"), None).await.status, 204);
    assert_eq!(site.admin(&format!("GET {path}"), None).await.problem(), (404, "not_found"));
    assert_eq!(site.admin(&format!("DELETE {path}"), None).await.problem(), (404, "not_found"));
    assert_eq!(site.admin(&format!("POST {path}/restore"), None).await.ok()["title"], "New title");
    let detail = site.admin(&format!("GET {path}"), None).await.ok();
    assert_eq!(detail["jobs"][0]["status"], "cancelled");
    assert_eq!(site.admin(&format!("POST {path}/retry"), None).await.status, 202);
    let retranscode =
        site.admin(&format!("POST {path}/retranscode"), Some(json!({ "retranscode_all": true }))).await;
    assert_eq!(retranscode.problem(), (409, "not_ready"));
}

#[tokio::test]
async fn a_job_is_found_by_its_number_and_a_video_by_its_slug() {
    let site = Site::open().await;
    let enqueued = site.farm.upload("holiday.mp4").await;
    let slug = enqueued.video.slug;
    let job = site.admin("GET /api/queue/jobs/1", None).await.ok();
    assert_eq!(job["job"]["id"], enqueued.job.id.to_string());
    let video = site.admin(&format!("GET /api/videos/{slug}"), None).await.ok();
    assert_eq!(video["video"]["id"], enqueued.video.id.to_string());
    for missing in ["/api/queue/jobs/2", "/api/queue/jobs/-1", "/api/videos/holiday", "/api/videos/%25"] {
        let answer = site.admin(&format!("GET {missing}"), None).await;
        assert_eq!(answer.problem(), (404, "not_found"), "{missing}");
    }
    assert_eq!(site.admin("GET /api/queue/jobs/one", None).await.problem(), (400, "bad_path"));
    site.admin(&format!("DELETE /api/videos/{}", enqueued.video.id), None).await.ok();
    assert_eq!(site.admin(&format!("GET /api/videos/{slug}"), None).await.problem().0, 404);
}
