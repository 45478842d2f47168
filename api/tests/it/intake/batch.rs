//! `POST /api/videos/batch` and `/api/intake`.

use framefarm_api::auth::Scope;
use serde_json::{Value, json};

use super::run;
use crate::http::Site;

async fn open() -> (Site, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let dirs = folder.path().to_str().unwrap().to_owned();
    let site = Site::with(|settings| settings.intake.intake_dirs = dirs).await;
    (site, folder)
}

#[tokio::test]
async fn a_thousand_paths_with_a_hundred_twice_are_nine_hundred_files() {
    let (site, folder) = open().await;
    let mut items = Vec::new();
    for n in 0..900 {
        let path = folder.path().join(format!("{n}.mp4"));
        std::fs::write(&path, format!("clip {n}")).unwrap();
        items.push(json!({ "path": path }));
    }
    items.extend(items[..100].to_vec());
    let body = Some(json!({ "items": items }));
    let answer = site.admin("POST /api/videos/batch", body.clone()).await;
    assert_eq!(answer.status, 202);
    let report = answer.ok();
    let counts = |report: &Value| {
        (report["accepted"].clone(), report["duplicates"].clone(), report["refused"].clone())
    };
    assert_eq!(counts(&report), (json!(900), json!(100), json!(0)));
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 1000);
    for n in 0..100 {
        assert_eq!(results[n]["intake_id"], results[n + 900]["intake_id"], "in the order of the items");
    }
    assert_eq!(
        counts(&site.admin("POST /api/videos/batch", body).await.ok()),
        (json!(0), json!(1000), json!(0))
    );
    let told: Vec<_> =
        site.farm.events().await.into_iter().filter(|event| event.kind.as_str() == "intake_queued").collect();
    assert_eq!((told.len(), told[0].reason.as_deref()), (1, Some("900 files")));
}

#[tokio::test]
async fn each_item_is_accepted_or_refused_on_its_own() {
    let (site, folder) = open().await;
    let path = folder.path().join("clip.mp4");
    std::fs::write(&path, b"clip").unwrap();
    let items = json!([
        { "path": path, "title": "Holiday", "collection": "family", "priority": "high", "qualities": ["360p"] },
        { "path": "/etc/passwd" },
        { "path": path, "qualities": ["1p"] },
        { "path": path, "title": " " },
        { "path": path, "url": "https://example.org/clip.mp4" },
        {},
        { "path": path, "collection": "other" },
    ]);
    let report = site.admin("POST /api/videos/batch", Some(json!({ "items": items }))).await.ok();
    let told: Vec<_> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["code"].as_str().or(result["status"].as_str()).unwrap())
        .collect();
    assert_eq!(
        told,
        ["accepted", "path_not_allowed", "unknown_quality", "bad_text", "bad_item", "bad_item", "accepted"]
    );
    assert_eq!(run(&site.farm.app).await, [2, 0, 0]);
    let id = report["results"][0]["intake_id"].as_str().unwrap();
    let intake = site.admin(&format!("GET /api/intake/{id}"), None).await.ok();
    assert_eq!(
        (&intake["state"], &intake["received"], &intake["size"]),
        (&json!("done"), &json!(4), &json!(4))
    );
    let video =
        site.admin(&format!("GET /api/videos/{}", intake["video_id"].as_str().unwrap()), None).await.ok();
    assert_eq!(
        (&video["video"]["title"], &video["video"]["collection"]),
        (&json!("Holiday"), &json!("family"))
    );
    assert_eq!(video["jobs"][0]["priority"], json!(100));
}

