//! `GET /api/events` at the wire: a real server, a real connection, the bytes as they come.

mod progress;
mod replay;
mod stream;

use std::time::Duration;

use axum::body::Bytes;
use framefarm_api::auth::{Scope, token};
use framefarm_api::config::Settings;
use framefarm_api::db::events::{self, Event};
use framefarm_api::testing::{Farm, TestDatabase};
use framefarm_shared::wire::event::EventKind;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// More than enough for anything that is going to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A farm with its services, behind a real listener.
pub(super) struct Watched {
    pub(super) farm: Farm,
    url: String,
    pub(super) token: String,
}

impl Watched {
    pub(super) async fn on(database: TestDatabase, change: impl FnOnce(&mut Settings)) -> Self {
        let farm = Farm::on(database, change).await;
        let token = token::create(&farm.app, "watcher", Scope::Admin, "admin").await.unwrap().1;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api/events", listener.local_addr().unwrap());
        tokio::spawn(framefarm_api::server::serve(farm.app.clone(), listener));
        tokio::spawn(framefarm_api::events::follow(farm.app.clone()));
        Self { farm, url, token }
    }

    pub(super) async fn sqlite() -> Self {
        Self::on(TestDatabase::sqlite(), |_| {}).await
    }

    pub(super) async fn get(&self, query: &str, last: Option<i64>) -> reqwest::Response {
        let mut request = reqwest::Client::new().get(format!("{}{query}", self.url)).bearer_auth(&self.token);
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last.to_string());
        }
        request.send().await.unwrap()
    }

    pub(super) async fn watch(&self, query: &str, last: Option<i64>) -> Watcher {
        let response = self.get(query, last).await;
        assert_eq!(response.status(), 200, "{:?}", response.text().await);
        Watcher { body: response.bytes_stream().boxed(), buffer: String::new() }
    }

    /// Something that happens to nobody.
    pub(super) async fn happens(&self) {
        let mut tx = self.farm.app.db.begin().await.unwrap();
        let event = Event::new(EventKind::QueueChanged, "test");
        events::append(&mut tx, event, self.farm.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    pub(super) async fn newest(&self) -> i64 {
        events::range(&self.farm.app.db).await.unwrap().map_or(0, |(_, newest)| newest)
    }

    pub(super) fn shutdown(&self) -> CancellationToken {
        self.farm.app.shutdown.clone()
    }
}

/// One connection.
pub(super) struct Watcher {
    body: BoxStream<'static, reqwest::Result<Bytes>>,
    buffer: String,
}

/// What stands between two empty lines.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) event: String,
    pub(super) id: Option<i64>,
    pub(super) data: Value,
    pub(super) retry: Option<u64>,
    pub(super) comment: bool,
}

impl Watcher {
    /// The next block; `None` when the stream is over.
    pub(super) async fn block(&mut self) -> Option<Block> {
        loop {
            if let Some(end) = self.buffer.find("\n\n") {
                let block = parse(&self.buffer[..end]);
                self.buffer.drain(..end + 2);
                return Some(block);
            }
            let bytes = tokio::time::timeout(PATIENCE, self.body.next()).await.expect("silence")?.ok()?;
            self.buffer.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// The next message of that name, past all others.
    pub(super) async fn next(&mut self, name: &str) -> Block {
        loop {
            let block = self.block().await.expect("the stream ended");
            if block.event == name {
                return block;
            }
        }
    }

    pub(super) async fn hello(&mut self) -> Block {
        self.next("hello").await
    }
}

fn parse(text: &str) -> Block {
    let mut block = Block::default();
    for line in text.lines() {
        match line.split_once(':').map(|(name, value)| (name, value.trim_start())) {
            Some(("event", name)) => name.clone_into(&mut block.event),
            Some(("id", id)) => block.id = Some(id.parse().unwrap()),
            Some(("data", data)) => block.data = serde_json::from_str(data).unwrap(),
            Some(("retry", millis)) => block.retry = Some(millis.parse().unwrap()),
            Some(("", _)) => block.comment = true,
            _ => panic!("an unknown line: {line}"),
        }
    }
    block
}
