//! Who is calling, through a proxy that tells and through one that does not.

use std::net::{IpAddr, Ipv4Addr};

use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

use super::proxy::Kind;
use super::{Behind, PASSWORD, behind_every_proxy};
use crate::certificates::NAME;

const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 11));
const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 12));

/// A guess with headers that say it was somebody else, another one each time.
async fn guess(behind: &Behind, client: IpAddr, number: usize) -> u16 {
    let forged = format!("198.51.100.{number}");
    let request = behind
        .request_from(client, Method::POST, "/api/login")
        .header("X-Forwarded-For", &forged)
        .header("Forwarded", format!("for={forged}"))
        .header("X-Real-IP", forged)
        .json(&json!({ "password": "guess" }));
    request.send().await.unwrap().status().as_u16()
}

/// As a browser that shows this origin, over http: it sends no `Sec-Fetch-Site`.
async fn log_in(behind: &Behind, origin: &str) -> Response {
    let request = behind.request_from(ONE, Method::POST, "/api/login").header("Origin", origin);
    request.json(&json!({ "password": PASSWORD })).send().await.unwrap()
}

behind_every_proxy! {
    async fn a_guesser_is_slowed_down_whatever_it_claims_to_be(kind: Kind) {
        let behind = Behind::start(kind).await;
        for number in 0..10 {
            assert_eq!(guess(&behind, ONE, number).await, 401);
        }
        assert_eq!(guess(&behind, ONE, 10).await, 429);
        // Others are let in if the proxy tells them apart.
        let expected = if kind.forwards_the_client() { 401 } else { 429 };
        assert_eq!(guess(&behind, OTHER, 11).await, expected);
    }

    async fn strangers_behind_a_proxy_do_not_read_metrics(kind: Kind) {
        let networks = "127.0.0.1".parse().unwrap();
        let behind = Behind::with(kind, |settings| settings.metrics.metrics_networks = networks).await;
        let scrape = behind.request_from(OTHER, Method::GET, "/metrics").send().await.unwrap();
        assert_eq!(scrape.status(), 401);
    }

    async fn the_pages_own_origin_is_known_if_the_proxy_or_the_setting_tells(kind: Kind) {
        let behind = Behind::start(kind).await;
        let origin = format!("http://{}", behind.proxy.address);
        let answer = log_in(&behind, &origin).await;
        // nginx alone replaces `Host` when nothing is set.
        if kind == Kind::Nginx {
            assert_eq!(answer.status(), 403);
            let problem: Value = answer.json().await.unwrap();
            assert!(problem["detail"].as_str().unwrap().contains("FRAMEFARM_PUBLIC_URL"), "{problem}");
        } else {
            assert_eq!(answer.status(), 200);
        }
        assert_eq!(log_in(&behind, "http://evil.example").await.status(), 403);

        let public = "http://farm.example.org";
        let behind = Behind::with(kind, |settings| settings.public_url = public.parse().unwrap()).await;
        assert_eq!(log_in(&behind, public).await.status(), 200);
        assert_eq!(log_in(&behind, "http://evil.example").await.status(), 403);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_logs_in_through_nginx_with_tls_stays_with_https() {
    let behind = Behind::start(Kind::NginxWithTls).await;
    let authority = behind.proxy.authority.clone().unwrap();
    let client =
        Client::builder().tls_certs_only([authority]).resolve(NAME, behind.proxy.address).build().unwrap();
    let url = format!("https://{NAME}:{}/api/login", behind.proxy.address.port());
    let answer = client.post(url).json(&json!({ "password": PASSWORD })).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert!(header("set-cookie").ends_with("; Secure"));
    assert_eq!(header("strict-transport-security"), "max-age=31536000");
}
