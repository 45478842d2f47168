//! A collector on a real port, for tests.

#![expect(clippy::missing_panics_doc, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode as SpanStatus;
use prost::Message as _;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::OtlpEndpoint;

/// A span as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub service: String,
    pub name: String,
    /// In hexadecimal digits, as the other ids.
    pub trace: String,
    pub id: String,
    /// Empty for a root.
    pub parent: String,
    pub start_ns: u64,
    pub end_ns: u64,
    pub attributes: BTreeMap<String, String>,
    /// Set if its status is an error.
    pub error: Option<String>,
}

/// What it does with what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Takes,
    /// Answers 500.
    Refuses,
    /// Never answers.
    Hangs,
}

/// Ends when it is dropped.
#[derive(Debug)]
pub struct TestCollector {
    pub endpoint: OtlpEndpoint,
    heard: watch::Receiver<Heard>,
    manner: watch::Sender<Manner>,
    serving: JoinHandle<()>,
}

#[derive(Clone, Debug, Default)]
struct Heard {
    requests: usize,
    spans: Vec<Received>,
}

impl TestCollector {
    pub async fn start(manner: Manner) -> Self {
        let (note, heard) = watch::channel(Heard::default());
        let (manner, now) = watch::channel(manner);
        let take = async move |headers: HeaderMap, body: Bytes| {
            note.send_modify(|heard| heard.requests += 1);
            let manner = *now.borrow();
            match manner {
                Manner::Takes => {}
                Manner::Refuses => return StatusCode::INTERNAL_SERVER_ERROR,
                Manner::Hangs => std::future::pending().await,
            }
            let is_protobuf =
                headers.get("content-type").is_some_and(|kind| kind == "application/x-protobuf");
            let Some(request) = ExportTraceServiceRequest::decode(body).ok().filter(|_| is_protobuf) else {
                return StatusCode::BAD_REQUEST;
            };
            note.send_modify(|heard| heard.spans.extend(received(request)));
            StatusCode::OK
        };
        let router = Router::new().route("/v1/traces", post(take)).layer(DefaultBodyLimit::disable());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let endpoint = format!("http://{address}").parse().expect("an endpoint");
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("served") });
        Self { endpoint, heard, manner, serving }
    }

    pub fn behave(&self, manner: Manner) {
        self.manner.send_replace(manner);
    }

    pub fn requests(&self) -> usize {
        self.heard.borrow().requests
    }

    pub fn spans(&self) -> Vec<Received> {
        self.heard.borrow().spans.clone()
    }

    /// Waits for so many requests, answered or not.
    pub async fn asked(&self, times: usize) {
        self.until(|heard| heard.requests >= times).await;
    }

    async fn until(&self, enough: impl Fn(&Heard) -> bool) {
        let mut heard = self.heard.clone();
        let waited =
            tokio::time::timeout(Duration::from_mins(1), heard.wait_for(|heard| enough(heard))).await;
        assert!(matches!(waited, Ok(Ok(_))), "this came and no more: {:#?}", self.spans());
    }
}

impl Drop for TestCollector {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Received {
    pub fn attribute(&self, key: &str) -> &str {
        self.attributes.get(key).map_or("", String::as_str)
    }
}

fn received(request: ExportTraceServiceRequest) -> Vec<Received> {
    let mut all = Vec::new();
    for group in request.resource_spans {
        let about = attributes(group.resource.map(|resource| resource.attributes).unwrap_or_default());
        for span in group.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            let status = span.status.unwrap_or_default();
            all.push(Received {
                service: about.get("service.name").cloned().unwrap_or_default(),
                name: span.name,
                trace: hex::encode(&span.trace_id),
                id: hex::encode(&span.span_id),
                parent: hex::encode(&span.parent_span_id),
                start_ns: span.start_time_unix_nano,
                end_ns: span.end_time_unix_nano,
                attributes: attributes(span.attributes),
                error: (status.code == SpanStatus::Error as i32).then_some(status.message),
            });
        }
    }
    all
}

fn attributes(list: Vec<KeyValue>) -> BTreeMap<String, String> {
    let text = |pair: KeyValue| {
        let value = match pair.value.and_then(|value| value.value) {
            Some(any_value::Value::StringValue(text)) => text,
            Some(any_value::Value::IntValue(number)) => number.to_string(),
            Some(any_value::Value::DoubleValue(number)) => number.to_string(),
            Some(any_value::Value::BoolValue(truth)) => truth.to_string(),
            other => format!("{other:?}"),
        };
        (pair.key, value)
    };
    list.into_iter().map(text).collect()
}
