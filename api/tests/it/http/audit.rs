//! Who did what: nobody looks like somebody else, and logins are told.

use framefarm_api::auth::Scope;
use framefarm_api::responses::events::{self, ActorKind, Event, Filter};
use framefarm_api::testing::Farm;
use serde_json::{Value, json};

use super::{PASSWORD, Site};

async fn matching(farm: &Farm, filter: Filter) -> Vec<Event> {
    events::list(&farm.app, filter, None, 500).await.unwrap().items
}

framefarm_api::on_both_engines! {
    async fn no_worker_looks_like_anybody_else(farm: Farm) {
        let mut claims = 0;
        for name in ["admin", "token:ci", "farm", "anonymous", "worker:x"] {
            let worker = farm.worker(name).await;
            farm.upload(name).await;
            worker.claim().await;
            claims += 1;
            let told = matching(&farm, Filter { actor: Some(format!("worker:{name}")), ..Filter::default() }).await;
            assert!(told.len() >= 2, "{name}: {told:?}");
            assert!(told.iter().all(|event| event.actor_kind == ActorKind::Worker), "{told:?}");
        }
        // Rows of earlier versions hold the bare name.
        farm.sql("UPDATE event SET actor = 'admin' WHERE kind = 'job_claimed'").await;
        for filter in [
            Filter { by_people: true, ..Filter::default() },
            Filter { actor: Some("admin".to_owned()), ..Filter::default() },
            Filter { actor: Some("token:ci".to_owned()), ..Filter::default() },
        ] {
            assert!(matching(&farm, filter).await.is_empty());
        }
        let all = matching(&farm, Filter::default()).await;
        let old = all.iter().filter(|event| event.actor == "worker:admin" && event.job_id.is_some());
        assert_eq!(old.filter(|event| event.actor_kind == ActorKind::Worker).count(), claims);
    }
}

async fn of_kind(site: &Site, kind: &str) -> Vec<Value> {
    let page = site.admin(&format!("GET /api/audit?kind={kind}"), None).await.ok();
    page["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn logins_and_failed_ones_and_logouts_are_told_with_the_address() {
    let site = Site::open().await;
    let log_in = async |from: &str, password: &str| {
        site.call_from(from, "POST /api/login", &[], Some(json!({ "password": password }))).await
    };
    log_in("192.0.2.66", "guess").await;
    let answer = log_in("2001:db8::7", PASSWORD).await;
    let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
    for _ in 0..2 {
        site.call_from("2001:db8::7", "POST /api/logout", &[("cookie", &cookie)], None).await;
    }
    for (kind, actor_kind, actor, client) in [
        ("login_failed", "anonymous", "anonymous", "192.0.2.66"),
        ("logged_in", "person", "admin", "2001:db8::7"),
        ("logged_out", "person", "admin", "2001:db8::7"),
    ] {
        let [event] = &of_kind(&site, kind).await[..] else { panic!("{kind}: not one") };
        assert_eq!((&event["actor_kind"], &event["actor"]), (&json!(actor_kind), &json!(actor)));
        assert_eq!(
            (&event["data"]["client"], &event["reason"]),
            (&json!(client), &json!(format!("from {client}")))
        );
    }
}

#[tokio::test]
async fn guessers_do_not_fill_the_audit() {
    let site = Site::open().await;
    for host in 0..40 {
        let from = format!("192.0.2.{host}");
        site.call_from(&from, "POST /api/login", &[], Some(json!({ "password": "guess" }))).await;
    }
    let told = of_kind(&site, "login_failed").await;
    assert!((20..30).contains(&told.len()), "{} rows for 40 guesses", told.len());
}

#[tokio::test]
async fn the_audit_is_exported_as_json_lines() {
    let site = Site::open().await;
    for name in ["a.mp4", "b.mp4"] {
        site.farm.upload(name).await;
    }
    site.admin("GET /api/me", None).await.ok();
    let answer = site.admin("GET /api/audit/export", None).await;
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let lines = |body: &Value| -> Vec<Value> {
        body.as_str().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let exported = lines(&answer.body);
    let mut listed =
        site.admin("GET /api/audit?limit=500", None).await.ok()["items"].as_array().unwrap().clone();
    listed.reverse();
    assert_eq!(exported, listed);
    let after = exported[1]["id"].as_i64().unwrap();
    let rest = site.admin(&format!("GET /api/audit/export?after={after}"), None).await;
    assert_eq!(lines(&rest.body), exported[2..]);

    let token = site.token(Scope::Read).await;
    assert_eq!(site.as_bearer(&token, "GET /api/audit/export", None).await.problem(), (403, "scope"));
}
