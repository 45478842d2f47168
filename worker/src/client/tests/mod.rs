//! The client against a scripted farm.

mod uploads;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use framefarm_shared::clock::Clock;
use framefarm_shared::id::{BootId, JobId, WorkerId};
use framefarm_shared::part::Sha256Hex;
use framefarm_shared::wire::worker_api::{ClaimRequest, ClaimedSource, HeldJob, RegisterRequest};
use futures::{StreamExt as _, stream};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::part::PartArchive;
use crate::scripted::{Heard, Scripted, problem};

fn a_job() -> HeldJob {
    HeldJob { job_id: JobId::new(&Clock::system()), fence: 7 }
}

fn a_source(content: &[u8]) -> ClaimedSource {
    let sha256 = Sha256Hex(Sha256::digest(content).into()).to_string();
    ClaimedSource { name: "a.mp4".to_owned(), size: i64::try_from(content.len()).unwrap(), sha256 }
}

fn quick() -> Backoff {
    Backoff {
        first: Duration::from_millis(1),
        longest: Duration::from_millis(9),
        give_up_after: Duration::from_secs(5),
    }
}

/// Sends `bytes` and then breaks the connection; the server sends what it has when the body has no more for now.
fn cut_off(bytes: &'static [u8]) -> Response {
    let break_off = async {
        tokio::task::yield_now().await;
        Err(std::io::Error::other("cut"))
    };
    Body::from_stream(stream::iter([Ok(bytes)]).chain(stream::once(break_off))).into_response()
}

