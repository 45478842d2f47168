//! Uploads over lines that are slow, or dead.

use std::time::Duration;

use framefarm_shared::part::Sha256Hex;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::a_job;
use crate::client::{CallError, Client, Secret, UploadLimits};
use crate::part::PartArchive;

/// Far more than the buffers of the sockets hold.
const SIZE: usize = 32 << 20;
/// Longer than a busy machine keeps a task waiting.
const STALL: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_mins(1);
const REPLY: &str = r#"{"quality":"360p","segments_completed":1,"segments_total":3,"status":"in_progress","lease_seconds":60}"#;

/// What the server does with the body of a request.
#[derive(Clone, Copy)]
enum Reading {
    /// So many bytes, then a pause, until the end; then it answers.
    Slowly(usize, Duration),
    /// So many bytes and no more.
    Until(usize),
    /// All of it, and then it says nothing.
    WithoutAnswer,
}

/// A server on a real port with small buffers. Gives back its address; it ends when the handle is dropped.
fn server(reading: Reading) -> (reqwest::Url, AbortOnDropHandle<()>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 * 1024).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(8).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let serving = tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(serve(connection, reading));
        }
    });
    (url, AbortOnDropHandle::new(serving))
}

async fn serve(mut connection: TcpStream, reading: Reading) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    assert!(head.contains(&format!("content-length: {SIZE}\r\n")), "{head}");
    let (piece, pause, until) = match reading {
        Reading::Slowly(piece, pause) => (piece, pause, SIZE),
        Reading::Until(until) => (64 * 1024, Duration::ZERO, until),
        Reading::WithoutAnswer => (64 * 1024, Duration::ZERO, SIZE),
    };
    let mut rest = until;
    let mut buffer = vec![0; piece];
    while rest > 0 {
        let read = rest.min(piece);
        connection.read_exact(&mut buffer[..read]).await.unwrap();
        rest -= read;
        tokio::time::sleep(pause).await;
    }
    if let Reading::Slowly(..) = reading {
        let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{REPLY}", REPLY.len());
        connection.write_all(reply.as_bytes()).await.unwrap();
    } else {
        // The connection stays open until the client leaves.
        let _until_it_is_gone = connection.peek(&mut [0]).await;
        std::future::pending::<()>().await;
    }
}

fn a_part(directory: &TempDir) -> PartArchive {
    let path = directory.path().join("part");
    let content = vec![7; SIZE];
    std::fs::write(&path, &content).unwrap();
    let sha256 = Sha256Hex(Sha256::digest(&content).into());
    PartArchive { path, quality: "360p".to_owned(), first_segment: 0, size: SIZE as u64, sha256 }
}

/// How an upload to such a server goes, and how long it takes; so long it may wait for an answer.
async fn uploaded(reading: Reading, answer: Duration) -> (Result<i32, CallError>, Duration) {
    let (url, _serving) = server(reading);
    let mut client = Client::new(url, &Secret::new("k")).unwrap();
    client.upload_limits = UploadLimits { stall: STALL, answer };
    let directory = tempfile::tempdir().unwrap();
    let part = a_part(&directory);
    let started = Instant::now();
    let sent = client.put_part(a_job(), &part).await;
    (sent.map(|sent| sent.reply.segments_total), started.elapsed())
}

#[tokio::test]
async fn a_part_arrives_over_a_slow_line_however_long_it_takes() {
    for (piece, pause) in [(128 * 1024, 25), (512 * 1024, 100)] {
        let (sent, took) = uploaded(Reading::Slowly(piece, Duration::from_millis(pause)), PATIENCE).await;
        assert!(took > STALL + STALL / 2, "too fast to show anything: {took:?}");
        assert_eq!(sent.unwrap(), 3);
    }
}

#[tokio::test]
async fn a_farm_that_stops_reading_is_given_up_and_tried_again() {
    for until in [0, 1 << 20, 5 << 20] {
        let (sent, took) = uploaded(Reading::Until(until), PATIENCE).await;
        let Err(CallError::TryAgain { detail, .. }) = sent else { panic!("{sent:?}") };
        assert!(detail.contains("stalled for 3 s"), "{detail}");
        assert!(took >= STALL, "{took:?}");
    }
}

#[tokio::test]
async fn a_farm_that_takes_the_whole_part_and_never_answers_is_given_up_and_tried_again() {
    let (sent, took) = uploaded(Reading::WithoutAnswer, STALL).await;
    let Err(CallError::TryAgain { detail, .. }) = sent else { panic!("{sent:?}") };
    assert!(detail.contains("no response for 3 s"), "{detail}");
    assert!(took >= STALL, "{took:?}");
}
