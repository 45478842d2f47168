//! Logins, sessions and tokens.

use axum::http::header;
use chrono::Duration;
use framefarm_api::auth::{Right, Scope, password};
use serde_json::json;
use tokio::sync::OnceCell;

use super::{Answer, PASSWORD, Site};

async fn log_in(site: &Site, password: &str) -> Answer {
    site.call("POST /api/login", &[], Some(json!({ "password": password }))).await
}

/// The cookie as a browser would send it back.
async fn session(site: &Site) -> String {
    let answer = log_in(site, PASSWORD).await;
    answer.header(header::SET_COOKIE).split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn the_password_opens_a_session_and_logout_ends_it() {
    let site = Site::open().await;
    let answer = log_in(&site, PASSWORD).await;
    let cookie = answer.header(header::SET_COOKIE).to_owned();
    for attribute in ["framefarm_session=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let pair = cookie.split(';').next().unwrap();
    let me = site.call("GET /api/me", &[("cookie", pair)], None).await.ok();
    assert_eq!(me, json!({ "actor": "admin", "scope": "admin" }));

    let out = site.call("POST /api/logout", &[("cookie", pair)], None).await;
    assert!(out.header(header::SET_COOKIE).contains("Max-Age=0"));
    assert_eq!(site.call("GET /api/me", &[("cookie", pair)], None).await.problem(), (401, "unauthorized"));
}

#[tokio::test]
async fn behind_https_the_cookie_can_be_kept_to_https() {
    let cookie = async |secure: bool| {
        let site = Site::with(|settings| settings.secure_cookie = secure).await;
        log_in(&site, PASSWORD).await.header(header::SET_COOKIE).contains("; Secure")
    };
    assert!(cookie(true).await && !cookie(false).await);
}

#[tokio::test]
async fn the_cookie_follows_the_scheme_of_the_public_address() {
    for (address, secure) in [("https://farm.example.org", true), ("http://farm.example.org", false)] {
        let site = Site::with(|settings| settings.public_url = address.parse().unwrap()).await;
        let cookie = log_in(&site, PASSWORD).await.header(header::SET_COOKIE).to_owned();
        assert_eq!(cookie.contains("; Secure"), secure, "{address}: {cookie}");
        let invitation = site.admin("POST /api/workers/invitations", None).await.ok();
        assert_eq!(invitation["url"], address);
    }
}

#[tokio::test]
async fn a_session_ends_with_its_time_and_with_a_new_password() {
    let site = Site::open().await;
    let cookie = session(&site).await;
    site.farm.wait(Duration::hours(168));
    assert_eq!(site.call("GET /api/me", &[("cookie", &cookie)], None).await.status, 401);

    let cookie = session(&site).await;
    let Site { farm, .. } = site;
    let farm = farm.restarted(|settings| settings.admin_password = "another".to_owned()).await;
    password::prepare(&farm.app).await.unwrap();
    let router = framefarm_api::http::router::router(farm.app.clone());
    let site = Site { farm, router, admin: OnceCell::new() };
    assert_eq!(site.call("GET /api/me", &[("cookie", &cookie)], None).await.status, 401);
    assert_eq!(log_in(&site, PASSWORD).await.problem(), (401, "wrong_password"));
    log_in(&site, "another").await.ok();
}

#[tokio::test]
async fn a_password_is_made_once_and_stays() {
    let site = Site::with(|settings| settings.admin_password = String::new()).await;
    let again = password::prepare(&site.farm.app).await.unwrap();
    assert_eq!(again, None, "the first start made it already");
    site.farm.sql("DELETE FROM fact WHERE name = 'admin_password'").await;
    let made = password::prepare(&site.farm.app).await.unwrap().unwrap();
    log_in(&site, &made).await.ok();
}

#[tokio::test]
async fn wrong_passwords_are_refused_and_then_slowed_down() {
    let site = Site::open().await;
    for _ in 0..10 {
        assert_eq!(log_in(&site, "guess").await.problem(), (401, "wrong_password"));
    }
    let refused = log_in(&site, PASSWORD).await;
    assert_eq!(refused.problem(), (429, "too_many_logins"));
    assert!(refused.header(header::RETRY_AFTER).parse::<u32>().unwrap() > 0);
}

#[tokio::test]
async fn another_site_cannot_use_the_cookie() {
    let site = Site::open().await;
    let cookie = session(&site).await;
    let own = [("cookie", cookie.as_str()), ("host", "farm.example"), ("origin", "http://farm.example")];
    site.call("POST /api/queue/pause", &own, None).await.ok();
    for foreign in
        [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"), ("origin", "http://evil.example")]
    {
        let headers = [("cookie", cookie.as_str()), ("host", "farm.example"), foreign];
        let answer = site.call("POST /api/queue/resume", &headers, None).await;
        assert_eq!(answer.problem(), (403, "cross_site"), "{foreign:?}");
    }
    // Looking changes nothing, and a token is not sent by itself.
    site.call("GET /api/queue", &[("cookie", &cookie), ("sec-fetch-site", "cross-site")], None).await.ok();
    let bearer = format!("Bearer {}", site.token(Scope::Admin).await);
    let headers = [("authorization", bearer.as_str()), ("origin", "http://evil.example")];
    site.call("POST /api/queue/resume", &headers, None).await.ok();
}

#[tokio::test]
async fn a_login_from_another_site_is_refused() {
    let site = Site::open().await;
    let headers = [("sec-fetch-site", "cross-site")];
    let answer = site.call("POST /api/login", &headers, Some(json!({ "password": PASSWORD }))).await;
    assert_eq!(answer.problem(), (403, "cross_site"));
}

#[tokio::test]
async fn a_bad_token_is_not_helped_by_a_good_cookie() {
    let site = Site::open().await;
    let cookie = session(&site).await;
    for value in ["Bearer fft_unknown", "Bearer nonsense", "Basic YTpi", "Bearer"] {
        let answer = site.call("GET /api/me", &[("cookie", &cookie), ("authorization", value)], None).await;
        assert_eq!(answer.problem(), (401, "unauthorized"), "{value}");
    }
}

#[tokio::test]
async fn each_scope_may_do_what_it_says_and_no_more() {
    let site = Site::open().await;
    let calls = [
        ("GET /api/videos", Right::Read),
        ("GET /api/queue/depth", Right::Read),
        ("GET /api/workers", Right::Read),
        ("POST /api/queue/pause", Right::Manage),
        ("GET /api/audit", Right::Admin),
        ("GET /api/tokens", Right::Admin),
    ];
    for scope in Scope::ALL {
        let token = site.token(scope).await;
        for (call, needed) in calls {
            let answer = site.as_bearer(&token, call, None).await;
            if scope.has(needed) {
                answer.ok();
            } else {
                assert_eq!(answer.problem(), (403, "scope"), "{scope} {call}");
            }
        }
    }
    for (call, _) in calls {
        assert_eq!(site.call(call, &[], None).await.problem(), (401, "unauthorized"), "{call}");
    }
}

#[tokio::test]
async fn a_token_is_shown_once_and_ends_when_revoked() {
    let site = Site::open().await;
    let made = site.admin("POST /api/tokens", Some(json!({ "name": " ci ", "scope": "read" }))).await.ok();
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("fft_") && token.len() >= 47, "{token}");
    assert_eq!(site.as_bearer(token, "GET /api/me", None).await.ok()["actor"], "token:ci");

    let list = site.admin("GET /api/tokens", None).await.ok();
    assert!(!list.to_string().contains(token));
    let id = made["id"].as_str().unwrap();
    let listed = list["items"].as_array().unwrap().iter().find(|item| item["id"] == id).unwrap();
    assert!(listed["last_used_at"].is_string());

    assert_eq!(site.admin(&format!("DELETE /api/tokens/{id}"), None).await.status, 204);
    assert_eq!(site.as_bearer(token, "GET /api/me", None).await.status, 401);
    assert_eq!(site.admin(&format!("DELETE /api/tokens/{id}"), None).await.problem(), (404, "not_found"));
}

#[tokio::test]
async fn the_audit_tells_who_made_and_who_ended_a_token_but_not_its_secret() {
    let site = Site::open().await;
    let made = site.admin("POST /api/tokens", Some(json!({ "name": "ci", "scope": "upload" }))).await.ok();
    let id = made["id"].as_str().unwrap();
    site.admin(&format!("DELETE /api/tokens/{id}"), None).await;
    let actor = site.admin("GET /api/me", None).await.ok()["actor"].clone();
    for kind in ["token_created", "token_revoked"] {
        let audit = site.admin(&format!("GET /api/audit?search=ci&kind={kind}"), None).await.ok();
        let [row] = &audit["items"].as_array().unwrap()[..] else { panic!("{kind}: {audit}") };
        assert_eq!((&row["reason"], &row["actor"]), (&json!("ci (upload)"), &actor));
        assert!(!audit.to_string().contains(made["token"].as_str().unwrap()));
    }
}

#[tokio::test]
async fn a_token_ends_when_it_was_made_to_end() {
    let site = Site::open().await;
    let end = site.farm.now() + Duration::days(1);
    let new = json!({ "name": "guest", "scope": "read", "expires_at": end });
    let made = site.admin("POST /api/tokens", Some(new)).await.ok();
    let token = made["token"].as_str().unwrap();
    site.as_bearer(token, "GET /api/videos", None).await.ok();
    site.farm.wait(Duration::days(1));
    assert_eq!(site.as_bearer(token, "GET /api/videos", None).await.problem(), (401, "unauthorized"));
    let past = json!({ "name": "guest", "scope": "read", "expires_at": end });
    assert_eq!(site.admin("POST /api/tokens", Some(past)).await.problem(), (400, "bad_expiry"));
}

#[tokio::test]
async fn a_bound_token_uploads_to_its_collection_and_sees_nothing() {
    let site = Site::open().await;
    let new = json!({ "name": "dropbox", "scope": "upload_only", "collection": "news" });
    let made = site.admin("POST /api/tokens", Some(new)).await.ok();
    assert_eq!(made["collection"], "news");
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let upload = async |metadata: &str| {
        let headers = [
            ("authorization", bearer.as_str()),
            ("tus-resumable", "1.0.0"),
            ("upload-length", "5"),
            ("upload-metadata", metadata),
        ];
        site.call("POST /api/uploads", &headers, None).await
    };
    // `filename a.mp4`; then with `collection other`, and with `force true`.
    assert_eq!(upload("filename YS5tcDQ=").await.status, 201);
    let other = upload("filename YS5tcDQ=,collection b3RoZXI=").await;
    assert_eq!(other.problem(), (403, "other_collection"));
    assert_eq!(upload("filename YS5tcDQ=,force dHJ1ZQ==").await.problem(), (403, "scope"));
    let look = site.call("GET /api/videos", &[("authorization", &bearer)], None).await;
    assert_eq!(look.problem(), (403, "scope"));

    let bound_reader = json!({ "name": "reader", "scope": "read", "collection": "news" });
    assert_eq!(site.admin("POST /api/tokens", Some(bound_reader)).await.problem(), (400, "bad_collection"));
}
