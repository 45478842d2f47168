//! Images and subtitles over HTTP: how a worker sends them and what a player gets.

use axum::body::Body;
use axum::http::header::AUTHORIZATION;
use axum::http::{Request, StatusCode};
use framefarm_api::lifecycle::{complete, plan};
use framefarm_api::testing::media;
use framefarm_shared::plan::{Plan, SourceInfo, SubtitleTrack, VideoTrack};
use framefarm_shared::wire::worker_api::{ClaimedJob, CompleteRequest, PlanRequest};

use crate::served::{Actor, Answer, BOUNDARIES, Served, repr_digest};

const JPEG: &[u8] = b"\xff\xd8\xff\xe0 pixels \xff\xd9";
const WORDS: &[u8] = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\n";
const BOARD: &[u8] = b"WEBVTT\n\n00:00.000 --> 00:18.000\nsprite_000.jpg#xywh=0,0,160,90\n";

async fn working() -> (Served, Actor, ClaimedJob) {
    let farm = Served::new().await;
    farm.upload(b"a source").await;
    let worker = farm.register("one").await;
    let job = farm.claim(&worker).await;
    assert_eq!(told(&farm, &worker, &job).await, (false, false));
    (farm, worker, job)
}

/// Whether images and subtitles are there, as a worker is told that plans.
async fn told(farm: &Served, worker: &Actor, job: &ClaimedJob) -> (bool, bool) {
    let video = VideoTrack { width: 1280, height: 720, frame_rate: 25.0, codec: "h264".to_owned() };
    let track = SubtitleTrack { language: Some("de".to_owned()), title: None, forced: false };
    let source = SourceInfo {
        duration_us: BOUNDARIES[3],
        video: Some(video),
        has_cover: None,
        audio: vec![],
        subtitles: vec![track],
        notes: vec![],
    };
    let request = PlanRequest { fence: job.fence, plan: Plan::regular(source) };
    let reply = plan::plan(&farm.app, worker.id, job.job_id, request).await.unwrap();
    (reply.has_images, reply.has_subtitles)
}

fn request(worker: &Actor, job: &ClaimedJob, path: &str, content: &[u8]) -> Request<Body> {
    Request::put(format!("/api/worker/jobs/{}/{path}?fence={}", job.job_id, job.fence))
        .header(AUTHORIZATION, worker.bearer())
        .header("Repr-Digest", repr_digest(content))
        .body(Body::from(content.to_vec()))
        .unwrap()
}

async fn put(farm: &Served, worker: &Actor, job: &ClaimedJob, path: &str, content: &[u8]) -> Answer {
    farm.send(request(worker, job, path, content)).await
}

async fn get(farm: &Served, url: &str) -> Answer {
    let request = Request::get(url).header("Origin", "https://elsewhere.example").body(Body::empty());
    farm.send(request.unwrap()).await
}

