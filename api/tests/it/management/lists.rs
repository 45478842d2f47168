//! Lists of others.

use axum::body::Body;
use axum::http::Request;
use framefarm_api::auth::Scope;
use framefarm_api::intake::fetch;
use serde_json::{Value, json};

use crate::http::{Answer, Site};

async fn open() -> (Site, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let dirs = folder.path().to_str().unwrap().to_owned();
    let site = Site::with(|settings| settings.intake.intake_dirs = dirs).await;
    for name in ["a.mp4", "b.mp4", "c.mp4"] {
        std::fs::write(folder.path().join(name), format!("clip {name}")).unwrap();
    }
    (site, folder)
}

async fn send(site: &Site, query: &str, kind: &str, body: String) -> Answer {
    let token = site.token(Scope::Admin).await;
    let request = Request::post(format!("/api/queue/import{query}")).header("content-type", kind);
    let request = request.header("authorization", format!("Bearer {token}"));
    site.send(request.body(Body::from(body)).unwrap()).await
}

fn rows(report: &Value) -> Vec<(u64, &str, &str)> {
    let rows = report["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        let reason = row["reason"].as_str().unwrap_or_default();
        (row["line"].as_u64().unwrap(), row["outcome"].as_str().unwrap(), reason)
    })
    .collect()
}

#[tokio::test]
async fn a_list_of_paths_becomes_jobs_and_each_row_is_told_what_became_of_it() {
    let (site, folder) = open().await;
    let dir = folder.path().display();
    let list = format!(
        "path,title,collection,priority,status\n\
         {dir}/a.mp4,\"First, of all\",old farm,high,pending\n\
         {dir}/b.mp4,,,,failed\n\
         {dir}/c.mp4,,,,completed\n\
         {dir}/a.mp4,First again,old farm,,\n\
         {dir}/gone.mp4,,,,\n\
         /etc/passwd,,,,\n"
    );
    let expected = [
        (2, "imported", ""),
        (3, "imported", ""),
        (4, "refused", "not_waiting"),
        (5, "duplicate", "same_source"),
    ];
    let dry = send(&site, "?dry_run=true", "text/csv", list.clone()).await.ok();
    assert_eq!((&dry["imported"], &dry["refused"]), (&json!(5), &json!(1)), "the form alone");
    let report = send(&site, "", "text/csv; charset=utf-8", list.clone()).await.ok();
    assert_eq!(rows(&report)[..4], expected);
    assert_eq!((rows(&report)[4].1, rows(&report)[5]), ("refused", (7, "refused", "path_not_allowed")));
    assert_eq!(
        (&report["imported"], &report["duplicate"], &report["refused"]),
        (&json!(2), &json!(1), &json!(3))
    );
    let again = send(&site, "", "text/csv", list).await.ok();
    assert_eq!((&again["imported"], &again["duplicate"]), (&json!(0), &json!(3)));

    while fetch::run_once(site.farm.app.clone()).await.unwrap().iter().any(|(_, count)| *count > 0) {}
    let jobs = site.admin("GET /api/queue/jobs", None).await.ok();
    let mut shown: Vec<_> = jobs["items"].as_array().unwrap().iter().collect();
    shown.sort_by_key(|job| job["video_title"].as_str().unwrap().to_owned());
    let shown: Vec<_> =
        shown.iter().map(|job| (&job["video_title"], &job["collection"], &job["priority"])).collect();
    let expected =
        [(json!("First, of all"), json!("old farm"), json!(100)), (json!("b"), json!(null), json!(0))];
    assert_eq!(shown, expected.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_list_may_be_json_and_other_bodies_are_refused() {
    let (site, folder) = open().await;
    let path = folder.path().join("a.mp4");
    let list = json!([{ "path": path, "priority": -7, "id": 12 }, { "title": "nothing" }, 3]);
    let report = send(&site, "", "application/json", format!(" {list}")).await.ok();
    let expected = [(1, "imported", ""), (2, "refused", "no_source"), (3, "refused", "bad_row")];
    assert_eq!(rows(&report), expected);
    assert!(report["rows"][0]["intake_id"].is_string());
    for (kind, body, problem) in [
        ("application/json", "[", (400, "bad_json")),
        ("application/json", "7", (422, "bad_field")),
        ("application/json", "{}", (422, "bad_field")),
        ("application/json", r#"[{"path":"\u0000"}]"#, (400, "bad_text")),
        ("text/csv", "title\nx\n", (422, "bad_list")),
        ("text/plain", "path\nx\n", (415, "unsupported_media_type")),
        ("", "", (415, "unsupported_media_type")),
    ] {
        assert_eq!(send(&site, "", kind, body.to_owned()).await.problem(), problem, "{kind} {body}");
    }
}
