//! The bytes a worker moves, under its fence.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::{Body, Bytes};
use axum::http::Request;
use axum::http::header::AUTHORIZATION;
use framefarm_api::lifecycle::release;
use framefarm_api::testing::media;
use framefarm_shared::wire::worker_api::{ClaimedJob, ReleaseRequest};

use crate::served::{Actor, Answer, BOUNDARIES, Served, part_request, repr_digest};

const SOURCE: &[u8] = b"0123456789 the source";

async fn working() -> (Served, Actor, ClaimedJob) {
    working_with(|_| {}).await
}

async fn working_with(
    change: impl FnOnce(&mut framefarm_api::config::Settings),
) -> (Served, Actor, ClaimedJob) {
    let farm = Served::with(change).await;
    farm.upload(SOURCE).await;
    let worker = farm.register("one").await;
    let job = farm.claim_and_plan(&worker).await;
    (farm, worker, job)
}

async fn source(
    farm: &Served,
    worker: &Actor,
    job: &ClaimedJob,
    fence: i64,
    headers: &[(&str, &str)],
) -> Answer {
    let mut request = Request::get(format!("/api/worker/jobs/{}/source?fence={fence}", job.job_id))
        .header(AUTHORIZATION, worker.bearer());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    farm.send(request.body(Body::empty()).expect("a request")).await
}

/// A body that tells whether anybody read it.
fn watched() -> (Body, Arc<AtomicBool>) {
    let read = Arc::new(AtomicBool::new(false));
    let seen = read.clone();
    let body = futures::stream::once(async move {
        seen.store(true, Ordering::SeqCst);
        Ok::<_, std::io::Error>(Bytes::from("bytes"))
    });
    (Body::from_stream(body), read)
}

async fn lose(farm: &Served, worker: &Actor, job: &ClaimedJob) {
    let request = ReleaseRequest { job_id: job.job_id, fence: job.fence, reason: None };
    release::release(&farm.app, worker.id, &request).await.expect("released");
}

#[tokio::test]
async fn the_holder_reads_the_source_whole_or_in_ranges() {
    let (farm, worker, job) = working().await;
    let whole = source(&farm, &worker, &job, job.fence, &[]).await;
    assert_eq!((whole.status.as_u16(), &whole.body[..]), (200, SOURCE));
    assert_eq!(whole.header("repr-digest"), repr_digest(SOURCE));
    assert_eq!(whole.header("etag"), format!("\"{}\"", job.source.sha256));
    assert_eq!(whole.header("cache-control"), "private, no-store");
    let etag = whole.header("etag");
    let rest = source(&farm, &worker, &job, job.fence, &[("Range", "bytes=10-"), ("If-Range", etag)]).await;
    assert_eq!((rest.status.as_u16(), &rest.body[..]), (206, &SOURCE[10..]));
    assert_eq!(
        rest.header("repr-digest"),
        repr_digest(SOURCE),
        "of the whole, so that the joined file can be checked"
    );
}

#[tokio::test]
async fn nobody_else_reads_the_source() {
    let (farm, worker, job) = working().await;
    let other = farm.register("two").await;
    assert_eq!(source(&farm, &other, &job, job.fence, &[]).await.problem(), (403, "not_yours".to_owned()));
    assert_eq!(source(&farm, &worker, &job, job.fence - 1, &[]).await.problem(), (409, "fenced".to_owned()));
    let stranger = Actor { id: worker.id, key: "wrong-key".to_owned(), boot: worker.boot };
    assert_eq!(source(&farm, &stranger, &job, job.fence, &[]).await.status, 401);
    let no_fence = Request::get(format!("/api/worker/jobs/{}/source", job.job_id));
    let no_fence = no_fence.header(AUTHORIZATION, worker.bearer()).body(Body::empty()).expect("a request");
    assert_eq!(farm.send(no_fence).await.problem(), (400, "bad_query".to_owned()));
    lose(&farm, &worker, &job).await;
    assert_eq!(source(&farm, &worker, &job, job.fence, &[]).await.status, 409);
}

#[tokio::test]
async fn parts_add_up_to_a_quality_and_may_come_twice() {
    let (farm, worker, job) = working().await;
    let second = media::part("720p", 1, &BOUNDARIES[1..]).build();
    let first = media::part("720p", 0, &BOUNDARIES[..2]).build();
    for _ in 0..2 {
        let answer = farm.put_part(&worker, &job, job.fence, 1, second.clone()).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        assert_eq!(
            (answer.json()["segments_completed"].as_i64(), &answer.json()["status"]),
            (Some(2), &"in_progress".into())
        );
    }
    let files = farm.files("media/videos");
    let answer = farm.put_part(&worker, &job, job.fence, 0, first.clone()).await;
    assert_eq!(
        (answer.json()["segments_completed"].as_i64(), &answer.json()["status"]),
        (Some(3), &"completed".into())
    );
    assert_eq!(farm.files("media/videos").len(), files.len() + 1);
    let again = farm.put_part(&worker, &job, job.fence, 0, first).await;
    assert_eq!(again.json()["segments_completed"], 3);
    assert_eq!(farm.files("tmp"), Vec::<String>::new());
}

