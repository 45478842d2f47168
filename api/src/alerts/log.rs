//! The delivery log: what was sent where, and with which result.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use framefarm_shared::alert::{AlertState, AlertType, DeliveryStatus};
use framefarm_shared::id::{DeliveryId, EndpointId};
use framefarm_shared::wire::event::EventKind;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::deliverer;
use super::endpoints::find;
use super::message::Message;
use crate::app::App;
use crate::db::alert_deliveries::{self, AttemptRow, DeliveryFilter, DeliveryRow, NewDelivery};
use crate::db::events::Event;
use crate::db::{alert_endpoints, events};
use crate::error::{ApiError, Result};
use crate::responses::page::{self, Page};

/// The delivery of one message to one endpoint.
#[derive(Debug, Serialize, ToSchema)]
pub struct Delivery {
    pub id: DeliveryId,
    /// Sent as `webhook-id`; the same for every attempt and every replay.
    pub webhook_id: String,
    pub endpoint_id: EndpointId,
    pub endpoint_name: String,
    /// Null for a test.
    pub alert_type: Option<AlertType>,
    pub state: AlertState,
    pub title: String,
    pub text: String,
    pub status: DeliveryStatus,
    /// Attempts so far.
    pub attempts: i32,
    /// When the next attempt is due; null once the delivery is finished.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// The HTTP status of the last attempt; null if there was no response.
    pub last_status_code: Option<i32>,
    pub last_error: Option<String>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    /// The delivery that this one replays.
    pub replay_of: Option<DeliveryId>,
}

/// One attempt to deliver.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryAttempt {
    pub number: i32,
    pub at: DateTime<Utc>,
    pub duration_ms: i64,
    /// Null if there was no response.
    pub status_code: Option<i32>,
    /// Null if the message was delivered.
    pub error: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryDetail {
    pub delivery: Delivery,
    /// The request body as it is sent.
    pub payload: Value,
    pub attempts: Vec<DeliveryAttempt>,
}

/// Filters; all deliveries if none is set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    pub endpoint: Option<EndpointId>,
    pub status: Option<DeliveryStatus>,
}

/// Newest first.
pub async fn list(app: &App, wanted: Wanted, cursor: Option<&str>, limit: u16) -> Result<Page<Delivery>> {
    let before = page::parse_number(cursor)?;
    let filter = DeliveryFilter { endpoint: wanted.endpoint, status: wanted.status };
    let rows = alert_deliveries::list(&app.db, filter, before, page::rows_for(limit)).await?;
    let names: HashMap<EndpointId, String> =
        alert_endpoints::all(&app.db).await?.into_iter().map(|row| (row.id, row.name)).collect();
    let ids: Vec<DeliveryId> = rows.iter().map(|row| row.id).collect();
    let mut last = HashMap::new();
    for attempt in alert_deliveries::attempts_of(&app.db, &ids).await? {
        last.insert(attempt.delivery_id, attempt);
    }
    let view = |row: DeliveryRow| {
        let name = names.get(&row.endpoint_id).cloned().unwrap_or_default();
        let last = last.get(&row.id);
        view(row, name, last)
    };
    Ok(Page::cut(rows, limit, |row| page::number_cursor(row.number), view))
}

pub async fn get(app: &App, id: DeliveryId) -> Result<DeliveryDetail> {
    let row = alert_deliveries::get(&app.db, id).await?.ok_or_else(|| ApiError::no_such("delivery"))?;
    let endpoint = find(app, row.endpoint_id).await?;
    let payload = deliverer::body_of(app, &endpoint, &row).unwrap_or_default();
    let attempts = alert_deliveries::attempts_of(&app.db, &[id]).await?;
    let delivery = view(row, endpoint.name, attempts.last());
    Ok(DeliveryDetail { delivery, payload, attempts: attempts.into_iter().map(Into::into).collect() })
}

/// Sends it again, as a new delivery with the same `webhook-id`.
pub async fn replay(app: &App, id: DeliveryId, actor: &str) -> Result<Delivery> {
    let row = alert_deliveries::get(&app.db, id).await?.ok_or_else(|| ApiError::no_such("delivery"))?;
    let endpoint = find(app, row.endpoint_id).await?;
    if !endpoint.enabled {
        return Err(ApiError::conflict("endpoint_disabled", "This endpoint is disabled; enable it first."));
    }
    if row.status == DeliveryStatus::Pending {
        let detail = "This delivery is still pending; only finished deliveries can be replayed.";
        return Err(ApiError::conflict("still_pending", detail));
    }
    let now = app.clock.now();
    let new = NewDelivery {
        id: DeliveryId::new(&app.clock),
        webhook_id: row.webhook_id,
        endpoint: row.endpoint_id,
        alert_type: row.alert_type,
        message: &row.message.0,
        next_at: now,
        replay_of: Some(row.id),
    };
    let mut tx = app.db.begin().await?;
    let again = alert_deliveries::insert(&mut tx, &new, now).await?;
    let event = Event::new(EventKind::AlertDeliveryReplayed, actor).because(&endpoint.name);
    let event = event.with(json!({ "endpoint_id": endpoint.id, "delivery_id": row.id }));
    events::append(&mut tx, event, now).await?;
    tx.commit().await?;
    Ok(view(again, endpoint.name, None))
}

fn view(row: DeliveryRow, endpoint_name: String, last: Option<&AttemptRow>) -> Delivery {
    let webhook_id = deliverer::webhook_id(&row);
    let message: Option<Message> = serde_json::from_value(row.message.0).ok();
    let (state, title, text) =
        message.map_or((AlertState::Happened, String::new(), String::new()), |m| (m.state, m.title, m.text));
    Delivery {
        id: row.id,
        webhook_id,
        endpoint_id: row.endpoint_id,
        endpoint_name,
        alert_type: row.alert_type,
        state,
        title,
        text,
        status: row.status,
        attempts: row.attempts,
        next_attempt_at: row.next_at,
        last_status_code: last.and_then(|attempt| attempt.status_code),
        last_error: last.and_then(|attempt| attempt.error.clone()),
        created_at: row.created_at,
        finished_at: row.finished_at,
        replay_of: row.replay_of,
    }
}

impl From<AttemptRow> for DeliveryAttempt {
    fn from(row: AttemptRow) -> Self {
        let AttemptRow { number, at, duration_ms, status_code, error, .. } = row;
        Self { number, at, duration_ms, status_code, error }
    }
}
