//! Who may read what is counted.

use axum::http::StatusCode;
use framefarm_api::auth::{Scope, token};

use super::{get, listen, scrape};
use crate::served::Served;

async fn status(address: std::net::SocketAddr, headers: &[(&str, &str)]) -> u16 {
    let request =
        headers.iter().fold(get(address, "/metrics"), |request, (name, value)| request.header(*name, *value));
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn this_machine_and_readers_may_scrape_and_nobody_else() {
    let farm = Served::new().await;
    let address = listen(&farm).await;
    let (_, reader) = token::create(&farm.app, "prometheus", Scope::Read, "admin").await.unwrap();
    let reader = format!("Bearer {reader}");
    let worker = farm.register("w").await.bearer();

    assert_eq!(status(address, &[]).await, 200);
    assert_eq!(status(address, &[("authorization", &reader)]).await, 200);
    // Credentials decide alone.
    assert_eq!(status(address, &[("authorization", "Bearer fft_wrong")]).await, 401);
    assert_eq!(status(address, &[("authorization", &worker)]).await, 401);
    // Somebody behind a proxy on this machine that nobody told us of.
    for header in ["x-forwarded-for", "forwarded", "via"] {
        assert_eq!(status(address, &[(header, "127.0.0.1")]).await, 401, "{header}");
        assert_eq!(
            status(address, &[(header, "127.0.0.1"), ("authorization", &reader)]).await,
            200,
            "{header}"
        );
    }
    // A proxy that says nothing of itself passes on whom its client asked; and a page of another site may have its
    // own name point at this machine.
    for host in ["farm.example.org", "127.0.0.1:1", "localhost"] {
        assert_eq!(status(address, &[("host", host)]).await, 401, "{host}");
    }
    let name = format!("localhost:{}", address.port());
    assert_eq!(status(address, &[("host", &name)]).await, 200);
    // A caller without an address is nobody's neighbour.
    let request = axum::http::Request::get("/metrics").header("authorization", "Bearer x");
    let answer = farm.send(request.body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_trusted_proxy_says_who_scrapes() {
    let farm = Served::with(|settings| settings.trusted_proxies = "127.0.0.1".parse().unwrap()).await;
    let address = listen(&farm).await;
    assert_eq!(status(address, &[("x-forwarded-for", "203.0.113.9")]).await, 401);
    assert_eq!(status(address, &[("x-forwarded-for", "127.0.0.1")]).await, 200);
}

#[tokio::test]
async fn without_networks_everybody_needs_a_token() {
    let farm = Served::with(|settings| settings.metrics.metrics_networks = "".parse().unwrap()).await;
    let address = listen(&farm).await;
    let answer = get(address, "/metrics").send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    assert_eq!(status(address, &[("authorization", &format!("Bearer {}", farm.token))]).await, 200);
}

#[tokio::test]
async fn a_scrape_without_a_database_says_so_and_shows_the_rest() {
    let farm = Served::with(|settings| settings.metrics.metrics_cache_seconds = 0).await;
    let address = listen(&farm).await;
    let before = scrape(address).await;
    assert_eq!(before.value("framefarm_collect_success"), 1);
    assert!(before.families.contains_key("framefarm_jobs"));
    farm.app.db.close().await;
    let after = scrape(address).await;
    assert_eq!(after.value("framefarm_collect_success"), 0);
    assert!(!after.families.contains_key("framefarm_jobs"), "old figures are worse than none");
    assert!(after.families.contains_key("framefarm_http_requests_total"));
}

#[tokio::test]
async fn figures_of_the_database_are_kept_for_a_while() {
    let farm = Served::with(|settings| settings.metrics.metrics_cache_seconds = 3600).await;
    let address = listen(&farm).await;
    let pending = "framefarm_jobs{queue_type=\"transcode\",status=\"pending\"}";
    let enqueued = "framefarm_jobs_enqueued_total{queue_type=\"transcode\",reason=\"new\"}";
    assert_eq!(scrape(address).await.value(pending), 0);
    farm.upload(b"a source").await;
    let after = scrape(address).await;
    assert_eq!((after.value(pending), after.value(enqueued)), (0, 1));
}
