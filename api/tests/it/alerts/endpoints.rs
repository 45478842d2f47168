//! The admin's side, through the router.

use framefarm_api::auth::Scope;
use framefarm_api::testing::Farm;
use framefarm_shared::id::{DeliveryId, EndpointId};
use serde_json::{Value, json};

use super::Receiver;
use crate::http::Site;

const SLACK: &str = "https://hooks.slack.com/services/T000/B000/abcdefghij";

async fn site() -> Site {
    Site::with(|settings| settings.alerts.alert_webhook_allow = "127.0.0.0/8".parse().unwrap()).await
}

async fn created(site: &Site, body: Value) -> Value {
    site.admin("POST /api/alerts/endpoints", Some(body)).await.ok()
}

async fn actions(farm: &Farm) -> Vec<String> {
    let events = farm.events().await;
    let ours = events.iter().filter(|event| event.kind.as_str().starts_with("alert_"));
    ours.map(|event| format!("{} {} {}", event.actor, event.kind, event.reason.clone().unwrap_or_default()))
        .collect()
}

#[tokio::test]
async fn an_endpoint_is_made_changed_tested_and_removed_and_the_audit_knows() {
    let site = site().await;
    let receiver = Receiver::content().await;
    let made = created(&site, json!({ "name": " hook ", "url": receiver.url })).await;
    let endpoint = &made["endpoint"];
    assert_eq!(
        (&endpoint["kind"], &endpoint["name"], &endpoint["signed"]),
        (&json!("generic"), &json!("hook"), &json!(true))
    );
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_eq!(endpoint["alert_types"].as_array().unwrap().len(), 12, "the usual ones");
    let path = format!("/api/alerts/endpoints/{}", endpoint["id"].as_str().unwrap());

    let changed = site
        .admin(&format!("PATCH {path}"), Some(json!({ "alert_types": ["disk_low", "disk_low"] })))
        .await
        .ok();
    assert_eq!((&changed["alert_types"], &changed["name"]), (&json!(["disk_low"]), &json!("hook")));

    let test = site.admin(&format!("POST {path}/test"), None).await.ok();
    assert_eq!(
        (&test["delivery"]["status"], &test["delivery"]["alert_type"]),
        (&json!("delivered"), &Value::Null)
    );
    assert_eq!(
        (&test["attempts"][0]["status_code"], &test["payload"]["type"]),
        (&json!(204), &json!("alert.test"))
    );
    assert_eq!(receiver.heard()[0].json(), test["payload"]);

    let delivery = test["delivery"]["id"].as_str().unwrap().to_owned();
    let again = site.admin(&format!("POST /api/alerts/deliveries/{delivery}/replay"), None).await.ok();
    assert_eq!((&again["status"], &again["replay_of"]), (&json!("pending"), &json!(delivery)));
    let list = site.admin("GET /api/alerts/deliveries?status=pending&limit=1", None).await.ok();
    assert_eq!((list["items"].as_array().unwrap().len(), &list["next_cursor"]), (1, &Value::Null));
    let first = site.admin("GET /api/alerts/deliveries?limit=1", None).await.ok();
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = site.admin(&format!("GET /api/alerts/deliveries?limit=1&cursor={cursor}"), None).await.ok();
    assert_eq!(second["items"][0]["id"], json!(delivery));

    site.admin(&format!("POST {path}/rotate-secret"), None).await.ok();
    assert_eq!(site.admin(&format!("DELETE {path}"), None).await.status, 204);
    assert_eq!(site.admin(&format!("GET {path}"), None).await.problem(), (404, "not_found"));
    assert_eq!(
        site.admin(&format!("GET /api/alerts/deliveries/{delivery}"), None).await.problem(),
        (404, "not_found")
    );
    assert_eq!(
        actions(&site.farm).await,
        [
            "token:test alert_endpoint_created hook",
            "token:test alert_endpoint_changed hook: alert types",
            "token:test alert_endpoint_tested hook",
            "token:test alert_delivery_replayed hook",
            "token:test alert_secret_rotated hook",
            "token:test alert_endpoint_deleted hook",
        ]
    );
}

#[tokio::test]
async fn an_address_and_a_secret_are_shown_to_nobody_again() {
    let site = site().await;
    let made = created(&site, json!({ "name": "on call", "url": SLACK })).await;
    assert_eq!((&made["endpoint"]["kind"], &made["secret"]), (&json!("slack"), &Value::Null));
    assert_eq!(made["endpoint"]["address"], "hooks.slack.com/…ghij");
    let signed =
        created(&site, json!({ "name": "program", "url": "https://example.org/a/very/secret/path" })).await;
    let secret = signed["secret"].as_str().unwrap();
    let id = signed["endpoint"]["id"].as_str().unwrap();
    for call in [
        "GET /api/alerts/endpoints",
        &format!("GET /api/alerts/endpoints/{id}"),
        "GET /api/audit",
        "GET /api/alerts",
    ] {
        let text = site.admin(call, None).await.ok().to_string();
        for hidden in ["abcdefghij", "T000", "secret/path", secret] {
            assert!(!text.contains(hidden), "{call} shows {hidden}: {text}");
        }
    }
}

