//! The farm: whether it answers, knows our key, and agrees about the time.

use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

use framefarm_shared::clock::Clock;
use framefarm_shared::id::BootId;
use framefarm_shared::wire::worker_api::{HeartbeatRequest, ReportedStatus};
use reqwest::header::{DATE, HeaderMap};
use reqwest::{Response, Url};
use uuid::Uuid;

use super::{Finding, Health};
use crate::client::{CallError, Client, Secret, http_client};

const PATIENCE: Duration = Duration::from_secs(10);
const SKEW_LIMIT_SECONDS: u64 = 5;

pub(super) async fn ask(api: &Url, key: Option<&Secret>) -> Vec<Finding> {
    let answered = match health(api).await {
        Ok(answered) => answered,
        Err(error) => {
            let finding = Finding::new("farm", Health::Bad, format!("{api}: {error:#}")).essential();
            return vec![finding.advise("check the URL, the network and any proxy in between")];
        }
    };
    let mut findings = vec![Finding::new("farm", Health::Good, format!("{api} responds")).essential()];
    findings.extend(encryption(api));
    findings.push(clock(answered.headers(), &Clock::system()));
    match key {
        Some(secret) => findings.push(key_accepted(api, secret).await),
        None => findings
            .push(Finding::new("key", Health::Absent, "not checked").advise("pass one with --key-file")),
    }
    findings
}

async fn health(api: &Url) -> anyhow::Result<Response> {
    let mut url = api.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().push("healthz");
    }
    let request = http_client(HeaderMap::new())?.get(url).timeout(PATIENCE);
    Ok(request.send().await?.error_for_status()?)
}

/// The key goes with every call. Nothing to say where it does not leave this machine.
fn encryption(api: &Url) -> Option<Finding> {
    let host = api.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let stays_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    if api.scheme() == "https" {
        return Some(Finding::new("encryption", Health::Good, "https"));
    }
    let bad = Finding::new("encryption", Health::Bad, "the key and the videos are sent unencrypted");
    (!stays_here).then(|| bad.advise("serve the farm over HTTPS (docs/security.md), and use that URL"))
}

/// A worker's leases run by its own monotonic clock, so a wrong time breaks no job; but times in logs mislead, and
/// certificates may seem expired.
fn clock(headers: &HeaderMap, clock: &Clock) -> Finding {
    let theirs = headers
        .get(DATE)
        .and_then(|date| date.to_str().ok())
        .and_then(|text| httpdate::parse_http_date(text).ok());
    let theirs = theirs.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let Some(theirs) = theirs.and_then(|since| i64::try_from(since.as_secs()).ok()) else {
        return Finding::new("clock", Health::Absent, "the response of the farm has no valid Date header");
    };
    let skew = clock.now().timestamp() - theirs;
    if skew.unsigned_abs() <= SKEW_LIMIT_SECONDS {
        return Finding::new("clock", Health::Good, "in sync with the farm");
    }
    let which = if skew > 0 { "ahead of" } else { "behind" };
    let says = format!("{} seconds {which} the farm", skew.unsigned_abs());
    Finding::new("clock", Health::Bad, says).advise("turn on time synchronization (NTP) on both machines")
}

async fn key_accepted(api: &Url, secret: &Secret) -> Finding {
    let verdict = match Client::new(api.clone(), secret) {
        Ok(client) => heartbeat(&client).await,
        Err(error) => Err(format!("{error:#}")),
    };
    match verdict {
        Ok(says) => Finding::new("key", Health::Good, says),
        Err(says) => Finding::new("key", Health::Bad, says)
            .advise("check the file, or register this machine again with `framefarm-worker register`"),
    }
}

/// As `framefarm-worker ping`: the oldest boot id there is disturbs no running worker.
async fn heartbeat(client: &Client) -> Result<&'static str, String> {
    let (boot_id, held) = (BootId(Uuid::nil()), Vec::new());
    let request = HeartbeatRequest {
        boot_id,
        status: ReportedStatus::Idle,
        held,
        capabilities: None,
        metadata: None,
        gpus: None,
        stopping: false,
    };
    match client.heartbeat(&request, PATIENCE).await {
        Ok(_) => Ok("accepted by the farm"),
        Err(CallError::Stop { code, .. }) if code == "superseded" => {
            Ok("accepted by the farm; a worker is running with it")
        }
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Scripted, problem};
    use axum::http::StatusCode;
    use axum::response::IntoResponse as _;

    fn healths(findings: &[Finding]) -> Vec<(&str, Health)> {
        findings.iter().map(|finding| (finding.what.as_str(), finding.health)).collect()
    }

    #[tokio::test]
    async fn a_farm_that_answers_and_refuses_the_key_is_told_apart() {
        let farm = Scripted::start(|heard, _| {
            if heard.call.contains("healthz") {
                StatusCode::OK.into_response()
            } else {
                problem(401, "unauthorized")
            }
        })
        .await;
        let findings = ask(&farm.url, Some(&Secret::new("k"))).await;
        let (good, bad) = (Health::Good, Health::Bad);
        assert_eq!(healths(&findings), [("farm", good), ("clock", good), ("key", bad)]);
        assert!(findings[2].advice.as_ref().unwrap().contains("register"));
        assert_eq!(farm.heard()[0].call, "GET /healthz");
    }

    #[tokio::test]
    async fn a_farm_that_is_not_there_is_essential() {
        let findings = ask(&"http://127.0.0.1:9/".parse().unwrap(), None).await;
        assert_eq!(healths(&findings), [("farm", Health::Bad)]);
        assert!(findings[0].essential);
    }

    #[test]
    fn a_key_that_leaves_this_machine_unencrypted_is_told() {
        for (url, health) in [
            ("http://farm.example.org:8080/", Some(Health::Bad)),
            ("http://192.168.0.7:8080/", Some(Health::Bad)),
            ("https://farm.example.org/", Some(Health::Good)),
            ("http://localhost:8080/", None),
            ("http://127.0.0.1:8080/", None),
            ("http://[::1]:8080/", None),
        ] {
            let told = encryption(&url.parse().unwrap());
            assert_eq!(told.map(|finding| finding.health), health, "{url}");
        }
    }

    #[test]
    fn a_clock_that_is_off_is_told_with_its_direction() {
        let now = Clock::manual("2026-01-01T00:00:10Z".parse().unwrap());
        let mut headers = HeaderMap::new();
        assert_eq!(clock(&headers, &now).health, Health::Absent);
        headers.insert(DATE, "Thu, 01 Jan 2026 00:00:05 GMT".parse().unwrap());
        assert_eq!(clock(&headers, &now).health, Health::Good);
        headers.insert(DATE, "Thu, 01 Jan 2026 00:00:16 GMT".parse().unwrap());
        assert_eq!(clock(&headers, &now).says, "6 seconds behind the farm");
    }
}