#[tokio::test]
async fn a_player_gets_images_and_subtitles_that_never_change() {
    let (farm, worker, job) = working().await;
    for (path, content) in [
        ("images/poster.jpg", JPEG),
        ("images/thumb_000.jpg", JPEG),
        ("images/sprite_000.jpg", JPEG),
        ("images/storyboard.vtt", BOARD),
        ("subtitles/0", WORDS),
    ] {
        let answer = put(&farm, &worker, &job, path, content).await;
        assert_eq!(
            (answer.status, answer.json()["lease_seconds"].as_u64()),
            (StatusCode::OK, Some(1800)),
            "{path}"
        );
    }
    assert_eq!(farm.files("tmp"), Vec::<String>::new());
    assert_eq!(told(&farm, &worker, &job).await, (true, true), "the next attempt need not make them again");
    let part = media::part("720p", 0, &BOUNDARIES).build();
    farm.put_part(&worker, &job, job.fence, 0, part).await;
    let done = CompleteRequest { job_id: job.job_id, fence: job.fence, results: None, left_out: vec![] };
    complete::complete(&farm.app, worker.id, &done).await.unwrap();

    let answer = get(&farm, &format!("/api/videos/{}", job.video_id)).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let video = &answer.json()["video"];
    let board = video["storyboard_url"].as_str().unwrap();
    let text = String::from_utf8(get(&farm, board).await.body.to_vec()).unwrap();
    let sprite = text.lines().find_map(|line| line.split_once("#xywh")).unwrap().0;
    let sprite = format!("{}/{sprite}", board.rsplit_once('/').unwrap().0);
    assert_eq!(video["subtitles"][0]["language"], "de");
    let vtt = "text/vtt; charset=utf-8";
    for (url, content_type, content) in [
        (video["poster_url"].as_str().unwrap(), "image/jpeg", Some(JPEG)),
        (video["thumbnail_urls"][0].as_str().unwrap(), "image/jpeg", Some(JPEG)),
        (&sprite, "image/jpeg", Some(JPEG)),
        (board, vtt, None),
        (video["subtitles"][0]["url"].as_str().unwrap(), vtt, Some(WORDS)),
    ] {
        let answer = get(&farm, url).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, content_type), "{url}");
        assert!(content.is_none_or(|content| content == answer.body), "{url}");
        assert_eq!(answer.header("cache-control"), "public, max-age=604800, immutable");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    let slug = video["slug"].as_str().unwrap();
    let playlist = get(&farm, &format!("/videos/{slug}/g1/subtitles/0.m3u8")).await;
    assert_eq!(playlist.header("content-type"), "application/vnd.apple.mpegurl");
    for name in
        ["images/poster.jpg", "images/..%2Fx", "subtitles/1.m3u8", "images/poster-0000000000000000.jpg"]
    {
        assert_eq!(get(&farm, &format!("/videos/{slug}/g1/{name}")).await.status, 404, "{name}");
    }
}

#[tokio::test]
async fn a_file_under_a_wrong_name_fence_or_digest_is_refused() {
    let (farm, worker, job) = working().await;
    for (path, content, problem) in [
        ("images/cover.jpg", JPEG, (422, "unknown_image")),
        ("images/thumb_1.jpg", JPEG, (422, "unknown_image")),
        ("images/..%2Fposter.jpg", JPEG, (422, "unknown_image")),
        ("images/poster.jpg", WORDS, (422, "not_jpeg")),
        ("subtitles/1", WORDS, (422, "unknown_track")),
        ("subtitles/x", WORDS, (400, "bad_path")),
        ("subtitles/0", JPEG, (422, "not_vtt")),
    ] {
        let (status, code) = put(&farm, &worker, &job, path, content).await.problem();
        assert_eq!((status, code.as_str()), problem, "{path}");
    }
    let mut undigested = request(&worker, &job, "images/poster.jpg", JPEG);
    undigested.headers_mut().remove("repr-digest");
    assert_eq!(farm.send(undigested).await.problem(), (400, "digest_required".to_owned()));
    let mut mixed = request(&worker, &job, "images/poster.jpg", JPEG);
    mixed.headers_mut().insert("repr-digest", repr_digest(WORDS).parse().unwrap());
    assert_eq!(farm.send(mixed).await.problem(), (400, "digest_mismatch".to_owned()));
    let mut large = request(&worker, &job, "images/storyboard.vtt", BOARD);
    large.headers_mut().insert("content-length", "1048577".parse().unwrap());
    assert_eq!(farm.send(large).await.problem(), (413, "file_too_large".to_owned()));

    let other = farm.register("two").await;
    assert_eq!(put(&farm, &other, &job, "images/poster.jpg", JPEG).await.problem().0, 403);
    let stranger = Actor { id: worker.id, key: "wrong-key".to_owned(), boot: worker.boot };
    assert_eq!(put(&farm, &stranger, &job, "images/poster.jpg", JPEG).await.status, 401);
    let old = ClaimedJob { fence: job.fence - 1, ..job.clone() };
    assert_eq!(
        put(&farm, &worker, &old, "images/poster.jpg", JPEG).await.problem(),
        (409, "fenced".to_owned())
    );
    assert_eq!(farm.files("media/videos"), Vec::<String>::new());
    assert_eq!(farm.files("tmp"), Vec::<String>::new());
}
