//! Whatever goes wrong is a problem document.

use axum::body::Body;
use axum::http::Request;
use framefarm_api::auth::Scope;
use serde_json::json;

use super::{PASSWORD, SECRET, Site};

#[tokio::test]
async fn unknown_paths_and_methods_are_problems() {
    let site = Site::open().await;
    assert_eq!(site.call("GET /nowhere", &[], None).await.problem(), (404, "no_such_path"));
    let answer = site.call("PUT /api/videos", &[], None).await;
    assert_eq!(answer.problem(), (405, "method_not_allowed"));
    assert_eq!(answer.header("allow"), "POST,GET,HEAD");
    assert_eq!(site.call("DELETE /api/docs/", &[], None).await.status, 405);
    assert_eq!(site.call("GET /api/docs/nothing.js", &[], None).await.problem().0, 404);
}

#[tokio::test]
async fn bodies_that_are_not_what_they_should_be_are_problems() {
    let site = Site::open().await;
    let token = site.token(Scope::Admin).await;
    let send = async |kind: &str, body: &str| {
        let request = Request::post("/api/tokens")
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", kind)
            .body(Body::from(body.to_owned()));
        let answer = site.send(request.unwrap()).await;
        let (status, code) = answer.problem();
        (status, code.to_owned())
    };
    let is = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(send("text/plain", "{}").await, is(415, "not_json"));
    assert_eq!(send("application/json", "{").await, is(400, "bad_json"));
    assert_eq!(send("application/json", "{}").await, is(422, "bad_field"));
    assert_eq!(send("application/json", r#"["ci", "read"]"#).await, is(422, "bad_field"));
    assert_eq!(
        send("application/json", r#"{"name":"a","scope":"read","more":1}"#).await,
        is(422, "bad_field")
    );
    assert_eq!(send("application/json", r#"{"name":"\u0000","scope":"read"}"#).await, is(400, "bad_text"));
    let large = format!(r#"{{"name":"{}","scope":"read"}}"#, "x".repeat(1024 * 1024));
    assert_eq!(send("application/json", &large).await, is(413, "too_large"));
}

#[tokio::test]
async fn parameters_out_of_bounds_are_problems() {
    let site = Site::open().await;
    for (query, code) in [
        ("limit=0", "bad_limit"),
        ("limit=501", "bad_limit"),
        ("limit=x", "bad_query"),
        ("status=strange", "bad_query"),
        ("stauts=ready", "bad_query"),
        ("cursor=xyz", "bad_cursor"),
        ("cursor=", "bad_cursor"),
    ] {
        let answer = site.admin(&format!("GET /api/videos?{query}"), None).await;
        assert_eq!(answer.problem(), (400, code), "{query}");
    }
    assert_eq!(site.admin("GET /api/workers/seven", None).await.problem(), (400, "bad_path"));
    assert_eq!(site.admin("GET /api/videos/%FF", None).await.problem().0, 400);
    assert_eq!(site.admin("PATCH /api/queue/strange", Some(json!({}))).await.problem(), (400, "bad_path"));
}

#[tokio::test]
async fn every_answer_has_an_id_and_is_inert() {
    let site = Site::open().await;
    for path in ["GET /healthz", "GET /nowhere", "GET /api/videos", "GET /"] {
        let answer = site.call(path, &[], None).await;
        assert_eq!(answer.header("x-request-id").len(), 16, "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        let policy = answer.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
    }
    let given = site.call("GET /healthz", &[("x-request-id", "from-a-proxy.1")], None).await;
    assert_eq!(given.header("x-request-id"), "from-a-proxy.1");
    let strange = site.call("GET /healthz", &[("x-request-id", "a b\"c")], None).await;
    assert_eq!(strange.header("x-request-id").len(), 16);
}

#[tokio::test]
async fn health_names_what_is_not_well() {
    let site = Site::with(|settings| settings.stale_job_check_interval = 0).await;
    assert_eq!(site.call("GET /healthz", &[], None).await.ok(), json!({ "status": "ok" }));
    let farm = site.call("GET /health", &[], None).await.ok();
    assert_eq!(farm["status"], "degraded");
    assert!(farm["degraded"][0].as_str().unwrap().starts_with("reaper off"));
    assert_eq!(farm["conditions"][0], json!({ "code": "reaper_off", "detail": farm["degraded"][0] }));
    assert_eq!((&farm["active_workers"], &farm["pending_jobs"]), (&json!(0), &json!(0)));

    site.farm.upload("a.mp4").await;
    site.farm.wait(chrono::Duration::seconds(1));
    let farm = site.call("GET /health", &[], None).await.ok();
    assert!(farm["degraded"][1].as_str().unwrap().starts_with("no workers"));
    assert_eq!(farm["conditions"][1]["code"], "no_workers");
    let service = site.call("GET /api/health", &[], None).await.ok();
    assert_eq!(service["processing"]["jobs"]["pending"], 1);
    assert!(service["storage"]["total_bytes"].as_u64().unwrap() > 0);

    site.call("GET /readyz", &[], None).await.ok();
    site.farm.app.shutdown.cancel();
    assert_eq!(site.call("GET /readyz", &[], None).await.problem(), (503, "draining"));
}

#[tokio::test]
async fn readiness_is_told_check_by_check_and_ends_before_the_service_does() {
    let site = Site::open().await;
    let check = |name: &str, failed: Option<&str>| json!({ "name": name, "status": if failed.is_some() { "failed" } else { "ok" }, "detail": failed });
    let checks = ["serving", "database", "storage"].map(|name| check(name, None));
    let well = json!({ "status": "ok", "checks": checks });
    assert_eq!(site.call("GET /readyz", &[], None).await.ok(), well);
    site.farm.app.draining.cancel();
    let answer = site.call("GET /readyz", &[], None).await;
    assert_eq!(answer.problem(), (503, "draining"));
    let serving = check("serving", Some("The server is shutting down."));
    assert_eq!(answer.body["checks"], json!([serving, check("database", None), check("storage", None)]));
    // It serves all the same.
    site.call("GET /healthz", &[], None).await.ok();
    site.call("GET /health", &[], None).await.ok();
    site.farm.app.db.close().await;
    let answer = site.call("GET /readyz", &[], None).await;
    assert_eq!(answer.body["checks"][1], check("database", Some("The database is not responding.")));
}

#[tokio::test]
async fn every_condition_has_a_code_that_stays() {
    let site = Site::with(|settings| {
        settings.stale_job_check_interval = 0;
        settings.disk_reserve_bytes = u64::MAX;
    })
    .await;
    let service = site.call("GET /api/health", &[], None).await.ok();
    let codes: Vec<&str> =
        service["conditions"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["reaper_off", "disk_low"]);
    assert_eq!(service["degraded"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_closed_database_is_said_plainly() {
    let site = Site::open().await;
    site.farm.app.db.close().await;
    assert_eq!(site.call("GET /health", &[], None).await.problem(), (503, "database_unavailable"));
    assert_eq!(site.call("GET /readyz", &[], None).await.problem(), (503, "database_unavailable"));
    site.call("GET /healthz", &[], None).await.ok();
    let login = site.call("POST /api/login", &[], Some(json!({ "password": PASSWORD }))).await;
    assert_eq!(login.problem(), (503, "database_unavailable"));
    let headers = [("x-admin-secret", SECRET)];
    let register = site.call("POST /api/worker/register", &headers, Some(json!({}))).await;
    assert_eq!(register.problem(), (503, "database_unavailable"));
}

#[tokio::test]
async fn a_name_that_another_site_pointed_here_is_refused() {
    let site = Site::open().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(framefarm_api::server::serve(site.farm.app.clone(), listener));
    let status = async |host: &str| {
        let request = reqwest::Client::new().get(format!("http://{address}/version")).header("host", host);
        request.send().await.unwrap().status().as_u16()
    };
    let port = address.port();
    assert_eq!(status(&format!("evil.example:{port}")).await, 421);
    assert_eq!(status(&format!("localhost:{port}")).await, 200);
    assert_eq!(status(&address.to_string()).await, 200);

    let named = Site::with(|settings| settings.allowed_hosts = "farm.internal".parse().unwrap()).await;
    let call = async |host: &str| named.call("GET /version", &[("host", host)], None).await;
    assert_eq!(call("other.internal").await.problem(), (421, "unknown_host"));
    call("farm.internal").await.ok();
}
