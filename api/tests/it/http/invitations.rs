//! A worker joins by an invitation.

use axum::http::StatusCode;
use chrono::Duration;
use serde_json::json;

use super::Site;

async fn invite(site: &Site) -> String {
    let answer = site.admin("POST /api/workers/invitations", None).await;
    assert_eq!(answer.status, StatusCode::CREATED);
    answer.ok()["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_first_who_comes_with_an_invitation_is_registered() {
    // Also where no admin secret is set.
    let site = Site::with(|settings| settings.admin_secret.clear()).await;
    let token = invite(&site).await;
    assert!(token.starts_with("ffj_"));
    let register = async |token: &str| {
        let body = json!({ "name": "gpu-1" });
        site.call("POST /api/worker/register", &[("x-invitation", token)], Some(body)).await
    };
    let key = register(&token).await.ok()["api_key"].as_str().unwrap().to_owned();
    let boot = framefarm_shared::id::BootId::new(&site.farm.clock);
    let beat = json!({ "boot_id": boot, "status": "idle", "held": [] });
    site.as_bearer(&key, "POST /api/worker/heartbeat", Some(beat)).await.ok();
    assert_eq!(register(&token).await.problem(), (403, "invitation_used"));
    assert_eq!(register("ffj_nonsense").await.problem(), (403, "invitation_unknown"));
    assert_eq!(site.admin("GET /api/workers", None).await.ok()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_invitation_lasts_an_hour_and_a_refused_request_does_not_use_it_up() {
    let site = Site::open().await;
    let token = invite(&site).await;
    let register = async |name: &str| {
        let body = json!({ "name": name });
        site.call("POST /api/worker/register", &[("x-invitation", &token)], Some(body)).await
    };
    assert_eq!(register(&"x".repeat(101)).await.status, StatusCode::BAD_REQUEST);
    site.farm.wait(Duration::minutes(59));
    assert_eq!(register("in time").await.status, StatusCode::CREATED);
    let late = invite(&site).await;
    site.farm.wait(Duration::hours(1));
    let body = json!({ "name": "late" });
    let answer = site.call("POST /api/worker/register", &[("x-invitation", &late)], Some(body)).await;
    assert_eq!(answer.problem(), (403, "invitation_expired"));
}

#[tokio::test]
async fn only_an_admin_invites() {
    let site = Site::open().await;
    let token = site.token(framefarm_api::auth::Scope::Upload).await;
    let answer = site.as_bearer(&token, "POST /api/workers/invitations", None).await;
    assert_eq!(answer.problem(), (403, "scope"));
}
