//! Alerts from what happens to what arrives, with real receivers.

mod conditions;
mod cool_down;
mod delivering;
mod deriving;
mod endpoints;
mod forbidden;
mod payloads;
mod receivers;
mod sandboxes;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use framefarm_api::alerts::endpoints::{Endpoint, New, create};
use framefarm_api::alerts::{condition_detector, deliverer, event_detector::EventDetector};
use framefarm_api::app::App;
use framefarm_api::db::alert_deliveries::{self, DeliveryFilter, DeliveryRow};
use framefarm_api::db::{alert_endpoints, key_value};
use framefarm_api::testing::Farm;
use framefarm_shared::alert::{AlertType, EndpointKind};
use framefarm_shared::id::EndpointId;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) headers: HeaderMap,
    pub(super) uri: String,
    pub(super) body: Bytes,
}

impl Heard {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A webhook on a real port that answers as the test says; 0 as a status is no answer at all.
pub(super) struct Receiver {
    pub(super) url: String,
    heard: watch::Sender<Vec<Heard>>,
    _server: AbortOnDropHandle<()>,
}

impl Receiver {
    pub(super) async fn start(answer: impl Fn(usize) -> Response + Send + Sync + 'static) -> Self {
        Self::hanging(move |before| Some(answer(before))).await
    }

    /// `None` is no answer at all.
    pub(super) async fn hanging(answer: impl Fn(usize) -> Option<Response> + Send + Sync + 'static) -> Self {
        let heard = watch::Sender::<Vec<Heard>>::default();
        let (note, answer) = (heard.clone(), Arc::new(answer));
        let router = Router::new().fallback(move |request: Request| {
            let (note, answer) = (note.clone(), Arc::clone(&answer));
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                let (headers, uri) = (parts.headers, parts.uri.to_string());
                let before = note.borrow().len();
                note.send_modify(|all| all.push(Heard { headers, uri, body }));
                match answer(before) {
                    Some(response) => response,
                    None => std::future::pending().await,
                }
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook/with/a/long/path", listener.local_addr().unwrap());
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, heard, _server: AbortOnDropHandle::new(server) }
    }

    pub(super) async fn content() -> Self {
        Self::start(|_| StatusCode::NO_CONTENT.into_response()).await
    }

    pub(super) fn heard(&self) -> Vec<Heard> {
        self.heard.borrow().clone()
    }

    pub(super) async fn until(&self, count: usize) {
        let mut heard = self.heard.subscribe();
        let arrived = heard.wait_for(|all| all.len() >= count);
        let arrived = tokio::time::timeout(Duration::from_secs(20), arrived).await.is_ok();
        assert!(arrived, "{} of {count} arrived", self.heard().len());
    }
}

/// The farm with what receivers of these tests need: this machine, and little patience.
pub(super) async fn open(farm: Farm) -> Farm {
    farm.restarted(|settings| {
        settings.alerts.alert_webhook_allow = "127.0.0.0/8".parse().unwrap();
        settings.alerts.alert_webhook_timeout = 1;
    })
    .await
}

pub(super) async fn endpoint(
    farm: &Farm,
    url: &str,
    kind: EndpointKind,
    types: Option<&[AlertType]>,
) -> EndpointId {
    added(farm, url, kind, types).await.0.id
}

pub(super) async fn added(
    farm: &Farm,
    url: &str,
    kind: EndpointKind,
    types: Option<&[AlertType]>,
) -> (Endpoint, Option<String>) {
    let new = New {
        name: "test".to_owned(),
        url: url.to_owned(),
        kind: Some(kind),
        alert_types: types.map(<[_]>::to_vec),
        enabled: true,
    };
    create(&farm.app, new, "test").await.unwrap()
}

/// An endpoint that hears of everything and where nobody listens: for tests of what is to be sent.
pub(super) async fn ear(farm: &Farm) -> EndpointId {
    let types = AlertType::ALL;
    endpoint(farm, "https://hooks.slack.com/services/x", EndpointKind::Slack, Some(types)).await
}

/// Looks at every event so far.
pub(super) async fn look(farm: &Farm) {
    look_with(&mut EventDetector::default(), &farm.app).await;
}

/// An id that was rolled back is waited for a little while.
pub(super) async fn look_with(detector: &mut EventDetector, app: &App) {
    let all_seen = async {
        loop {
            detector.run_once(app).await.unwrap();
            let newest = framefarm_api::db::events::range(&app.db).await.unwrap().map_or(0, |range| range.1);
            let seen: i64 =
                key_value::get(&app.db, key_value::ALERTED_UNTIL).await.unwrap().unwrap().parse().unwrap();
            if seen >= newest {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all_seen).await.unwrap();
}

pub(super) async fn guard(farm: &Farm) {
    condition_detector::run_once(farm.app.clone()).await.unwrap();
}

/// Sends what is due. Returns how many tries that took.
pub(super) async fn send(farm: &Farm) -> u64 {
    deliverer::run_once(farm.app.clone()).await.unwrap()[0].1
}

/// Oldest first.
pub(super) async fn outbox(farm: &Farm) -> Vec<DeliveryRow> {
    let mut rows =
        alert_deliveries::list(&farm.app.db, DeliveryFilter::default(), None, 1_000).await.unwrap();
    rows.reverse();
    rows
}

/// `type state` of each, oldest first.
pub(super) async fn told(farm: &Farm) -> Vec<String> {
    let words = |row: &DeliveryRow| {
        let kind = row.alert_type.map_or("test", AlertType::as_str);
        format!("{kind} {}", row.message.0["state"].as_str().unwrap())
    };
    outbox(farm).await.iter().map(words).collect()
}

pub(super) async fn texts(farm: &Farm) -> Vec<String> {
    outbox(farm).await.iter().map(|row| row.message.0["text"].as_str().unwrap().to_owned()).collect()
}

pub(super) async fn endpoint_row(farm: &Farm, id: EndpointId) -> alert_endpoints::EndpointRow {
    alert_endpoints::get(&farm.app.db, id).await.unwrap().unwrap()
}
