//! A web server that answers as it is told, also badly.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

#[derive(Clone)]
pub(super) struct Answer {
    bytes: Vec<u8>,
    then: Then,
}

#[derive(Clone, Copy)]
enum Then {
    Close,
    Hang,
    /// The last bytes again and again.
    Repeat(usize),
    /// Nothing is ready: the bytes are a file, and the request says which part of it.
    AsAsked,
}

impl Answer {
    pub(super) fn new(head: &str, body: &[u8]) -> Self {
        let mut bytes =
            format!("HTTP/1.1 {}\r\nconnection: close\r\n\r\n", head.replace('\n', "\r\n")).into_bytes();
        bytes.extend_from_slice(body);
        Self { bytes, then: Then::Close }
    }

    /// A whole file with its length and a version, of which only so much is sent.
    pub(super) fn file(body: &[u8], tag: &str, sent: usize) -> Self {
        Self::new(&format!("200 OK\ncontent-length: {}\netag: {tag}", body.len()), &body[..sent])
    }

    /// The rest of it.
    pub(super) fn rest(body: &[u8], tag: &str, from: usize) -> Self {
        let length = body.len();
        let head = format!(
            "206 Partial Content\ncontent-length: {}\ncontent-range: bytes {from}-{}/{length}\netag: {tag}",
            length - from,
            length - 1
        );
        Self::new(&head, &body[from..])
    }

    pub(super) fn to(location: &str) -> Self {
        Self::new(&format!("302 Found\nlocation: {location}\ncontent-length: 0"), b"")
    }

    /// A good server.
    pub(super) fn as_asked(body: &[u8]) -> Self {
        Self { bytes: body.to_vec(), then: Then::AsAsked }
    }

    fn for_request(self, head: &str) -> Self {
        if !matches!(self.then, Then::AsAsked) {
            return self;
        }
        let from = head.split("range: bytes=").nth(1).and_then(|rest| rest.split('-').next()?.parse().ok());
        match from {
            Some(from) => Self::rest(&self.bytes, "\"v1\"", from),
            None => Self::file(&self.bytes, "\"v1\"", self.bytes.len()),
        }
    }

    pub(super) fn then_hang(self) -> Self {
        Self { then: Then::Hang, ..self }
    }

    pub(super) fn endless(head: &str, piece: &[u8]) -> Self {
        Self { then: Then::Repeat(piece.len()), ..Self::new(head, piece) }
    }
}

/// Each connection gets the next answer; the last one is repeated.
pub(super) struct Server {
    pub(super) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    answered: Arc<Notify>,
}

impl Server {
    pub(super) async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (requests, answered) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Notify>::default());
        let (log, told) = (requests.clone(), answered.clone());
        tokio::spawn(async move {
            let mut number = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let answer = answers.get(number).or(answers.last()).cloned();
                number += 1;
                tokio::spawn(talk(stream, answer, log.clone(), told.clone()));
            }
        });
        Self { port, requests, answered }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    pub(super) fn place(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The heads of all requests so far, in small letters.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Ends when an answer was sent.
    pub(super) async fn answered(&self) {
        self.answered.notified().await;
    }
}

async fn talk(
    mut stream: TcpStream,
    answer: Option<Answer>,
    log: Arc<Mutex<Vec<String>>>,
    told: Arc<Notify>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    log.lock().unwrap().push(head.clone());
    let Some(Answer { bytes, then }) = answer.map(|answer| answer.for_request(&head)) else { return };
    if stream.write_all(&bytes).await.is_err() {
        return;
    }
    told.notify_one();
    match then {
        Then::Close | Then::AsAsked => {}
        Then::Hang => std::future::pending().await,
        Then::Repeat(count) => while stream.write_all(&bytes[bytes.len() - count..]).await.is_ok() {},
    }
}
