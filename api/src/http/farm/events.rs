//! `GET /api/events`: live events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Reader, Sight, sight};
use crate::error::{ApiError, Result};
use crate::events::{Message, Subscription};
use crate::http::extract::Query;
use crate::responses::events::Event;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(watch))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct WatchQuery {
    /// Comma-separated: `videos`, `videos:{id}`, `workers`, `queue`. Default: all.
    #[param(
        nullable = false,
        pattern = "^(videos(:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?|workers|queue)(,(videos|workers|queue))*$"
    )]
    topics: Option<String>,
    /// The last event received, for a client that cannot send the header `Last-Event-ID`.
    #[param(nullable = false, pattern = "^[0-9]{1,18}$")]
    last_event_id: Option<String>,
}

/// Stream events (Server-Sent Events)
///
/// `hello` comes first; `change` carries an event and its id; `progress` and `worker` carry the latest values
/// of what changes often; `reset` means that events were missed. Reconnect with `Last-Event-ID` to resume.
/// Only admins see who made a change and why: for others, `actor` repeats the kind of actor and `reason` is
/// null.
#[utoipa::path(get, path = "/api/events", tag = "farm", params(WatchQuery), responses(
    (status = 200, description = "Messages until the server shuts down", body = Event, content_type = "text/event-stream")))]
async fn watch(
    _: Reader,
    State(app): State<App>,
    headers: HeaderMap,
    Query(query): Query<WatchQuery>,
) -> Result<Response> {
    let topics = query.topics.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    let last = match headers.get("last-event-id") {
        Some(value) => Some(event_id(value.to_str().unwrap_or_default())?),
        None => query.last_event_id.as_deref().map(event_id).transpose()?,
    };
    let Some(sight) = sight(&app, &headers).await? else {
        return Err(ApiError::unauthorized("The token or session has expired or was revoked."));
    };
    let subscription = app.events.subscribe(&app, topics, last).await?;
    let alive = KeepAlive::new().interval(heartbeat(&app));
    let stream = Sse::new(stream(app, headers, subscription, sight)).keep_alive(alive);
    // A proxy that collects or packs the stream would hold it back.
    let unbuffered = [
        (CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform")),
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((unbuffered, stream).into_response())
}

fn event_id(text: &str) -> Result<i64> {
    let id = text.trim().parse().ok().filter(|id| *id >= 0);
    id.ok_or_else(|| ApiError::bad_request("bad_event_id", "`Last-Event-ID` must be a non-negative integer."))
}

fn heartbeat(app: &App) -> Duration {
    Duration::from_secs(app.settings.sse_heartbeat.into())
}

struct Watching {
    app: App,
    headers: HeaderMap,
    subscription: Subscription,
    sight: Sight,
    /// Then the login or token is looked at again: it may have ended.
    allowed_until: Instant,
}

fn stream(
    app: App,
    headers: HeaderMap,
    subscription: Subscription,
    sight: Sight,
) -> impl Stream<Item = std::result::Result<sse::Event, Infallible>> {
    let retry = Duration::from_secs(app.settings.sse_reconnect.into());
    let allowed_until = Instant::now() + heartbeat(&app);
    let watching = Watching { app, headers, subscription, sight, allowed_until };
    let first = futures::stream::iter([Ok(sse::Event::default().retry(retry))]);
    let rest = futures::stream::unfold(watching, async |mut watching| {
        let message = watching.next().await?;
        Some((Ok(written(&message, watching.sight)), watching))
    });
    futures::StreamExt::chain(first, rest)
}

impl Watching {
    /// `None` ends the stream: shutdown, a caller who may no longer read, or an unresponsive database.
    async fn next(&mut self) -> Option<Message> {
        loop {
            if Instant::now() >= self.allowed_until {
                // Boxed: it is needed now and then, and would add its size to every subscriber.
                self.sight = Box::pin(sight(&self.app, &self.headers)).await.ok().flatten()?;
                self.allowed_until = Instant::now() + heartbeat(&self.app);
            }
            tokio::select! {
                message = self.subscription.next() => return message.unwrap_or_else(|error| {
                    tracing::warn!(%error, "closing subscriber: events cannot be read");
                    None
                }),
                () = tokio::time::sleep_until(self.allowed_until) => {}
            }
        }
    }
}

fn written(message: &Message, sight: Sight) -> sse::Event {
    match message {
        Message::Hello(hello) => named("hello", hello),
        Message::Reset => sse::Event::default().event("reset").data("{}"),
        Message::Change(event) => {
            let told = match sight {
                Sight::Audit => named("change", &**event),
                Sight::Changes => named("change", &event.without_audit()),
            };
            told.id(event.id.to_string())
        }
        Message::Progress(progress) => named("progress", &**progress),
        Message::Worker(sign) => named("worker", &**sign),
    }
}

fn named(name: &str, body: &impl Serialize) -> sse::Event {
    let text = serde_json::to_string(body).unwrap_or_else(|error| {
        tracing::error!(%error, "cannot serialize a message");
        "{}".to_owned()
    });
    sse::Event::default().event(name).data(text)
}
