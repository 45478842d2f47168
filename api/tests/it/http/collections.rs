//! `/api/collections`: who may do what, and what is refused.

use framefarm_api::auth::Scope;
use serde_json::json;

use super::Site;

#[tokio::test]
async fn a_collection_is_made_changed_counted_and_deleted() {
    let site = Site::open().await;
    let rules = json!({ "name": " Nachrichten/日本 ", "ladder": "360p:600, 720p:2500", "priority": "high",
        "completed_retention_days": 7, "source_retention": "delete_after_ready" });
    let made = site.admin("POST /api/collections", Some(rules.clone())).await;
    assert_eq!(made.status, 201);
    let body = made.ok();
    assert_eq!((&body["name"], &body["ladder"]), (&json!("Nachrichten/日本"), &json!("720p:2500,360p:600")));
    assert_eq!((&body["priority"], &body["source_retention"]), (&json!(100), &json!("delete_after_ready")));
    assert_eq!(site.admin("POST /api/collections", Some(rules)).await.problem(), (409, "collection_exists"));

    site.farm.upload_with("clip", |request| request.collection = Some("Nachrichten/日本".to_owned())).await;
    let path = "/api/collections/Nachrichten%2F%E6%97%A5%E6%9C%AC";
    let change = json!({ "ladder": null, "priority": -5, "source_retention": "30" });
    let body = site.admin(&format!("PATCH {path}"), Some(change)).await.ok();
    assert_eq!((&body["ladder"], &body["priority"]), (&json!(null), &json!(-5)));
    assert_eq!((&body["completed_retention_days"], &body["source_retention"]), (&json!(7), &json!("30")));
    let body = site.admin(&format!("GET {path}"), None).await.ok();
    assert_eq!((&body["videos"], &body["jobs"]["pending"]), (&json!(1), &json!(1)));
    let all = site.admin("GET /api/collections", None).await.ok();
    assert_eq!(all["collections"], json!([body]));

    assert_eq!(site.admin(&format!("DELETE {path}"), None).await.status, 204);
    for call in ["GET", "DELETE"] {
        assert_eq!(site.admin(&format!("{call} {path}"), None).await.problem(), (404, "not_found"));
    }
    assert_eq!(site.admin(&format!("PATCH {path}"), Some(json!({}))).await.problem(), (404, "not_found"));
    let kinds: Vec<_> = site.farm.events().await.into_iter().map(|event| event.kind.as_str()).collect();
    for kind in ["collection_created", "collection_changed", "collection_deleted"] {
        assert_eq!(kinds.iter().filter(|told| **told == kind).count(), 1, "{kind}");
    }
}

#[tokio::test]
async fn rules_that_make_no_sense_are_refused_in_words() {
    let site = Site::open().await;
    site.admin("POST /api/collections", Some(json!({ "name": "news" }))).await.ok();
    for (change, status, code) in [
        (json!({ "ladder": "720p" }), 400, "bad_ladder"),
        (json!({ "ladder": "" }), 400, "bad_ladder"),
        (json!({ "source_retention": "soon" }), 400, "bad_retention"),
        (json!({ "source_retention": "0" }), 400, "bad_retention"),
        (json!({ "completed_retention_days": -1 }), 400, "bad_retention"),
        (json!({ "completed_retention_days": 36_501 }), 400, "bad_retention"),
        (json!({ "priority": 1001 }), 400, "bad_priority"),
        (json!({ "priority": "urgent" }), 422, "bad_field"),
        (json!({ "colour": "blue" }), 422, "bad_field"),
    ] {
        let answer = site.admin("PATCH /api/collections/news", Some(change.clone())).await;
        assert_eq!(answer.problem(), (status, code), "{change}");
    }
    for name in [" ", "a\nb", &"x".repeat(101)] {
        let answer = site.admin("POST /api/collections", Some(json!({ "name": name }))).await;
        assert_eq!(answer.problem(), (400, "bad_text"), "{name:?}");
    }
    assert_eq!(site.admin("GET /api/collections/%00", None).await.problem(), (404, "not_found"));
}

#[tokio::test]
async fn everybody_looks_at_collections_and_only_an_admin_changes_them() {
    let site = Site::open().await;
    let new = || Some(json!({ "name": "news" }));
    site.admin("POST /api/collections", new()).await.ok();
    for scope in [Scope::Read, Scope::Upload] {
        let token = site.token(scope).await;
        assert_eq!(site.as_bearer(&token, "GET /api/collections", None).await.status, 200);
        assert_eq!(site.as_bearer(&token, "GET /api/collections/news", None).await.status, 200);
        for (call, body) in [
            ("POST /api/collections", new()),
            ("PATCH /api/collections/news", Some(json!({}))),
            ("DELETE /api/collections/news", None),
        ] {
            assert_eq!(site.as_bearer(&token, call, body).await.problem(), (403, "scope"), "{call}");
        }
    }
    assert_eq!(site.call("GET /api/collections", &[], None).await.status, 401);
    assert_eq!(site.call("DELETE /api/collections/news", &[], None).await.status, 401);
}
