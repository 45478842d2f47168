//! Clients that keep the server waiting, on purpose or not, over real connections.

use std::net::SocketAddr;
use std::time::Duration;

use framefarm_api::auth::{Scope, token};
use framefarm_api::server::{self, Patience};
use framefarm_api::testing::{Farm, TestDatabase};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const LITTLE: Duration = Duration::from_millis(200);
const FOR_EVER: Duration = Duration::from_mins(10);
const PATIENT: Patience = Patience { idle: FOR_EVER, head: FOR_EVER, body: FOR_EVER, write: FOR_EVER };
/// More than enough for anything that is going to come.
const AT_MOST: Duration = Duration::from_secs(30);

async fn served(farm: &Farm, patience: Patience) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve_with(farm.app.clone(), listener, None, patience));
    address
}

/// Says it, and nothing more. What comes back until the connection is closed.
async fn say(address: SocketAddr, words: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(words.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let read = tokio::time::timeout(AT_MOST, stream.read_to_string(&mut answer)).await;
    read.expect("the server waits for ever").unwrap();
    answer
}

#[tokio::test]
async fn who_says_nothing_or_half_a_head_is_let_go() {
    let farm = Farm::sqlite().await;
    let address = served(&farm, Patience { head: LITTLE, ..PATIENT }).await;
    for words in ["", "GET /healthz HTTP/1.1\r\nhost:"] {
        assert_eq!(say(address, words).await, "");
    }
    let address = served(&farm, Patience { idle: LITTLE, ..PATIENT }).await;
    let answer = say(address, "GET /healthz HTTP/1.1\r\nhost: farm\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "and so is who keeps a connection for nothing: {answer}");
}

#[tokio::test]
async fn who_stops_in_the_middle_of_a_body_is_told_and_let_go() {
    let farm = Farm::sqlite().await;
    let address = served(&farm, Patience { body: LITTLE, ..PATIENT }).await;
    let head = "POST /api/login HTTP/1.1\r\nhost: farm\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: 40\r\n\r\n{\"pass";
    let answer = say(address, head).await;
    assert!(answer.starts_with("HTTP/1.1 4") && answer.contains("application/problem+json"), "{answer}");
}

#[tokio::test]
async fn an_answer_may_take_longer_than_a_request() {
    let farm = Farm::on(TestDatabase::sqlite(), |settings| settings.sse_heartbeat = 1).await;
    let address = served(&farm, Patience { head: LITTLE, body: LITTLE, idle: LITTLE, write: LITTLE }).await;
    tokio::spawn(framefarm_api::events::follow(farm.app.clone()));
    let token = token::create(&farm.app, "watcher", Scope::Read, "admin").await.unwrap().1;
    let mut events = reqwest::Client::new()
        .get(format!("http://{address}/api/events"))
        .bearer_auth(token)
        .send()
        .await
        .unwrap();
    for _ in 0..3 {
        assert!(tokio::time::timeout(AT_MOST, events.chunk()).await.unwrap().unwrap().is_some());
    }
}
