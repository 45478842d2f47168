//! The service through its router, as a client sees it.

#![expect(clippy::unwrap_used, reason = "a test helper that cannot go on fails its test")]

mod audit;
mod auth;
mod collections;
mod crowds;
mod database_errors;
mod invitations;
mod lists;
mod matrix;
mod original;
mod outlook;
mod page;
mod problems;
mod queue;
mod slow_clients;
mod tls;
mod worker_calls;
mod worker_keys;

use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use framefarm_api::auth::{Scope, password, token};
use framefarm_api::config::Settings;
use framefarm_api::http::router::router;
use framefarm_api::testing::{Farm, TestDatabase};
use serde_json::Value;
use tokio::sync::OnceCell;
use tower::ServiceExt;

pub(crate) const PASSWORD: &str = "correct horse battery staple";
pub(crate) const SECRET: &str = "the secret that registers workers";

/// A farm behind its router.
pub(crate) struct Site {
    /// A token that may do everything, once it was needed.
    admin: OnceCell<String>,
    pub(crate) farm: Farm,
    router: Router,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn header(&self, name: impl AsRef<str>) -> &str {
        self.headers.get(name.as_ref()).map_or("", |value| value.to_str().unwrap())
    }

    /// The code of a problem document; fails for anything else.
    pub(crate) fn problem(&self) -> (u16, &str) {
        assert_eq!(
            self.header(header::CONTENT_TYPE),
            "application/problem+json",
            "{}: {}",
            self.status,
            self.body
        );
        assert_eq!(self.body["status"], self.status.as_u16());
        (self.status.as_u16(), self.body["code"].as_str().unwrap())
    }

    pub(crate) fn ok(self) -> Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.body);
        self.body
    }
}

impl Site {
    pub(crate) async fn open() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::on(TestDatabase::sqlite(), change).await
    }

    pub(crate) async fn on(database: TestDatabase, change: impl FnOnce(&mut Settings)) -> Self {
        let farm = Farm::on(database, |settings| {
            PASSWORD.clone_into(&mut settings.admin_password);
            SECRET.clone_into(&mut settings.admin_secret);
            change(settings);
        })
        .await;
        password::prepare(&farm.app).await.unwrap();
        let router = router(farm.app.clone());
        Self { farm, router, admin: OnceCell::new() }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub(crate) async fn call(&self, call: &str, headers: &[(&str, &str)], body: Option<Value>) -> Answer {
        self.send(request(call, headers, body)).await
    }

    /// As a client that connected from this address.
    pub(crate) async fn call_from(
        &self,
        address: &str,
        call: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let mut request = request(call, headers, body);
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(address.parse().unwrap(), 40_000)));
        self.send(request).await
    }

    /// As somebody with this bearer token or key.
    pub(crate) async fn as_bearer(&self, secret: &str, call: &str, body: Option<Value>) -> Answer {
        self.call(call, &[("authorization", &format!("Bearer {secret}"))], body).await
    }

    /// Registers a worker.
    pub(crate) async fn worker_key(&self, name: &str) -> String {
        let body = serde_json::json!({ "name": name });
        let registered =
            self.call("POST /api/worker/register", &[("x-admin-secret", SECRET)], Some(body)).await.ok();
        registered["api_key"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn token(&self, scope: Scope) -> String {
        token::create(&self.farm.app, "test", scope, "admin").await.unwrap().1
    }

    /// As an admin.
    pub(crate) async fn admin(&self, call: &str, body: Option<Value>) -> Answer {
        let token = self.admin.get_or_init(|| self.token(Scope::Admin)).await;
        self.as_bearer(token, call, body).await
    }
}

fn request(call: &str, headers: &[(&str, &str)], body: Option<Value>) -> Request<Body> {
    let (method, path) = call.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = match body {
        Some(json) => {
            request = request.header(header::CONTENT_TYPE, "application/json");
            Body::from(json.to_string())
        }
        None => Body::empty(),
    };
    request.body(body).unwrap()
}
