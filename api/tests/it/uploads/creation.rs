//! What may be begun.

use axum::body::Body;
use axum::http::Request;
use framefarm_api::db::videos;

use super::{PIECE, append, create, empty, metadata, source_of, tus};
use crate::served::Served;

#[tokio::test]
async fn the_length_decides_whether_an_upload_is_taken() {
    let farm = Served::with(|settings| settings.max_upload_bytes = 1000).await;
    assert_eq!(create(&farm, 0, &[]).await.problem(), (400, "empty_upload".to_owned()));
    assert_eq!(create(&farm, 1001, &[]).await.problem(), (413, "upload_too_large".to_owned()));
    assert_eq!(create(&farm, 1000, &[]).await.status, 201);
    for request in [
        tus(Request::post("/api/uploads")),
        tus(Request::post("/api/uploads")).header("Upload-Length", "many"),
        tus(Request::post("/api/uploads")).header("Upload-Length", "-5"),
        tus(Request::post("/api/uploads")).header("Upload-Defer-Length", "1"),
    ] {
        assert_eq!(farm.send(empty(request)).await.problem(), (400, "bad_header".to_owned()));
    }
}

#[tokio::test]
async fn a_full_disk_is_said_before_the_first_byte() {
    let farm = Served::with(|settings| settings.disk_reserve_bytes = 1 << 60).await;
    let answer = create(&farm, 1000, &[]).await;
    assert_eq!(answer.problem(), (507, "disk_full".to_owned()));
    let detail = answer.json()["detail"].as_str().expect("words").to_owned();
    assert!(detail.contains("1.0 kB") && detail.contains("1.1 EB"), "{detail}");
}

#[tokio::test]
async fn bytes_promised_to_open_uploads_are_not_promised_twice() {
    let farm = Served::new().await;
    let free =
        usize::try_from(farm.app.storage.space().expect("a disk").expect("its space").free).expect("a size");
    let most = free / 3 * 2;
    let first = create(&farm, most.min(200 << 30), &[]).await;
    assert_eq!(first.status, 201);
    if most < 200 << 30 {
        assert_eq!(create(&farm, most, &[]).await.problem(), (507, "disk_full".to_owned()));
    }
    let url = first.header("location").to_owned();
    assert_eq!(farm.send(empty(tus(Request::delete(url)))).await.status, 204);
    assert_eq!(create(&farm, most.min(200 << 30), &[]).await.status, 201);
}

#[tokio::test]
async fn an_empty_metadata_header_is_no_metadata() {
    let farm = Served::new().await;
    let request = tus(Request::post("/api/uploads")).header("Upload-Length", 5).header("Upload-Metadata", "");
    let answer = farm.send(empty(request)).await;
    assert_eq!(answer.status, 201);
    let answer = append(&farm, answer.header("location"), 0, b"01234").await;
    assert_eq!(source_of(&farm, &answer).await, b"01234");
}

#[tokio::test]
async fn metadata_that_makes_no_sense_is_refused() {
    let farm = Served::new().await;
    for (raw, code) in [
        ("title ???".to_owned(), "bad_header"),
        ("title YQ==,title Yg==".to_owned(), "bad_header"),
        (",".to_owned(), "bad_header"),
        ("title /w==".to_owned(), "bad_header"),
        (metadata(&[("priority", "urgent")]), "bad_priority"),
        (metadata(&[("force", "perhaps")]), "bad_flag"),
        (metadata(&[("qualities", "720p,9000p")]), "unknown_quality"),
        (metadata(&[("title", "a\nb")]), "bad_text"),
        (metadata(&[("title", &"x".repeat(301))]), "bad_text"),
    ] {
        let request =
            tus(Request::post("/api/uploads")).header("Upload-Length", 5).header("Upload-Metadata", &raw);
        assert_eq!(farm.send(empty(request)).await.problem(), (400, code.to_owned()), "{raw}");
    }
}

#[tokio::test]
async fn metadata_becomes_the_video() {
    let farm = Served::new().await;
    let pairs = [
        ("filename", "../../../../etc/passwd.mov"),
        ("filetype", "video/quicktime"),
        ("title", "Überfahrt – 東京 🎬"),
        ("collection", "Summer"),
        ("priority", "high"),
        ("qualities", "720p, 360p"),
    ];
    let answer = create(&farm, 5, &pairs).await;
    let answer = append(&farm, answer.header("location"), 0, b"01234").await;
    assert_eq!(answer.status, 204);
    let video = answer.header("framefarm-video-id").parse().expect("an id");
    let video = videos::get(farm.db(), video).await.expect("a database").expect("a video");
    assert_eq!((video.title.as_str(), video.source_name.as_str()), ("Überfahrt – 東京 🎬", "passwd.mov"));
    assert_eq!(video.wanted.expect("a list").0, ["720p", "360p"]);
    let job = answer.header("framefarm-job-id").parse().expect("an id");
    let job = framefarm_api::db::job::get(farm.db(), job).await.expect("a database").expect("a job");
    assert_eq!(job.priority, 100);
    assert!(farm.files("").iter().all(|path| !path.contains("passwd")), "{:?}", farm.files(""));
}

#[tokio::test]
async fn an_upload_may_bring_its_first_bytes_or_all_of_them() {
    let farm = Served::new().await;
    let post = || tus(Request::post("/api/uploads")).header("Upload-Length", 10);
    let body = |text: &'static str| Body::from(text);
    let half = post().header("Content-Type", PIECE).header("Content-Length", 5).body(body("01234"));
    let half = farm.send(half.expect("a request")).await;
    assert_eq!((half.status.as_u16(), half.header("upload-offset")), (201, "5"));
    let whole = append(&farm, half.header("location"), 5, b"56789").await;
    assert_eq!(source_of(&farm, &whole).await, b"0123456789");

    let all = post().header("Content-Type", PIECE).body(body("9876543210"));
    let all = farm.send(all.expect("a request")).await;
    assert_eq!((all.status.as_u16(), all.header("framefarm-deduplicated")), (201, "false"));
    assert_eq!(source_of(&farm, &all).await, b"9876543210");

    let other = post().header("Content-Type", "video/mp4").header("Content-Length", 5).body(body("01234"));
    assert_eq!(farm.send(other.expect("a request")).await.status, 415);
}
