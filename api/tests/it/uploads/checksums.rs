//! The checksum extension.

use axum::body::{Body, Bytes};
use axum::http::Request;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use super::{append, begin, offset, piece, source_of};
use crate::served::{Served, base64};

fn with_checksum(mut request: Request<Body>, text: &str) -> Request<Body> {
    request.headers_mut().insert("upload-checksum", text.parse().expect("a header"));
    request
}

#[tokio::test]
async fn matching_checksums_count_and_others_discard_the_piece() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    let sha1 = |bytes: &[u8]| format!("sha1 {}", base64(&Sha1::digest(bytes)));
    let sha256 = |bytes: &[u8]| format!("sha256 {}", base64(&Sha256::digest(bytes)));

    let wrong = farm.send(with_checksum(piece(&url, 0, "01234"), &sha1(b"other"))).await;
    assert_eq!(wrong.problem(), (460, "checksum_mismatch".to_owned()));
    assert_eq!(offset(&farm, &url).await, 0);
    let right = farm.send(with_checksum(piece(&url, 0, "01234"), &sha1(b"01234"))).await;
    assert_eq!((right.status.as_u16(), right.header("upload-offset")), (204, "5"));

    let wrong = farm.send(with_checksum(piece(&url, 5, "xxxxx"), &sha256(b"56789"))).await;
    assert_eq!(wrong.status, 460);
    assert_eq!(offset(&farm, &url).await, 5, "not even the last piece of a file counts when it is wrong");
    let right = farm.send(with_checksum(piece(&url, 5, "56789"), &sha256(b"56789"))).await;
    assert_eq!(source_of(&farm, &right).await, b"0123456789");
}

#[tokio::test]
async fn unknown_and_broken_checksums_are_refused() {
    let farm = Served::new().await;
    let url = begin(&farm, 5).await;
    for text in ["md5 1B2M2Y8AsgTpgAmY7PhCfg==", "sha1", "sha1 ???", "sha1 YQ==", "sha256 YQ=="] {
        let answer = farm.send(with_checksum(piece(&url, 0, "01234"), text)).await;
        assert_eq!(answer.problem(), (400, "bad_header".to_owned()), "{text}");
    }
    assert_eq!(append(&farm, &url, 0, b"01234").await.status, 204);
}

#[tokio::test]
async fn half_a_piece_with_a_checksum_does_not_count() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    let cut: [Result<Bytes, _>; 2] = [Ok(Bytes::from("01234")), Err(std::io::Error::other("cut"))];
    let request = piece(&url, 0, Body::from_stream(futures::stream::iter(cut)));
    let sum = format!("sha1 {}", base64(&Sha1::digest(b"01234")));
    assert_eq!(farm.send(with_checksum(request, &sum)).await.problem(), (400, "body_cut".to_owned()));
    assert_eq!(offset(&farm, &url).await, 0);
}
