//! Registering a worker, and the life of its key.

use framefarm_api::auth::Scope;
use framefarm_shared::id::BootId;
use serde_json::{Value, json};

use super::{PASSWORD, SECRET, Site};

async fn register(site: &Site, name: &str) -> (String, String) {
    let headers = [("x-admin-secret", SECRET)];
    let answer = site.call("POST /api/worker/register", &headers, Some(json!({ "name": name }))).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let text = |field: &str| answer.body[field].as_str().unwrap().to_owned();
    (text("worker_id"), text("api_key"))
}

/// Always of the same process: another boot id would be a restart, or a process that was replaced.
fn heartbeat() -> Value {
    json!({ "boot_id": BootId(uuid::Uuid::from_u128(1)), "status": "idle" })
}

async fn beats(site: &Site, key: &str) -> u16 {
    site.as_bearer(key, "POST /api/worker/heartbeat", Some(heartbeat())).await.status.as_u16()
}

#[tokio::test]
async fn registering_needs_the_admin_secret() {
    let site = Site::open().await;
    let call = "POST /api/worker/register";
    assert_eq!(site.call(call, &[], Some(json!({}))).await.problem(), (401, "unauthorized"));
    let wrong = site.call(call, &[("x-admin-secret", "guess")], Some(json!({}))).await;
    assert_eq!(wrong.problem(), (403, "wrong_admin_secret"));
    let admin = site.admin(call, Some(json!({}))).await;
    assert_eq!(admin.problem(), (401, "unauthorized"), "a token is not the secret");

    let closed = Site::with(|settings| settings.admin_secret = String::new()).await;
    let answer = closed.call(call, &[("x-admin-secret", "")], Some(json!({}))).await;
    assert_eq!(answer.problem(), (503, "admin_secret_unset"));
}

#[tokio::test]
async fn the_admin_secret_cannot_be_guessed_without_limit() {
    let site = Site::open().await;
    let register = async |from: &str, secret: &str| {
        let headers = [("x-admin-secret", secret)];
        site.call_from(from, "POST /api/worker/register", &headers, Some(json!({ "name": "one" }))).await
    };
    let mut refused = 0;
    for _ in 0..80 {
        match register("192.0.2.1", "guess").await.problem() {
            (403, "wrong_admin_secret") => {}
            (429, "too_many_guesses") => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(refused >= 69, "only {refused} of 80 guesses were refused");
    let late = register("192.0.2.1", SECRET).await;
    assert_eq!(late.problem(), (429, "too_many_guesses"), "the right one tells a guesser nothing");
    assert!(late.header("retry-after").parse::<u32>().unwrap() > 0);
    // Others register, as many as there are.
    for _ in 0..100 {
        register("192.0.2.2", SECRET).await.ok();
    }
}

#[tokio::test]
async fn the_key_is_shown_once_and_not_kept() {
    let site = Site::open().await;
    let (id, key) = register(&site, "one").await;
    assert!(key.len() >= 43);
    assert_eq!(beats(&site, &key).await, 200);
    for call in ["GET /api/workers".to_owned(), format!("GET /api/workers/{id}"), "GET /api/audit".to_owned()]
    {
        assert!(!site.admin(&call, None).await.ok().to_string().contains(&key), "{call}");
    }
    let token = site.token(Scope::Admin).await;
    let session = site.call("POST /api/login", &[], Some(json!({ "password": PASSWORD }))).await;
    let cookie =
        session.header("set-cookie").split(';').next().unwrap().split_once('=').unwrap().1.to_owned();
    // What a thief of the disk would find, the journal included.
    for entry in std::fs::read_dir(&site.farm.app.settings.data_dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            for secret in [&key, &token, &cookie, PASSWORD, SECRET] {
                let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!found, "{} has a secret", path.display());
            }
        }
    }
}

