//! Sends what is in the outbox. Every API instance does; an endpoint is held by one task at a time.
//!
//! Each endpoint has a task of its own, so that one that hangs delays nobody else. A task that dies with its process
//! leaves its delivery as it was: when the hold has ended, another one sends it again, under the same `webhook-id`.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use framefarm_shared::alert::{DeliveryStatus, EndpointKind};
use framefarm_shared::id::{BootId, EndpointId};
use framefarm_shared::wire::event::EventKind;
use reqwest::header::{HeaderMap, HeaderValue};
use tokio::task::JoinSet;

use super::http::{self, Shipment};
use super::message::Message;
use super::payload::{self, Farm};
use super::schedule::{self, GIVE_UP_AFTER, Next, Outcome};
use super::sign;
use crate::app::App;
use crate::db::alert_deliveries::{AttemptRow, DeliveryRow, Tried};
use crate::db::alert_endpoints::EndpointRow;
use crate::db::events::Event;
use crate::db::{alert_deliveries, alert_endpoints, events};
use crate::error::Result;
use crate::lifecycle::FARM;
use crate::services::Counts;

const POLL: Duration = Duration::from_secs(1);
/// What a hold lasts beyond the longest try: time to write down how it ended.
const MARGIN: chrono::Duration = chrono::Duration::seconds(20);

/// Runs until the app stops.
pub async fn run(app: App) {
    let mut ticks = tokio::time::interval(POLL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut tasks = JoinSet::new();
    loop {
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            Some(_) = tasks.join_next() => continue,
            _ = ticks.tick() => {}
        }
        if let Err(error) = start_due(&app, &mut tasks).await {
            tracing::warn!(%error, "cannot look up alerts to send; retrying");
        }
    }
}

/// Sends all that is due now, and waits for it.
pub async fn run_once(app: App) -> Result<Counts> {
    let mut tasks = JoinSet::new();
    start_due(&app, &mut tasks).await?;
    let sent: u64 = tasks.join_all().await.into_iter().sum();
    Ok(vec![("alerts_tried", sent)])
}

async fn start_due(app: &App, tasks: &mut JoinSet<u64>) -> Result<()> {
    give_up_old(app).await?;
    for endpoint in alert_endpoints::with_due(&app.db, app.clock.now()).await? {
        let app = app.clone();
        tasks.spawn(async move {
            serve(&app, endpoint).await.unwrap_or_else(|error| {
                tracing::warn!(endpoint.id = %endpoint, %error, "cannot send alerts; retrying");
                0
            })
        });
    }
    Ok(())
}

async fn give_up_old(app: &App) -> Result<()> {
    let now = app.clock.now();
    if !alert_deliveries::any_pending_before(&app.db, now - GIVE_UP_AFTER).await? {
        return Ok(());
    }
    let mut tx = app.db.begin().await?;
    alert_deliveries::fail_pending_before(&mut tx, now - GIVE_UP_AFTER, now).await?;
    Ok(tx.commit().await?)
}

/// One after the other, as long as something is due and the endpoint is neither paused nor held by another task.
async fn serve(app: &App, id: EndpointId) -> Result<u64> {
    // Of this task, not of the process: two tasks are two holders.
    let holder = BootId::new(&app.clock);
    let mut tried = 0;
    while let Some((endpoint, delivery)) = take_next(app, id, holder).await? {
        let attempt = attempt(app, &endpoint, &delivery).await;
        record(app, &endpoint, &delivery, attempt).await?;
        tried += 1;
    }
    let mut tx = app.db.begin().await?;
    alert_endpoints::let_go_if_mine(&mut tx, id, holder).await?;
    tx.commit().await?;
    Ok(tried)
}

async fn take_next(app: &App, id: EndpointId, holder: BootId) -> Result<Option<(EndpointRow, DeliveryRow)>> {
    let now = app.clock.now();
    let lasts = chrono::Duration::seconds(app.settings.alerts.alert_webhook_timeout.into()) + MARGIN;
    let mut tx = app.db.begin().await?;
    let held = alert_endpoints::hold_if_free_or_mine(&mut tx, id, holder, now, now + lasts).await?;
    let next = match &held {
        Some(_) => alert_deliveries::next_due(&mut tx, id, now).await?,
        None => None,
    };
    tx.commit().await?;
    Ok(held.zip(next))
}

/// How one try went.
pub(super) struct Attempt {
    at: DateTime<Utc>,
    took: Duration,
    outcome: Outcome,
}

pub(super) async fn attempt(app: &App, endpoint: &EndpointRow, delivery: &DeliveryRow) -> Attempt {
    let (at, began) = (app.clock.now(), Instant::now());
    let outcome = match shipment(app, endpoint, delivery, at) {
        Ok(shipment) => http::send(&app.egress, shipment, app.settings.alerts.timeout(), at).await,
        Err(error) => Outcome::Unanswered { words: format!("Cannot build the request: {error}.") },
    };
    app.metrics.webhooks.tried(endpoint.kind.as_str(), outcome.word());
    Attempt { at, took: began.elapsed(), outcome }
}