#[tokio::test]
async fn intakes_are_listed_cancelled_and_retried() {
    let (site, folder) = open().await;
    let mut ids = Vec::new();
    for n in 0..3 {
        let path = folder.path().join(format!("{n}.mp4"));
        std::fs::write(&path, format!("clip {n}")).unwrap();
        let body = json!({ "items": [{ "path": path }] });
        let report = site.admin("POST /api/videos/batch", Some(body)).await.ok();
        ids.push(report["results"][0]["intake_id"].as_str().unwrap().to_owned());
        site.farm.wait(chrono::Duration::milliseconds(1));
    }
    let page = site.admin("GET /api/intake?limit=2", None).await.ok();
    assert_eq!((&page["items"][0]["id"], &page["items"][1]["id"]), (&json!(ids[2]), &json!(ids[1])));
    let next = page["next_cursor"].as_str().unwrap();
    let page = site.admin(&format!("GET /api/intake?limit=2&cursor={next}"), None).await.ok();
    assert_eq!((&page["items"][0]["id"], &page["next_cursor"]), (&json!(ids[0]), &json!(null)));
    let one = format!("/api/intake/{}", ids[1]);
    assert_eq!(site.admin(&format!("DELETE {one}"), None).await.status, 204);
    assert_eq!(site.admin(&format!("DELETE {one}"), None).await.problem(), (409, "intake_ended"));
    let page = site.admin("GET /api/intake?state=cancelled", None).await.ok();
    assert_eq!((page["items"].as_array().unwrap().len(), &page["items"][0]["id"]), (1, &json!(ids[1])));
    let again = site.admin(&format!("POST {one}/retry"), None).await;
    assert_eq!((again.status.as_u16(), again.ok()["state"].clone()), (202, json!("waiting")));
    assert_eq!(site.admin(&format!("POST {one}/retry"), None).await.problem(), (409, "intake_not_failed"));
    let nobody = "/api/intake/0197a3c2-0000-7000-8000-000000000001";
    for call in [format!("GET {nobody}"), format!("DELETE {nobody}"), format!("POST {nobody}/retry")] {
        assert_eq!(site.admin(&call, None).await.problem(), (404, "not_found"), "{call}");
    }
    for bad in ["state=lost", "limit=0", "cursor=x", "colour=blue"] {
        assert_eq!(site.admin(&format!("GET /api/intake?{bad}"), None).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn a_batch_of_the_wrong_form_is_refused_as_a_whole() {
    let (site, _folder) = open().await;
    let many: Vec<Value> = (0..1001).map(|n| json!({ "path": format!("/{n}") })).collect();
    for (body, status, code) in [
        (json!({ "items": [] }), 400, "bad_batch"),
        (json!({ "items": many }), 400, "bad_batch"),
        (json!({ "items": [{ "path": "/a", "priority": 1001 }] }), 400, "bad_priority"),
        (json!({ "items": [{ "path": "/a", "colour": "blue" }] }), 422, "bad_field"),
        (json!({ "items": [{ "path": 7 }] }), 422, "bad_field"),
        (json!({}), 422, "bad_field"),
        (json!([{ "path": "/a" }]), 422, "bad_field"),
    ] {
        assert_eq!(
            site.admin("POST /api/videos/batch", Some(body.clone())).await.problem(),
            (status, code),
            "{body}"
        );
    }
}

#[tokio::test]
async fn uploaders_bring_files_in_and_only_an_admin_gives_them_up() {
    let (site, folder) = open().await;
    let path = folder.path().join("clip.mp4");
    std::fs::write(&path, b"clip").unwrap();
    let body = || Some(json!({ "items": [{ "path": path }] }));
    let (reader, uploader) = (site.token(Scope::Read).await, site.token(Scope::Upload).await);
    assert_eq!(site.as_bearer(&reader, "POST /api/videos/batch", body()).await.problem(), (403, "scope"));
    assert_eq!(site.call("POST /api/videos/batch", &[], body()).await.status, 401);
    let report = site.as_bearer(&uploader, "POST /api/videos/batch", body()).await.ok();
    let one = format!("/api/intake/{}", report["results"][0]["intake_id"].as_str().unwrap());
    for token in [&reader, &uploader] {
        assert_eq!(site.as_bearer(token, "GET /api/intake", None).await.status, 200);
        assert_eq!(site.as_bearer(token, &format!("GET {one}"), None).await.status, 200);
        assert_eq!(site.as_bearer(token, &format!("DELETE {one}"), None).await.problem(), (403, "scope"));
        assert_eq!(site.as_bearer(token, &format!("POST {one}/retry"), None).await.problem(), (403, "scope"));
    }
    assert_eq!(site.call("GET /api/intake", &[], None).await.status, 401);
}
