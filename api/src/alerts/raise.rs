//! State and deliveries of an alert, in the transaction of whoever found it.
//!
//! The row of its type is held from the first statement on, so that alerts of one type come one after the other,
//! whichever instance finds them.

use framefarm_shared::alert::{AlertState, AlertType, EndpointKind};
use framefarm_shared::id::DeliveryId;
use framefarm_shared::wire::event::EventKind;
use serde_json::{Value, json};

use super::message::Message;
use crate::app::App;
use crate::db::alert_deliveries::NewDelivery;
use crate::db::alert_endpoints::EndpointRow;
use crate::db::events::Event;
use crate::db::{Tx, alert_deliveries, alert_endpoints, alerts, events};
use crate::error::Result;
use crate::lifecycle::FARM;

/// Something began, happened, or is over.
pub async fn raise(app: &App, tx: &mut Tx, message: Message) -> Result<()> {
    let Some(kind) = message.alert_type else { return Ok(()) };
    alerts::get_held(tx, kind).await?;
    match message.state {
        AlertState::Recovered => recover(app, tx, kind, message).await,
        AlertState::Raised => begin(app, tx, kind, message).await,
        AlertState::Happened => tell(app, tx, kind, message).await.map(drop),
        AlertState::Test => Ok(()),
    }
}

async fn begin(app: &App, tx: &mut Tx, kind: AlertType, message: Message) -> Result<()> {
    let (subject, now) = (message.subject.clone(), app.clock.now());
    if !alerts::begin_unless_going_on(tx, kind, &subject, &stored(&message), now).await? {
        return Ok(());
    }
    note(app, tx, EventKind::AlertRaised, kind, &message).await?;
    if tell(app, tx, kind, message).await? {
        alerts::mark_told(tx, kind, &subject).await?;
    }
    Ok(())
}

/// An end is told exactly when its beginning was; the cool-down is for beginnings.
async fn recover(app: &App, tx: &mut Tx, kind: AlertType, message: Message) -> Result<()> {
    let Some(incident) = alerts::end_if_going_on(tx, kind, &message.subject).await? else { return Ok(()) };
    note(app, tx, EventKind::AlertRecovered, kind, &message).await?;
    if incident.told {
        deliver(app, tx, &message, |_| true).await?;
    }
    Ok(())
}

/// Sends it, or holds it back. Whether it was sent.
async fn tell(app: &App, tx: &mut Tx, kind: AlertType, mut message: Message) -> Result<bool> {
    let now = app.clock.now();
    let before = alerts::count(tx, kind, &message.text, now).await?;
    let since = now - app.settings.alerts.cool_down();
    let sent = alerts::send_if_quiet_since(tx, kind, since, now).await?;
    if sent {
        message.suppressed = before.suppressed;
        deliver(app, tx, &message, |_| true).await?;
    } else {
        // What lasts is told later if it still goes on; its incident knows what to say.
        let later = (!kind.lasts()).then(|| stored(&message));
        alerts::hold_back(tx, kind, later.as_ref()).await?;
        if kind.is_of_video() {
            deliver(app, tx, &message, |endpoint| endpoint.kind == EndpointKind::Generic).await?;
        }
    }
    Ok(sent)
}

/// What was held back and whose cool-down is over. Returns how many messages that made.
pub async fn tell_held_back(app: &App) -> Result<u64> {
    let since = app.clock.now() - app.settings.alerts.cool_down();
    let mut told = 0;
    for kind in alerts::holding_back_since(&app.db, since).await? {
        let mut tx = app.db.begin().await?;
        told += u64::from(tell_type(app, &mut tx, kind).await?);
        tx.commit().await?;
    }
    Ok(told)
}

async fn tell_type(app: &App, tx: &mut Tx, kind: AlertType) -> Result<bool> {
    let now = app.clock.now();
    let Some(row) = alerts::get_held(tx, kind).await? else { return Ok(false) };
    let untold = alerts::untold(tx, kind).await?;
    let newest = match untold.first() {
        Some(incident) => Some(incident.message.0.clone()),
        None => row.held_back.map(|json| json.0),
    };
    let Some(mut message) = newest.and_then(|value| serde_json::from_value::<Message>(value).ok()) else {
        return Ok(false);
    };
    let since = now - app.settings.alerts.cool_down();
    if !alerts::send_if_quiet_since(tx, kind, since, now).await? {
        return Ok(false);
    }
    message.suppressed = (row.suppressed - 1).max(0);
    for incident in &untold {
        alerts::mark_told(tx, kind, &incident.subject).await?;
    }
    if let [_, others @ ..] = &untold[..]
        && !others.is_empty()
    {
        message.text = format!("{} Also affected: {} more.", message.text, others.len());
    }
    // Programs have heard of each video already.
    let heard = |endpoint: &EndpointRow| kind.is_of_video() && endpoint.kind == EndpointKind::Generic;
    deliver(app, tx, &message, |endpoint| !heard(endpoint)).await?;
    Ok(true)
}

/// One row of the outbox for each endpoint that wants to hear of it.
async fn deliver(
    app: &App,
    tx: &mut Tx,
    message: &Message,
    wanted: impl Fn(&EndpointRow) -> bool,
) -> Result<()> {
    let (now, stored) = (app.clock.now(), stored(message));
    let word = message.alert_type.map(AlertType::as_str).unwrap_or_default();
    for endpoint in alert_endpoints::enabled_in(tx).await? {
        if wanted(&endpoint) && endpoint.alert_types.iter().any(|kind| kind == word) {
            let id = DeliveryId::new(&app.clock);
            let new = NewDelivery {
                id,
                webhook_id: id,
                endpoint: endpoint.id,
                alert_type: message.alert_type,
                message: &stored,
                next_at: now,
                replay_of: None,
            };
            alert_deliveries::insert(tx, &new, now).await?;
        }
    }
    Ok(())
}

async fn note(app: &App, tx: &mut Tx, kind: EventKind, about: AlertType, message: &Message) -> Result<()> {
    tracing::info!(alert = %about, "{kind}: {}", message.title);
    let mut event = Event::new(kind, FARM).because(&message.text);
    event.worker_id = message.worker_id;
    let event = event.with(json!({ "alert_type": about, "subject": message.subject }));
    Ok(events::append(tx, event, app.clock.now()).await?)
}

fn stored(message: &Message) -> Value {
    json!(message)
}