#[tokio::test]
async fn a_cookie_or_a_token_never_speaks_for_a_worker() {
    let site = Site::open().await;
    let session = site.call("POST /api/login", &[], Some(json!({ "password": PASSWORD }))).await;
    let cookie = session.header("set-cookie").split(';').next().unwrap().to_owned();
    let answer = site.call("POST /api/worker/heartbeat", &[("cookie", &cookie)], Some(heartbeat())).await;
    assert_eq!(answer.problem(), (401, "unauthorized"));
    let token = site.token(Scope::Admin).await;
    assert_eq!(beats(&site, &token).await, 401);
    let (_, key) = register(&site, "one").await;
    assert_eq!(site.as_bearer(&key, "GET /api/videos", None).await.problem(), (401, "unauthorized"));
}

#[tokio::test]
async fn disabled_rotated_revoked_and_removed_workers_are_refused() {
    let site = Site::open().await;
    let (id, key) = register(&site, "one").await;
    let switch = |what: &str| format!("POST /api/workers/{id}/{what}");

    assert_eq!(site.admin(&switch("disable"), None).await.ok()["status"], "disabled");
    assert_eq!(beats(&site, &key).await, 401);
    assert_eq!(site.admin(&switch("enable"), None).await.ok()["status"], "active");
    assert_eq!(beats(&site, &key).await, 200);

    let rotated = site.admin(&switch("rotate-key"), None).await.ok();
    let new = rotated["api_key"].as_str().unwrap();
    assert_eq!((beats(&site, &key).await, beats(&site, new).await), (401, 200));

    site.admin(&switch("revoke-key"), None).await.ok();
    assert_eq!(beats(&site, new).await, 401);

    let (id, key) = register(&site, "two").await;
    assert_eq!(site.admin(&format!("DELETE /api/workers/{id}"), None).await.status, 204);
    assert_eq!(beats(&site, &key).await, 401);
    assert_eq!(site.admin(&format!("GET /api/workers/{id}"), None).await.problem(), (404, "not_found"));
}

#[tokio::test]
async fn keys_that_begin_alike_are_told_apart() {
    let site = Site::open().await;
    let (one, key_one) = register(&site, "one").await;
    let (_, key_two) = register(&site, "two").await;
    for (key, other) in [(&key_one, &key_two), (&key_two, &key_one)] {
        let prefix = &key[..8];
        site.farm.sql(&format!("UPDATE worker_api_key SET key_prefix = '{prefix}'")).await;
        assert_eq!(beats(&site, key).await, 200, "whichever of the two is looked at first");
        assert_eq!(beats(&site, &format!("{prefix}{}", &other[8..])).await, 401);
    }
    site.farm.sql(&format!("UPDATE worker_api_key SET key_prefix = '{}'", &key_one[..8])).await;
    site.admin(&format!("POST /api/workers/{one}/disable"), None).await.ok();
    assert_eq!(beats(&site, &key_one).await, 401);
}

#[tokio::test]
async fn a_key_hashed_in_an_unknown_way_matches_nothing() {
    let site = Site::open().await;
    let (_, key) = register(&site, "one").await;
    site.farm.sql("UPDATE worker_api_key SET hash_version = 2").await;
    assert_eq!(beats(&site, &key).await, 401);
    for short in ["", "x", "é"] {
        assert_eq!(beats(&site, short).await, 401);
    }
}

#[tokio::test]
async fn capabilities_of_ten_thousand_bytes_are_kept_and_one_more_is_refused() {
    let site = Site::open().await;
    let headers = [("x-admin-secret", SECRET)];
    for field in ["capabilities", "metadata"] {
        for (length, status) in [(10_000, 201), (10_001, 400)] {
            let body = json!({ field: "x".repeat(length - 2) });
            let answer = site.call("POST /api/worker/register", &headers, Some(body)).await;
            assert_eq!(answer.status, status, "{field} {length}");
        }
        let body = json!({ field: "x".repeat(200_000) });
        let answer = site.call("POST /api/worker/register", &headers, Some(body)).await;
        assert_eq!(answer.problem(), (413, "too_large"));
    }
}