fn shipment(
    app: &App,
    endpoint: &EndpointRow,
    delivery: &DeliveryRow,
    at: DateTime<Utc>,
) -> anyhow::Result<Shipment> {
    let body = serde_json::to_vec(&body_of(app, endpoint, delivery)?)?;
    let mut headers = HeaderMap::new();
    if endpoint.kind == EndpointKind::Generic {
        let id = webhook_id(delivery);
        headers.insert("webhook-id", HeaderValue::from_str(&id)?);
        headers.insert("webhook-timestamp", at.timestamp().into());
        let old = endpoint
            .old_secret
            .as_deref()
            .filter(|_| endpoint.old_secret_until.is_some_and(|until| at < until));
        let secrets: Vec<&str> = endpoint.secret.as_deref().into_iter().chain(old).collect();
        if !secrets.is_empty() {
            let signatures = sign::signatures(secrets, &id, at, &body)?;
            headers.insert("webhook-signature", HeaderValue::from_str(&signatures)?);
        }
    }
    Ok(Shipment { kind: endpoint.kind, url: endpoint.url.clone(), headers, body })
}

pub(super) fn webhook_id(delivery: &DeliveryRow) -> String {
    format!("msg_{}", delivery.webhook_id.0.simple())
}

pub(super) fn body_of(
    app: &App,
    endpoint: &EndpointRow,
    delivery: &DeliveryRow,
) -> serde_json::Result<serde_json::Value> {
    let message: Message = serde_json::from_value(delivery.message.0.clone())?;
    Ok(payload::body(endpoint.kind, &message, Farm { url: app.settings.public_url.get() }))
}

/// The one place where the outcome of a try is written down: the log, the delivery, the endpoint.
pub(super) async fn record(
    app: &App,
    endpoint: &EndpointRow,
    delivery: &DeliveryRow,
    attempt: Attempt,
) -> Result<()> {
    let Attempt { at, took, outcome } = attempt;
    let (now, tries, jitter) = (app.clock.now(), delivery.attempts + 1, rand::random_range(0.8..1.2));
    let next = match schedule::next(&outcome, tries, jitter) {
        // A person who tests an endpoint sees the result now.
        Next::TryAgain(_) if delivery.alert_type.is_none() && delivery.replay_of.is_none() => Next::GiveUp,
        next => next,
    };
    let (status_code, error) = match &outcome {
        Outcome::Delivered { code } => (Some(i32::from(*code)), None),
        Outcome::Answered { code, words, .. } => (Some(i32::from(*code)), Some(words.clone())),
        Outcome::Unanswered { words } => (None, Some(words.clone())),
    };
    let mut tx = app.db.begin().await?;
    match &error {
        None => alert_endpoints::note_success(&mut tx, endpoint.id, now).await?,
        Some(words) => {
            let counts = schedule::counts_against_endpoint(&outcome);
            let failures = alert_endpoints::note_failure(&mut tx, endpoint.id, counts, words, now).await?;
            if let Some(pause) = schedule::pause(&outcome, failures.unwrap_or(0), jitter) {
                alert_endpoints::pause(&mut tx, endpoint.id, now + pause).await?;
            }
        }
    }
    let (status, next_at) = match next {
        Next::Delivered => (DeliveryStatus::Delivered, None),
        Next::TryAgain(wait) => (DeliveryStatus::Pending, Some(now + wait)),
        Next::GiveUp | Next::Disable => (DeliveryStatus::Failed, None),
    };
    let ended = Tried { id: delivery.id, after: delivery.attempts, status, next_at, now };
    if !alert_deliveries::tried_if_unchanged(&mut tx, &ended).await? {
        // Somebody else has sent it meanwhile, or it was given up.
        return Ok(tx.rollback().await?);
    }
    let duration_ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
    let row = AttemptRow { delivery_id: delivery.id, number: tries, at, duration_ms, status_code, error };
    alert_deliveries::add_attempt(&mut tx, &row).await?;
    if next == Next::Disable
        && alert_endpoints::disable_if_enabled(&mut tx, endpoint.id, "The endpoint returned 410 Gone.")
            .await?
    {
        alert_deliveries::fail_pending_of(&mut tx, endpoint.id, now).await?;
        let event = Event::new(EventKind::AlertEndpointChanged, FARM);
        let why = format!("{}: disabled after 410 Gone", endpoint.name);
        events::append(&mut tx, event.because(why), now).await?;
    }
    tx.commit().await?;
    log(endpoint, &row, status);
    Ok(())
}

/// Never the URL: it is a secret.
fn log(endpoint: &EndpointRow, attempt: &AttemptRow, status: DeliveryStatus) {
    let (endpoint, delivery, attempt_number) = (endpoint.id, attempt.delivery_id, attempt.number);
    match (&attempt.error, status) {
        (None, _) => {
            tracing::debug!(endpoint.id = %endpoint, delivery.id = %delivery, attempt = attempt_number, "alert delivered");
        }
        (Some(error), DeliveryStatus::Pending) => {
            tracing::warn!(endpoint.id = %endpoint, delivery.id = %delivery, attempt = attempt_number, error, "alert not delivered; retrying");
        }
        (Some(error), _) => {
            tracing::warn!(endpoint.id = %endpoint, delivery.id = %delivery, attempt = attempt_number, error, "alert not delivered; no more retries");
        }
    }
}