#[tokio::test]
async fn looking_needs_read_and_changing_needs_admin() {
    let site = site().await;
    let made = created(&site, json!({ "name": "on call", "url": SLACK })).await;
    let id = made["endpoint"]["id"].as_str().unwrap();
    let unknown = DeliveryId::new(&site.farm.clock);
    let (reader, uploader) = (site.token(Scope::Read).await, site.token(Scope::Upload).await);
    let reading = [
        "/api/alerts",
        "/api/alerts/endpoints",
        &format!("/api/alerts/endpoints/{id}"),
        "/api/alerts/deliveries",
    ];
    for path in reading {
        assert_eq!(site.call(&format!("GET {path}"), &[], None).await.problem(), (401, "unauthorized"));
        assert_eq!(site.as_bearer(&reader, &format!("GET {path}"), None).await.status, 200, "{path}");
    }
    let body = Some(json!({ "name": "x", "url": SLACK }));
    for (call, body) in [
        ("POST /api/alerts/endpoints".to_owned(), body),
        (format!("PATCH /api/alerts/endpoints/{id}"), Some(json!({ "enabled": false }))),
        (format!("DELETE /api/alerts/endpoints/{id}"), None),
        (format!("POST /api/alerts/endpoints/{id}/test"), None),
        (format!("POST /api/alerts/endpoints/{id}/rotate-secret"), None),
        (format!("POST /api/alerts/deliveries/{unknown}/replay"), None),
    ] {
        assert_eq!(site.call(&call, &[], body.clone()).await.problem(), (401, "unauthorized"), "{call}");
        for token in [&reader, &uploader] {
            assert_eq!(site.as_bearer(token, &call, body.clone()).await.problem(), (403, "scope"), "{call}");
        }
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let site = site().await;
    for (body, problem) in [
        (json!({ "name": "", "url": SLACK }), (400, "bad_text")),
        (json!({ "name": "x", "url": "http://10.0.0.1/" }), (422, "bad_webhook_url")),
        (json!({ "name": "x", "url": "https://user:pw@example.org/" }), (422, "bad_webhook_url")),
        (json!({ "name": "x", "url": "nonsense" }), (422, "bad_webhook_url")),
        (json!({ "name": "x", "url": SLACK, "alert_types": [] }), (422, "no_alert_types")),
        (json!({ "name": "x", "url": SLACK, "alert_types": ["coffee"] }), (422, "bad_field")),
        (json!({ "name": "x", "url": SLACK, "kind": "fax" }), (422, "bad_field")),
        (json!({ "name": "x", "url": SLACK, "colour": 1 }), (422, "bad_field")),
        (json!({ "name": "x" }), (422, "bad_field")),
    ] {
        assert_eq!(
            site.admin("POST /api/alerts/endpoints", Some(body.clone())).await.problem(),
            problem,
            "{body}"
        );
    }
    assert_eq!(site.admin("GET /api/alerts/endpoints", None).await.ok(), json!({ "items": [] }));
    let unknown = EndpointId::new(&site.farm.clock);
    for call in ["GET", "DELETE"] {
        let call = format!("{call} /api/alerts/endpoints/{unknown}");
        assert_eq!(site.admin(&call, None).await.problem(), (404, "not_found"), "{call}");
    }
    let change = site.admin(&format!("PATCH /api/alerts/endpoints/{unknown}"), Some(json!({}))).await;
    assert_eq!(change.problem(), (404, "not_found"));
}

#[tokio::test]
async fn the_address_of_the_settings_works_alone_and_is_changed_there_alone() {
    let receiver = Receiver::content().await;
    let url = receiver.url.clone();
    let secret = framefarm_api::alerts::sign::new_secret();
    let given = secret.clone();
    let site = Site::with(move |settings| {
        settings.alerts.alert_webhook_allow = "127.0.0.0/8".parse().unwrap();
        settings.alerts.alert_webhook_url = url;
        settings.alerts.alert_webhook_secret = given;
    })
    .await;
    let list = site.admin("GET /api/alerts/endpoints", None).await.ok();
    let endpoint = &list["items"][0];
    assert_eq!(
        (&endpoint["from_settings"], &endpoint["enabled"], &endpoint["signed"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let path = format!("/api/alerts/endpoints/{}", endpoint["id"].as_str().unwrap());
    for (call, body) in [
        (format!("PATCH {path}"), Some(json!({ "enabled": false }))),
        (format!("DELETE {path}"), None),
        (format!("POST {path}/rotate-secret"), None),
    ] {
        assert_eq!(site.admin(&call, body).await.problem(), (409, "from_settings"), "{call}");
    }
    let farm = &site.farm;
    farm.worker("north").await;
    farm.wait(chrono::Duration::hours(1));
    farm.reap().await;
    super::look(farm).await;
    assert_eq!(super::send(farm).await, 1);
    assert_eq!(receiver.heard()[0].json()["type"], "alert.worker_offline");
    assert!(receiver.heard()[0].header("webhook-signature").starts_with("v1,"));
    // Without the setting it is gone, and its log with it.
    let after = farm.beside(|settings| settings.alerts.alert_webhook_url = String::new()).await;
    assert!(framefarm_api::alerts::endpoints::list(&after).await.unwrap().is_empty());
}

#[tokio::test]
async fn every_type_is_listed_and_what_goes_on_is_explained() {
    let site = site().await;
    site.farm.worker("north").await;
    site.farm.wait(chrono::Duration::hours(1));
    site.farm.reap().await;
    super::look(&site.farm).await;
    let alerts = site.admin("GET /api/alerts", None).await.ok();
    let items = alerts["items"].as_array().unwrap();
    assert_eq!((items.len(), &alerts["cool_down_seconds"]), (15, &json!(300)));
    let offline = items.iter().find(|item| item["alert_type"] == "worker_offline").unwrap();
    assert_eq!(
        (&offline["firing"], &offline["total"], &offline["lasts"]),
        (&json!(true), &json!(1), &json!(true))
    );
    assert_eq!(offline["incidents"][0]["text"], "north is offline: no heartbeat.");
    assert_eq!(offline["since"], offline["incidents"][0]["since"]);
    assert!(items.iter().filter(|item| item["firing"] == true).count() == 1);
}
