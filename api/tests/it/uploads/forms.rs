//! A video in one multipart request.

use axum::body::{Body, Bytes};
use axum::http::Request;
use framefarm_api::db::videos;
use framefarm_shared::id::VideoId;

use crate::served::{Answer, Served};

enum Part<'a> {
    Text(&'a str, &'a str),
    File(&'a str, &'a [u8]),
}
use Part::{File, Text};

fn form(parts: &[Part<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for part in parts {
        match part {
            Text(name, text) => body.extend_from_slice(
                format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
                    .as_bytes(),
            ),
            File(name, bytes) => {
                let head = format!(
                    "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
                     Content-Type: video/mp4\r\n\r\n"
                );
                body.extend_from_slice(head.as_bytes());
                body.extend_from_slice(bytes);
                body.extend_from_slice(b"\r\n");
            }
        }
    }
    body.extend_from_slice(b"--XX--\r\n");
    body
}

fn request(body: impl Into<Body>) -> Request<Body> {
    let request = Request::post("/api/videos").header("Content-Type", "multipart/form-data; boundary=XX");
    request.body(body.into()).expect("a request")
}

async fn post(farm: &Served, parts: &[Part<'_>]) -> Answer {
    farm.send(request(form(parts))).await
}

fn nothing_is_left(farm: &Served) {
    assert_eq!(farm.files("uploads"), Vec::<String>::new());
    assert_eq!(farm.files("media/sources"), Vec::<String>::new());
}

#[tokio::test]
async fn a_form_with_a_file_that_is_no_media_is_refused() {
    let farm = Served::new().await;
    let answer = post(&farm, &[File("thesis.docx", b"PK\x03\x04\x14\x00\x06\x00"), Text("title", "x")]).await;
    assert_eq!(answer.problem(), (415, "unsupported_file_type".to_owned()));
    nothing_is_left(&farm);
}

#[tokio::test]
async fn fields_may_come_before_and_after_the_file() {
    let farm = Served::new().await;
    let bytes = super::random(3_000_000);
    let parts = [
        Text("title", "A day at sea"),
        File("../../sea.mp4", &bytes),
        Text("qualities", "720p"),
        Text("collection", ""),
        Text("priority", "low"),
    ];
    let answer = post(&farm, &parts).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let json = answer.json();
    assert_eq!(json["deduplicated"], false);
    let id: VideoId = json["video_id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
    let video = videos::get(farm.db(), id).await.expect("a database").expect("a video");
    assert_eq!((video.title.as_str(), video.source_name.as_str()), ("A day at sea", "sea.mp4"));
    assert_eq!(json["slug"], video.slug);
    let key = framefarm_shared::object_key::ObjectKey::Source { video: id };
    assert_eq!(farm.app.storage.get(&key).await.expect("a source"), bytes);

    let again = post(&farm, &parts).await;
    assert_eq!((again.status.as_u16(), again.json()["deduplicated"].as_bool()), (200, Some(true)));
    assert_eq!(again.json()["job_id"], json["job_id"]);
    assert_eq!(farm.files("media/sources").len(), 1);
    assert_eq!(farm.files("uploads"), Vec::<String>::new());
}

#[tokio::test]
async fn forms_that_are_wrong_leave_nothing_behind() {
    let farm = Served::new().await;
    let long = "x".repeat(20_000);
    for (parts, code) in [
        (vec![Text("title", "no file")], "bad_form"),
        (vec![File("a", b"1"), File("b", b"2")], "bad_form"),
        (vec![File("a", b"1"), Text("colour", "blue")], "bad_form"),
        (vec![File("a", b"1"), Text("title", &long)], "bad_form"),
        (vec![File("a", b"1"), Text("priority", "urgent")], "bad_priority"),
        (vec![File("a", b"1"), Text("qualities", "9000p")], "unknown_quality"),
        (vec![File("a", b"")], "empty_upload"),
    ] {
        assert_eq!(post(&farm, &parts).await.problem(), (400, code.to_owned()));
        nothing_is_left(&farm);
    }
    let untyped = Request::post("/api/videos").body(Body::from("x")).expect("a request");
    assert_eq!(farm.send(untyped).await.status, 400);
}

#[tokio::test]
async fn a_form_that_is_cut_leaves_nothing_behind() {
    let farm = Served::new().await;
    let body = form(&[File("a", &super::random(100_000))]);
    let half = Bytes::from(body[..50_000].to_vec());
    let cut: [Result<Bytes, _>; 2] = [Ok(half.clone()), Err(std::io::Error::other("cut"))];
    let answer = farm.send(request(Body::from_stream(futures::stream::iter(cut)))).await;
    assert_eq!(answer.status, 400);
    let answer = farm.send(request(half)).await;
    assert_eq!(answer.status, 400);
    nothing_is_left(&farm);
}

#[tokio::test]
async fn size_and_disk_are_watched_while_the_bytes_come() {
    let farm = Served::with(|settings| settings.max_upload_bytes = 1000).await;
    assert_eq!(post(&farm, &[File("a", &[7; 1001])]).await.problem(), (413, "upload_too_large".to_owned()));
    nothing_is_left(&farm);
    assert_eq!(post(&farm, &[File("a", &[7; 1000])]).await.status, 201);

    let full = Served::with(|settings| settings.disk_reserve_bytes = 1 << 60).await;
    assert_eq!(post(&full, &[File("a", b"1")]).await.problem(), (507, "disk_full".to_owned()));
    nothing_is_left(&full);
}

#[tokio::test]
async fn only_an_uploader_may_send_forms() {
    let farm = Served::new().await;
    let mut request = request(form(&[File("a", b"1")]));
    request.headers_mut().insert("authorization", "Bearer wrong".parse().expect("a header"));
    assert_eq!(farm.send(request).await.status, 401);
    nothing_is_left(&farm);
}