#[tokio::test]
async fn a_part_under_a_wrong_fence_is_not_even_read() {
    let (farm, worker, job) = working().await;
    let other = farm.register("two").await;
    let lost = async {
        lose(&farm, &worker, &job).await;
    };
    let mut cases =
        vec![(&worker, job.fence - 1, 409), (&worker, job.fence + 1, 409), (&other, job.fence, 403)];
    for (actor, fence, status) in cases.drain(..) {
        let (body, read) = watched();
        let mut request = part_request(actor, &job, fence, 0, b"bytes".to_vec());
        *request.body_mut() = body;
        let answer = farm.send(request).await;
        assert_eq!(answer.problem().0, status);
        assert!(!read.load(Ordering::SeqCst), "no byte was taken");
    }
    lost.await;
    let part = media::part("720p", 0, &BOUNDARIES).build();
    assert_eq!(farm.put_part(&worker, &job, job.fence, 0, part).await.problem().0, 409);
    assert_eq!(farm.files("media/videos"), Vec::<String>::new());
    assert_eq!(farm.files("tmp"), Vec::<String>::new());
}

#[tokio::test]
async fn a_part_needs_its_digest() {
    let (farm, worker, job) = working().await;
    let part = media::part("720p", 0, &BOUNDARIES).build();
    for bad in ["", "sha-256=", "sha-256=abc", "sha-256=:YQ==:", "md5=:YQ==:", "sha-256=:???:"] {
        let mut request = part_request(&worker, &job, job.fence, 0, part.clone());
        request.headers_mut().insert("repr-digest", bad.parse().expect("a header"));
        assert_eq!(farm.send(request).await.problem(), (400, "digest_required".to_owned()), "{bad}");
    }
    let mut request = part_request(&worker, &job, job.fence, 0, part.clone());
    request.headers_mut().insert("repr-digest", repr_digest(b"other").parse().expect("a header"));
    assert_eq!(farm.send(request).await.problem(), (400, "digest_mismatch".to_owned()));
    let mut request = part_request(&worker, &job, job.fence, 0, part.clone());
    let both = format!("sha-512=:YQ==:, {}", repr_digest(&part));
    request.headers_mut().insert("repr-digest", both.parse().expect("a header"));
    assert_eq!(farm.send(request).await.status, 200);
    assert_eq!(farm.files("tmp"), Vec::<String>::new());
}

#[tokio::test]
async fn a_part_that_is_too_large_or_cut_leaves_nothing() {
    let (farm, worker, job) = working_with(|settings| settings.max_part_bytes = 100).await;
    let part = media::part("720p", 0, &BOUNDARIES).build();
    assert_eq!(
        farm.put_part(&worker, &job, job.fence, 0, part.clone()).await.problem(),
        (413, "part_too_large".to_owned())
    );
    let mut request = part_request(&worker, &job, job.fence, 0, part);
    request.headers_mut().insert("content-length", "101".parse().expect("a header"));
    let (body, read) = watched();
    *request.body_mut() = body;
    assert_eq!(farm.send(request).await.status, 413);
    assert!(!read.load(Ordering::SeqCst));
    let mut request = part_request(&worker, &job, job.fence, 0, b"01".to_vec());
    let cut: [Result<Bytes, _>; 2] = [Ok(Bytes::from("01")), Err(std::io::Error::other("cut"))];
    *request.body_mut() = Body::from_stream(futures::stream::iter(cut));
    assert_eq!(farm.send(request).await.problem(), (400, "body_cut".to_owned()));
    assert_eq!(farm.files("tmp"), Vec::<String>::new());
    assert_eq!(farm.files("media/videos"), Vec::<String>::new());
}

#[tokio::test]
async fn a_part_must_fit_what_is_here() {
    let (farm, worker, job) = working().await;
    let first = media::part("720p", 0, &BOUNDARIES[..2]);
    assert_eq!(farm.put_part(&worker, &job, job.fence, 0, first.build()).await.status, 200);

    // Begins 40 ms late: inside the tolerance of the plan, but not where the first part ended.
    let late = media::part("720p", 1, &[BOUNDARIES[1] + 40_000, BOUNDARIES[2], BOUNDARIES[3]]);
    let refused = farm.put_part(&worker, &job, job.fence, 1, late.build()).await;
    assert_eq!(refused.problem(), (422, "part_timeline".to_owned()));

    let garbage = farm.put_part(&worker, &job, job.fence, 1, b"no archive".to_vec()).await;
    assert_eq!(garbage.problem().0, 422);
    let good = media::part("720p", 1, &BOUNDARIES[1..]).build();
    assert_eq!(farm.put_part(&worker, &job, job.fence, 1, good).await.json()["status"], "completed");
}

#[tokio::test]
async fn a_part_of_no_known_quality_is_refused() {
    let (farm, worker, job) = working().await;
    let part = media::part("360p", 0, &BOUNDARIES).build();
    let request =
        Request::put(format!("/api/worker/jobs/{}/qualities/360p/parts/0?fence={}", job.job_id, job.fence))
            .header(AUTHORIZATION, worker.bearer())
            .header("Repr-Digest", repr_digest(&part))
            .body(Body::from(part));
    let answer = farm.send(request.expect("a request")).await;
    assert_eq!(answer.problem(), (422, "unknown_quality".to_owned()));
}