fn range_of(request: &Heard) -> Option<&str> {
    request.headers.get("range").map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn registering_shows_the_admin_secret_and_no_key() {
    let worker_id = WorkerId::new(&Clock::system());
    let reply =
        json!({"worker_id": worker_id, "api_key": "k", "heartbeat_seconds": 30, "lease_seconds": 1800});
    let farm = Scripted::start(move |_, _| axum::Json(reply.clone()).into_response()).await;
    let request = RegisterRequest { name: None, worker_type: None, capabilities: None, metadata: None };
    let registered =
        register(&farm.url, &Permission::AdminSecret(Secret::new("s3cret\n")), &request).await.unwrap();
    assert_eq!(registered.api_key, "k");
    let heard = &farm.heard()[0];
    assert_eq!(heard.call, "POST /api/worker/register");
    assert_eq!(heard.headers["x-admin-secret"], "s3cret");
    assert!(!heard.headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_claim_carries_the_key_and_an_empty_queue_is_no_error() {
    let reply = json!({"job": null, "reason": "empty", "detail": "nothing is due"});
    let farm = Scripted::start(move |_, _| axum::Json(reply.clone()).into_response()).await;
    let boot_id = BootId::new(&Clock::system());
    let request = ClaimRequest { boot_id, queue_types: None, job_id: None, wait_seconds: Some(1) };
    assert!(farm.client().claim(&request).await.unwrap().reply.job.is_none());
    assert_eq!(farm.heard()[0].headers["authorization"], "Bearer the-key");
}

#[tokio::test]
async fn a_farm_below_a_path_is_found_there() {
    let api: Url = "https://example.org/video/farm/".parse().unwrap();
    assert_eq!(url_of(&api, &["jobs", "a/b", "plan"]).path(), "/video/farm/api/worker/jobs/a%2Fb/plan");
}

#[tokio::test]
async fn a_source_that_is_cut_off_goes_on_where_it_was_and_is_whole() {
    let farm = Scripted::start(|request, _| match range_of(request) {
        None => cut_off(b"hello "),
        Some("bytes=6-") => {
            (axum::http::StatusCode::PARTIAL_CONTENT, [("content-range", "bytes 6-10/11")], "world")
                .into_response()
        }
        Some(_) => problem(416, "range"),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    let (job, source) = (a_job(), a_source(b"hello world"));
    farm.client().download_source(job, &source, &target, quick()).await.unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"hello world");
    let call = format!("GET /api/worker/jobs/{}/source?fence=7&link=true", job.job_id);
    assert_eq!(farm.heard()[0].call, call);
    assert_eq!(farm.heard().len(), 2);
}

fn sent_to(url: &str) -> Response {
    (axum::http::StatusCode::TEMPORARY_REDIRECT, [("location", url)]).into_response()
}

/// The whole of `hello world`, or what is behind the offset that was asked for.
fn hello_from(request: &Heard) -> Response {
    let from =
        range_of(request).and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    let from: usize = from.unwrap_or(0);
    let range = format!("bytes {from}-10/11");
    let status = if from > 0 { 206 } else { 200 };
    let status = axum::http::StatusCode::from_u16(status).unwrap();
    (status, [("content-range", range)], &b"hello world"[from..]).into_response()
}

#[tokio::test]
async fn a_link_to_the_store_is_followed_without_the_key_and_resumed_by_a_new_one() {
    let store = Scripted::start(|request, before| match before {
        0 => cut_off(b"hello"),
        _ => hello_from(request),
    })
    .await;
    let link = format!("{}bucket/source?signature=x", store.url);
    let farm = Scripted::start(move |_, _| sent_to(&link)).await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    farm.client().download_source(a_job(), &a_source(b"hello world"), &target, quick()).await.unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"hello world");
    let heard = store.heard();
    assert_eq!(heard.len(), 2);
    assert_eq!(farm.heard().len(), 2, "each link was asked for");
    for request in &heard {
        assert_eq!(request.call, "GET /bucket/source?signature=x");
        assert!(!request.headers.contains_key("authorization"), "{:?}", request.headers);
        assert!(!format!("{:?}", request.headers).contains("the-key"));
    }
    assert_eq!((range_of(&heard[0]), range_of(&heard[1])), (None, Some("bytes=5-")));
    assert!(farm.heard().iter().all(|request| request.headers["authorization"] == "Bearer the-key"));
}

#[tokio::test]
async fn an_expired_link_is_asked_for_again() {
    let store = Scripted::start(|request, before| match before {
        0 => axum::http::StatusCode::FORBIDDEN.into_response(),
        _ => hello_from(request),
    })
    .await;
    let link = format!("{}source", store.url);
    let farm = Scripted::start(move |_, _| sent_to(&link)).await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    farm.client().download_source(a_job(), &a_source(b"hello world"), &target, quick()).await.unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"hello world");
    assert_eq!((farm.heard().len(), store.heard().len()), (2, 2));
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_from_here_leaves_the_farm() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let link = format!("http://{}/source", nobody.local_addr().unwrap());
    drop(nobody);
    let farm = Scripted::start(move |request, _| {
        if request.call.contains("link=true") { sent_to(&link) } else { hello_from(request) }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    farm.client().download_source(a_job(), &a_source(b"hello world"), &target, quick()).await.unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"hello world");
    assert_eq!(farm.heard().len(), 3, "two links in vain, then without one");
}

#[tokio::test]
async fn what_a_link_brings_is_checked_like_everything_else() {
    let store = Scripted::start(|_, _| "hello w0rld".into_response()).await;
    let link = format!("{}source", store.url);
    let farm = Scripted::start(move |_, _| sent_to(&link)).await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    let result = farm.client().download_source(a_job(), &a_source(b"hello world"), &target, quick()).await;
    assert!(matches!(result, Err(CallError::Damaged(_))), "{result:?}");
    assert!(!target.exists());
}

#[tokio::test]
async fn a_link_that_is_no_address_of_the_web_is_not_followed() {
    let farm = Scripted::start(|_, _| sent_to("file:///etc/passwd")).await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    let result = farm.client().download_source(a_job(), &a_source(b"x"), &target, quick()).await;
    assert!(matches!(result, Err(CallError::Refused { code, .. }) if code == "bad_link"));
}

#[tokio::test]
async fn a_farm_that_ignores_the_range_is_read_from_the_start() {
    let farm = Scripted::start(|_, _| "hello world".into_response()).await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    std::fs::write(&target, b"hel").unwrap();
    farm.client().download_source(a_job(), &a_source(b"hello world"), &target, quick()).await.unwrap();
    assert_eq!(range_of(&farm.heard()[0]), Some("bytes=3-"));
    assert_eq!(std::fs::read(&target).unwrap(), b"hello world");
}

#[tokio::test]
async fn a_damaged_source_is_said_to_be_so_and_does_not_stay() {
    let farm = Scripted::start(|_, _| "hello w0rld".into_response()).await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    let result = farm.client().download_source(a_job(), &a_source(b"hello world"), &target, quick()).await;
    assert!(matches!(result, Err(CallError::Damaged(_))), "{result:?}");
    assert!(!target.exists());
}

#[tokio::test]
async fn a_source_whose_claim_is_lost_is_not_asked_for_again() {
    let farm = Scripted::start(|_, _| problem(409, "fenced")).await;
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("source");
    let result = farm.client().download_source(a_job(), &a_source(b"x"), &target, quick()).await;
    assert!(matches!(result, Err(CallError::Stop { code, .. }) if code == "fenced"));
    assert_eq!(farm.heard().len(), 1);
}

#[tokio::test]
async fn a_part_arrives_whole_with_its_digest_and_after_a_failure_again() {
    let reply = json!({"quality": "360p", "segments_completed": 1, "segments_total": 3, "status": "in_progress",
        "lease_seconds": 60});
    let farm = Scripted::start(move |_, before| match before {
        0 => problem(503, "database_unavailable"),
        _ => axum::Json(reply.clone()).into_response(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("part");
    let content = vec![9; 200_000];
    std::fs::write(&path, &content).unwrap();
    let sha256 = Sha256Hex(Sha256::digest(&content).into());
    let part = PartArchive { path, quality: "360p".to_owned(), first_segment: 4, size: 200_000, sha256 };
    let (client, job) = (farm.client(), a_job());
    let sent = retry(quick(), || client.put_part(job, &part)).await.unwrap();
    assert_eq!(sent.reply.segments_total, 3);
    let heard = &farm.heard()[1];
    assert_eq!(heard.call, format!("PUT /api/worker/jobs/{}/qualities/360p/parts/4?fence=7", job.job_id));
    assert_eq!(heard.headers["content-length"], "200000");
    assert!(heard.headers["repr-digest"].to_str().unwrap().starts_with("sha-256=:"));
    assert_eq!(heard.body, content);
}

#[tokio::test]
async fn images_and_subtitles_arrive_with_their_digest_and_renew_the_lease() {
    let farm = Scripted::start(|_, before| match before {
        0 => problem(503, "database_unavailable"),
        _ => axum::Json(json!({ "lease_seconds": 60 })).into_response(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, b"content").unwrap();
    let (client, job) = (farm.client(), a_job());
    let sent = retry(quick(), || client.put_image(job, "poster.jpg", &path)).await.unwrap();
    assert_eq!(sent.reply.lease_seconds, 60);
    client.put_image(job, "storyboard.vtt", &path).await.unwrap();
    client.put_subtitle(job, 12, &path).await.unwrap();
    let below = |rest: &str| format!("PUT /api/worker/jobs/{}/{rest}?fence=7", job.job_id);
    let told: Vec<_> = farm.heard().into_iter().skip(1).map(|heard| (heard.call.clone(), heard)).collect();
    for ((call, heard), (rest, content_type)) in told.iter().zip([
        ("images/poster.jpg", "image/jpeg"),
        ("images/storyboard.vtt", "text/vtt"),
        ("subtitles/12", "text/vtt"),
    ]) {
        assert_eq!((call, &heard.headers["content-type"]), (&below(rest), &content_type.parse().unwrap()));
        assert_eq!(heard.headers["repr-digest"], "sha-256=:7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=:");
        assert_eq!(
            (&heard.headers["content-length"], &heard.body[..]),
            (&"7".parse().unwrap(), &b"content"[..])
        );
    }
    assert_eq!(told.len(), 3);
}

#[tokio::test]
async fn an_image_whose_claim_is_lost_means_stop_and_one_that_is_not_there_is_said_to_be_so() {
    let farm = Scripted::start(|_, _| problem(409, "claim_lost")).await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("poster.jpg");
    let missing = farm.client().put_image(a_job(), "poster.jpg", &path).await;
    assert!(missing.is_err() && farm.heard().is_empty());
    std::fs::write(&path, b"content").unwrap();
    let lost = farm.client().put_image(a_job(), "poster.jpg", &path).await;
    assert!(matches!(lost, Err(CallError::Stop { code, .. }) if code == "claim_lost"));
}

#[tokio::test]
async fn a_farm_that_is_not_there_means_try_again_and_the_reason_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let client = Client::new(url, &Secret::new("k")).unwrap();
    let request = ClaimRequest {
        boot_id: BootId::new(&Clock::system()),
        queue_types: None,
        job_id: None,
        wait_seconds: None,
    };
    let Err(CallError::TryAgain { detail, .. }) = client.claim(&request).await else {
        panic!("expected a temporary failure");
    };
    assert!(detail.contains("refused"), "{detail}");
}

#[test]
fn a_secret_is_never_printed() {
    let client = Client::new("http://localhost".parse().unwrap(), &Secret::new("hush")).unwrap();
    assert!(!format!("{client:?} {:?}", Secret::new("hush")).contains("hush"));
}
