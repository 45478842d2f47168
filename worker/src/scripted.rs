//! A farm that answers as a test wrote it, on a real port.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use reqwest::Url;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::client::{Client, Secret};

/// A request as it arrived; `call` is `METHOD /path?query`.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) call: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Heard {
    fn shown(&self) -> String {
        let body = String::from_utf8_lossy(&self.body[..self.body.len().min(200)]).into_owned();
        format!("{} {body:?}", self.call)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) struct Scripted {
    pub(crate) url: Url,
    heard: watch::Sender<Vec<Heard>>,
    _server: AbortOnDropHandle<()>,
}

impl Scripted {
    /// `answer` gets each request and how many came before it.
    pub(crate) async fn start(answer: impl Fn(&Heard, usize) -> Response + Send + Sync + 'static) -> Self {
        let (heard, _) = watch::channel(Vec::<Heard>::new());
        let (note, answer) = (heard.clone(), Arc::new(answer));
        let router = Router::new().fallback(move |request: Request| {
            let (note, answer) = (note.clone(), Arc::clone(&answer));
            async move {
                let (parts, body) = request.into_parts();
                let call = format!("{} {}", parts.method, parts.uri);
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
                let request = Heard { call, headers: parts.headers, body };
                let response = answer(&request, note.borrow().len());
                note.send_modify(|all| all.push(request));
                response
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, heard, _server: AbortOnDropHandle::new(server) }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.url.clone(), &Secret::new("the-key")).unwrap()
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.borrow().clone()
    }

    /// Waits until the requests so far are as wanted. Fails if none comes for long.
    pub(crate) async fn until(&self, wanted: impl Fn(&[Heard]) -> bool) {
        let mut heard = self.heard.subscribe();
        while !wanted(&heard.borrow_and_update()) {
            let arrived = tokio::time::timeout(Duration::from_mins(1), heard.changed()).await.is_ok();
            let calls = || self.heard().iter().map(Heard::shown).collect::<Vec<_>>().join("\n");
            assert!(arrived, "the request did not come; these did:\n{}", calls());
        }
    }
}

pub(crate) fn problem(status: u16, code: &str) -> Response {
    let body =
        json!({ "type": "about:blank", "title": "x", "status": status, "detail": "why", "code": code });
    let head = [("content-type", "application/problem+json")];
    (StatusCode::from_u16(status).unwrap(), head, body.to_string()).into_response()
}
