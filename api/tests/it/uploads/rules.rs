//! The rules of tus 1.0.0, one by one.

use axum::body::Body;
use axum::http::Request;
use chrono::Duration;

use super::{PIECE, append, begin, create, empty, head, offset, tus};
use crate::served::Served;

#[tokio::test]
async fn options_describe_the_server_and_need_neither_login_nor_version() {
    let farm = Served::with(|settings| settings.max_upload_bytes = 12_345).await;
    let url = begin(&farm, 5).await;
    for path in ["/api/uploads", &url] {
        let request = Request::options(path).header("Authorization", "Bearer nobody");
        let answer = farm.send(empty(request)).await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("tus-version"), "1.0.0");
        assert_eq!(
            answer.header("tus-extension"),
            "creation,creation-with-upload,termination,checksum,expiration"
        );
        assert_eq!(answer.header("tus-max-size"), "12345");
        assert_eq!(answer.header("tus-checksum-algorithm"), "sha1,sha256");
        assert_eq!(answer.header("tus-resumable"), "");
    }
}

#[tokio::test]
async fn other_versions_are_refused_with_the_one_that_is_spoken() {
    let farm = Served::new().await;
    let url = begin(&farm, 5).await;
    for request in
        [Request::post("/api/uploads"), Request::head(&url), Request::patch(&url), Request::delete(&url)]
    {
        let answer = farm.send(empty(request.header("Tus-Resumable", "0.2.2"))).await;
        assert_eq!(answer.status, 412);
        assert_eq!((answer.header("tus-version"), answer.header("tus-resumable")), ("1.0.0", "1.0.0"));
    }
    assert_eq!(farm.send(empty(Request::delete(&url))).await.problem(), (412, "tus_version".to_owned()));
    assert_eq!(offset(&farm, &url).await, 0, "nothing was deleted");
}

#[tokio::test]
async fn only_an_uploader_gets_in() {
    let farm = Served::new().await;
    let url = begin(&farm, 5).await;
    let (_, reader) =
        framefarm_api::auth::token::create(&farm.app, "r", framefarm_api::auth::Scope::Read, "admin")
            .await
            .expect("a token");
    for (token, status) in [("wrong", 401), (reader.as_str(), 403)] {
        for request in
            [Request::post("/api/uploads"), Request::patch(&url), Request::delete(&url), Request::head(&url)]
        {
            let answer =
                farm.send(empty(tus(request).header("Authorization", format!("Bearer {token}")))).await;
            assert_eq!(answer.status, status);
            assert_eq!(answer.header("tus-resumable"), "1.0.0");
        }
    }
}

#[tokio::test]
async fn head_says_how_far_it_is_and_is_not_cached() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    assert!(url.starts_with("/api/uploads/"), "an absolute path: {url}");
    let answer = append(&farm, &url, 0, b"01234").await;
    assert_eq!((answer.status.as_u16(), answer.header("upload-offset")), (204, "5"));
    let answer = head(&farm, &url).await;
    assert_eq!(answer.status, 200);
    assert_eq!((answer.header("upload-offset"), answer.header("upload-length")), ("5", "10"));
    assert_eq!(answer.header("upload-metadata"), "filename aG9saWRheS5tcDQ=");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("tus-resumable"), "1.0.0");
}

#[tokio::test]
async fn a_wrong_offset_changes_nothing() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    append(&farm, &url, 0, b"01234").await;
    for wrong in [0, 4, 6, 10] {
        let answer = append(&farm, &url, wrong, b"xx").await;
        assert_eq!(answer.problem(), (409, "wrong_offset".to_owned()));
        assert_eq!(answer.header("upload-offset"), "5");
    }
    assert_eq!(offset(&farm, &url).await, 5);
}

#[tokio::test]
async fn a_piece_needs_its_offset_and_its_content_type() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    let body = || Body::from("01234");
    let patch = || tus(Request::patch(&url));
    let typed = farm.send(patch().header("Content-Type", PIECE).body(body()).expect("a request")).await;
    assert_eq!(typed.problem(), (400, "bad_header".to_owned()));
    for bad in ["-1", "+1", "1.0", "", "99999999999999999999"] {
        let request = patch().header("Content-Type", PIECE).header("Upload-Offset", bad);
        assert_eq!(farm.send(request.body(body()).expect("a request")).await.status, 400, "{bad:?}");
    }
    let untyped = farm.send(patch().header("Upload-Offset", "0").body(body()).expect("a request")).await;
    assert_eq!(untyped.problem(), (415, "bad_content_type".to_owned()));
    let other = patch().header("Upload-Offset", "0").header("Content-Type", "video/mp4");
    assert_eq!(farm.send(other.body(body()).expect("a request")).await.status, 415);
    assert_eq!(offset(&farm, &url).await, 0);
}

#[tokio::test]
async fn more_bytes_than_announced_are_refused() {
    let farm = Served::new().await;
    let url = begin(&farm, 4).await;
    assert_eq!(append(&farm, &url, 0, b"01234").await.problem(), (413, "upload_too_long".to_owned()));
    assert_eq!(offset(&farm, &url).await, 0);
    let whole = append(&farm, &url, 0, b"0123").await;
    assert_eq!(whole.status, 204);
}

#[tokio::test]
async fn a_terminated_upload_is_gone_with_its_bytes() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    append(&farm, &url, 0, b"01234").await;
    assert_eq!(farm.files("uploads").len(), 1);
    assert_eq!(farm.send(empty(tus(Request::delete(&url)))).await.status, 204);
    assert_eq!(head(&farm, &url).await.status, 404);
    assert_eq!(append(&farm, &url, 5, b"56789").await.problem(), (404, "not_found".to_owned()));
    assert_eq!(farm.send(empty(tus(Request::delete(&url)))).await.status, 404);
    assert_eq!(farm.files("uploads"), Vec::<String>::new());
}

#[tokio::test]
async fn an_upload_expires_when_no_bytes_come_and_lives_on_when_they_do() {
    let farm = Served::new().await;
    let answer = create(&farm, 10, &[]).await;
    let url = answer.header("location").to_owned();
    let expires =
        chrono::DateTime::parse_from_rfc2822(answer.header("upload-expires")).expect("an HTTP date");
    assert_eq!(expires.timestamp(), (farm.app.clock.now() + Duration::minutes(30)).timestamp());

    farm.app.clock.advance(Duration::minutes(29));
    assert_eq!(append(&farm, &url, 0, b"01234").await.status, 204);
    farm.app.clock.advance(Duration::hours(23));
    assert_eq!(offset(&farm, &url).await, 5, "new bytes gave it another day");
    farm.app.clock.advance(Duration::hours(1));
    assert_eq!(head(&farm, &url).await.status, 410);
    assert_eq!(append(&farm, &url, 5, b"56789").await.problem(), (410, "upload_expired".to_owned()));

    framefarm_api::services::cleaner::run_once(farm.app.clone()).await.expect("a run");
    assert_eq!(head(&farm, &url).await.status, 404);
    assert_eq!(farm.files("uploads"), Vec::<String>::new());
}

#[tokio::test]
async fn names_that_are_no_ids_are_refused() {
    let farm = Served::new().await;
    for name in ["x", "..%2F..%2Fetc%2Fpasswd", "00000000-0000-0000-0000-00000000000g"] {
        let answer = farm.send(empty(tus(Request::head(format!("/api/uploads/{name}"))))).await;
        assert_eq!(answer.status, 400, "{name}");
    }
    assert_eq!(head(&farm, "/api/uploads/00000000-0000-0000-0000-000000000000").await.status, 404);
}
