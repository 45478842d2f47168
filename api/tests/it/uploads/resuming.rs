//! Connections that break, hang, and come twice.

use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use framefarm_shared::id::UploadId;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{append, begin, head, offset, piece, random, source_of};
use crate::served::Served;

/// A PATCH over a real connection that announces more than it sends.
async fn half_a_patch(farm: &Served, url: &str, at: usize, announced: usize, sent: &[u8]) -> TcpStream {
    let mut connection = TcpStream::connect(farm.listen().await).await.expect("a connection");
    let head = format!(
        "PATCH {url} HTTP/1.1\r\nHost: farm\r\nAuthorization: Bearer {}\r\nTus-Resumable: 1.0.0\r\n\
         Content-Type: application/offset+octet-stream\r\nUpload-Offset: {at}\r\nContent-Length: {announced}\r\n\r\n",
        farm.token
    );
    connection.write_all(head.as_bytes()).await.expect("sent");
    connection.write_all(sent).await.expect("sent");
    connection.flush().await.expect("sent");
    connection
}

/// Until the request has brought something. It looks at the file, because asking for the offset would take the upload
/// over from the request.
async fn bytes_on_disk(farm: &Served, url: &str) {
    let file = farm.path().join("uploads").join(url.rsplit('/').next().expect("an id"));
    let arrived = async {
        while file.metadata().map_or(0, |meta| meta.len()) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), arrived).await.expect("bytes on disk");
}

#[tokio::test]
async fn what_arrived_before_the_connection_broke_is_kept() {
    let farm = Served::new().await;
    let bytes = random(300_000);
    let url = begin(&farm, bytes.len()).await;
    drop(half_a_patch(&farm, &url, 0, bytes.len(), &bytes[..200_000]).await);
    bytes_on_disk(&farm, &url).await;
    let at = offset(&farm, &url).await;
    assert_eq!(at, 200_000);
    let last = append(&farm, &url, at, &bytes[at..]).await;
    assert_eq!(source_of(&farm, &last).await, bytes);
}

#[tokio::test]
async fn a_body_that_ends_with_an_error_keeps_its_first_part() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    let cut: [Result<Bytes, _>; 2] = [Ok(Bytes::from("01234")), Err(std::io::Error::other("cut"))];
    let answer = farm.send(piece(&url, 0, Body::from_stream(futures::stream::iter(cut)))).await;
    assert_eq!(answer.problem(), (400, "body_cut".to_owned()));
    assert_eq!(offset(&farm, &url).await, 5);
}

#[tokio::test]
async fn a_hanging_request_gives_way_to_a_new_one() {
    let farm = Served::new().await;
    // More than the server keeps in its memory before it writes.
    let bytes = random(700_000);
    let url = begin(&farm, bytes.len()).await;
    let mut hanging = half_a_patch(&farm, &url, 0, bytes.len(), &bytes[..600_000]).await;
    bytes_on_disk(&farm, &url).await;
    let began = Instant::now();
    let at = offset(&farm, &url).await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    let mut answer = [0; 12];
    hanging.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 423");
    let last = append(&farm, &url, at, &bytes[at..]).await;
    assert_eq!(source_of(&farm, &last).await, bytes);
}

#[tokio::test]
async fn somebody_who_does_not_let_go_locks_the_upload() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    let id: UploadId = url.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id");
    let _held = farm.app.uploads.hold(id).await.expect("free");
    let (by_head, by_patch) = tokio::join!(head(&farm, &url), append(&farm, &url, 0, b"01234"));
    assert_eq!(by_head.status, 423);
    assert_eq!(by_patch.problem(), (423, "upload_locked".to_owned()));
}

#[tokio::test]
async fn of_two_pieces_at_once_only_one_counts() {
    let farm = Served::new().await;
    for round in 0..20_u8 {
        let url = begin(&farm, 40_001).await;
        let chunks = |fill: u8| {
            let chunks = (0..4).map(move |_| Ok::<_, std::io::Error>(Bytes::from(vec![fill; 10_000])));
            Body::from_stream(futures::stream::iter(chunks))
        };
        let (one, two) =
            tokio::join!(farm.send(piece(&url, 0, chunks(1))), farm.send(piece(&url, 0, chunks(2))));
        for answer in [&one, &two] {
            assert!([204, 409, 423].contains(&answer.status.as_u16()), "{answer:?}");
        }
        assert!(one.status != 204 || two.status != 204, "both at offset 0");
        let at = offset(&farm, &url).await;
        let mut tail = vec![round; 40_001 - at];
        tail[0] = 9;
        let last = append(&farm, &url, at, &tail).await;
        assert_eq!(last.status, 204);
        let stored = source_of(&farm, &last).await;
        assert!(at == 0 || stored[..at].iter().all(|byte| *byte == stored[0]), "a mix of both");
        let video = last.header("framefarm-video-id").parse().expect("an id");
        let row =
            framefarm_api::db::videos::get(farm.db(), video).await.expect("a database").expect("a video");
        assert_eq!(
            row.source_sha256,
            hex::encode(Sha256::digest(&stored)),
            "the running digest is that of the file"
        );
    }
}

#[tokio::test]
async fn bytes_beyond_the_count_are_cut_off() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    append(&farm, &url, 0, b"01234").await;
    let id = url.rsplit('/').next().expect("an id");
    let file = farm.path().join("uploads").join(id);
    std::fs::write(&file, b"01234 written but never counted").expect("a file");
    let farm = farm.after_a_crash().await;
    assert_eq!(offset(&farm, &url).await, 5);
    let last = append(&farm, &url, 5, b"56789").await;
    assert_eq!(source_of(&farm, &last).await, b"0123456789");
}

#[tokio::test]
async fn counted_bytes_that_left_the_disk_are_said_to_be_gone() {
    let farm = Served::new().await;
    let url = begin(&farm, 10).await;
    append(&farm, &url, 0, b"01234").await;
    let file = farm.path().join("uploads").join(url.rsplit('/').next().expect("an id"));
    std::fs::write(&file, b"01").expect("a file");
    assert_eq!(append(&farm, &url, 5, b"56789").await.problem(), (410, "upload_damaged".to_owned()));
}
