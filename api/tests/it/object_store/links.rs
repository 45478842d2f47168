//! Sources by a link that the store signed, and players sent elsewhere.

use axum::body::Body;
use axum::http::Request;
use axum::http::header::AUTHORIZATION;
use framefarm_api::config::{Settings, SourceLinks};
use framefarm_shared::wire::worker_api::ClaimedJob;

use super::random;
use crate::served::{Actor, Answer, Served};

async fn working(bytes: &[u8], change: impl FnOnce(&mut Settings)) -> (Served, Actor, ClaimedJob) {
    let farm = Served::on_s3(change).await;
    farm.upload(bytes).await;
    let worker = farm.register("one").await;
    let job = farm.claim(&worker).await;
    (farm, worker, job)
}

async fn ask(farm: &Served, worker: &Actor, job: &ClaimedJob, more: &str) -> Answer {
    let url = format!("/api/worker/jobs/{}/source?fence={}{more}", job.job_id, job.fence);
    let request = Request::get(url).header(AUTHORIZATION, worker.bearer()).body(Body::empty());
    farm.send(request.expect("a request")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_asks_for_a_link_gets_one_that_works_without_a_key() {
    let bytes = random(5000);
    let (farm, worker, job) = working(&bytes, |_| {}).await;
    let answer = ask(&farm, &worker, &job, "&link=true").await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (307, 0));
    assert_eq!(answer.header("cache-control"), "no-store");
    let link = answer.header("location");
    assert!(link.contains("X-Amz-Signature=") && link.contains("X-Amz-Expires=300"), "{link}");
    let http = reqwest::Client::new();
    let whole = http.get(link).send().await.expect("an answer");
    assert_eq!(whole.headers()["cache-control"], "private, no-store");
    assert_eq!(whole.bytes().await.expect("bytes"), bytes);
    let rest = http.get(link).header("Range", "bytes=4000-").send().await.expect("an answer");
    assert_eq!(rest.status(), 206);
    assert_eq!(rest.bytes().await.expect("bytes"), bytes[4000..]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_ask_for_a_link_or_may_not_have_one_gets_the_bytes() {
    let bytes = random(5000);
    let (farm, worker, job) = working(&bytes, |_| {}).await;
    for more in ["", "&link=false"] {
        let answer = ask(&farm, &worker, &job, more).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &bytes[..]));
    }
    let never = |settings: &mut Settings| settings.source_links = SourceLinks::Never;
    let (farm, worker, job) = working(&bytes, never).await;
    let answer = ask(&farm, &worker, &job, "&link=true").await;
    assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &bytes[..]));
    assert!(answer.header("repr-digest").starts_with("sha-256=:"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_but_the_holder_gets_a_link() {
    let (farm, worker, mut job) = working(b"a source", |_| {}).await;
    let stranger = farm.register("two").await;
    assert_eq!(ask(&farm, &stranger, &job, "&link=true").await.problem(), (403, "not_yours".to_owned()));
    job.fence += 1;
    assert_eq!(ask(&farm, &worker, &job, "&link=true").await.status, 409);
}

#[tokio::test]
async fn a_disk_signs_no_links() {
    let farm = Served::new().await;
    farm.upload(b"a source").await;
    let worker = farm.register("one").await;
    let job = farm.claim(&worker).await;
    let answer = ask(&farm, &worker, &job, "&link=true").await;
    assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &b"a source"[..]));
}
