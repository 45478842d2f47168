//! Alert endpoints, as admins see and change them.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::alert::{AlertType, EndpointKind};
use framefarm_shared::id::{DeliveryId, EndpointId};
use framefarm_shared::wire::event::EventKind;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

use super::log::{self, DeliveryDetail};
use super::message::Message;
use super::{address, deliverer, sign};
use crate::app::App;
use crate::db::alert_deliveries::NewDelivery;
use crate::db::alert_endpoints::{self, Change, EndpointRow, NewEndpoint};
use crate::db::events::Event;
use crate::db::{Tx, alert_deliveries, events};
use crate::error::{ApiError, Result};
use crate::lifecycle::enqueue::check_text;

/// The endpoint from the settings always has this id.
const FROM_SETTINGS: EndpointId = EndpointId(Uuid::from_u128(1));
/// How long the old secret keeps signing after a rotation.
const OLD_SECRET_LASTS: Duration = Duration::hours(24);
const MOST_ENDPOINTS: usize = 100;

/// A notification channel for alerts. Its URL is never shown in full.
#[derive(Debug, Serialize, ToSchema)]
pub struct Endpoint {
    pub id: EndpointId,
    pub name: String,
    pub kind: EndpointKind,
    /// The host and the last characters of its URL.
    pub address: String,
    /// The alert types it receives.
    pub alert_types: Vec<AlertType>,
    pub enabled: bool,
    /// Why the farm disabled it automatically.
    pub disabled_reason: Option<String>,
    /// Comes from the setting `alert_webhook_url` and cannot be changed here.
    pub from_settings: bool,
    /// Whether its messages are signed.
    pub signed: bool,
    /// Until when messages also carry a signature made with the previous secret.
    pub old_secret_until: Option<DateTime<Utc>>,
    /// Consecutive failed attempts.
    pub failures: i32,
    /// Nothing is sent before then: it failed too often, or it sent `Retry-After`.
    pub paused_until: Option<DateTime<Utc>>,
    pub last_success_at: Option<DateTime<Utc>>,
    pub last_failure_at: Option<DateTime<Utc>>,
    pub last_error: Option<String>,
    pub created_at: DateTime<Utc>,
}

impl Endpoint {
    fn of(row: EndpointRow, now: DateTime<Utc>) -> Self {
        Self {
            address: address::shown(&row.url),
            alert_types: row.alert_types.iter().filter_map(|word| word.parse().ok()).collect(),
            signed: row.secret.is_some(),
            old_secret_until: row.old_secret_until.filter(|until| now < *until),
            paused_until: row.paused_until.filter(|until| now < *until),
            id: row.id,
            name: row.name,
            kind: row.kind,
            enabled: row.enabled,
            disabled_reason: row.disabled_reason,
            from_settings: row.from_settings,
            failures: row.failures,
            last_success_at: row.last_success_at,
            last_failure_at: row.last_failure_at,
            last_error: row.last_error,
            created_at: row.created_at,
        }
    }
}

/// Changes to an endpoint. Absent fields stay as they are.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndpointChange {
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    pub name: Option<String>,
    #[schema(max_length = 2048, pattern = "^https?://[^\\s/@]+(/[^\\s]*)?$")]
    pub url: Option<String>,
    #[schema(min_items = 1, max_items = 50)]
    pub alert_types: Option<Vec<AlertType>>,
    /// Disabling an endpoint also drops its pending deliveries.
    pub enabled: Option<bool>,
}

/// A new endpoint, as an admin enters it.
pub struct New {
    pub name: String,
    pub url: String,
    /// Detected from the URL if absent.
    pub kind: Option<EndpointKind>,
    pub alert_types: Option<Vec<AlertType>>,
    pub enabled: bool,
}

pub async fn list(app: &App) -> Result<Vec<Endpoint>> {
    let now = app.clock.now();
    Ok(alert_endpoints::all(&app.db).await?.into_iter().map(|row| Endpoint::of(row, now)).collect())
}

pub async fn get(app: &App, id: EndpointId) -> Result<Endpoint> {
    Ok(Endpoint::of(find(app, id).await?, app.clock.now()))
}

pub(super) async fn find(app: &App, id: EndpointId) -> Result<EndpointRow> {
    alert_endpoints::get(&app.db, id).await?.ok_or_else(|| ApiError::no_such("endpoint"))
}

/// The second value is the signing secret, if it has one; it is not shown again.
pub async fn create(app: &App, new: New, actor: &str) -> Result<(Endpoint, Option<String>)> {
    let name = checked_name(&new.name)?;
    let url = app.egress.check(&new.url).map_err(|refusal| bad_url(&refusal))?;
    let kind = new.kind.unwrap_or_else(|| address::recognise(&url));
    let alert_types = checked_types(new.alert_types.unwrap_or_else(AlertType::usual))?;
    let secret = (kind == EndpointKind::Generic).then(sign::new_secret);
    if alert_endpoints::all(&app.db).await?.len() >= MOST_ENDPOINTS {
        let detail = format!("The limit of {MOST_ENDPOINTS} endpoints is reached; delete an unused one.");
        return Err(ApiError::conflict("too_many_endpoints", detail));
    }
    let row = NewEndpoint {
        id: EndpointId::new(&app.clock),
        name,
        kind,
        url: new.url,
        secret: secret.clone(),
        alert_types,
        enabled: new.enabled,
        from_settings: false,
    };
    let mut tx = app.db.begin().await?;
    let row = alert_endpoints::put(&mut tx, &row, app.clock.now()).await?;
    note(app, &mut tx, EventKind::AlertEndpointCreated, actor, &row, "").await?;
    tx.commit().await?;
    Ok((Endpoint::of(row, app.clock.now()), secret))
}

pub async fn change(app: &App, id: EndpointId, change: EndpointChange, actor: &str) -> Result<Endpoint> {
    let name = change.name.as_deref().map(checked_name).transpose()?;
    if let Some(url) = &change.url {
        app.egress.check(url).map_err(|refusal| bad_url(&refusal))?;
    }
    let alert_types = change.alert_types.map(checked_types).transpose()?;
    let change = Change { name, url: change.url, alert_types, enabled: change.enabled };
    let mut what = Vec::new();
    what.extend(change.name.as_ref().map(|_| "name"));
    what.extend(change.url.as_ref().map(|_| "URL"));
    what.extend(change.alert_types.as_ref().map(|_| "alert types"));
    what.extend(change.enabled.map(|on| if on { "enabled" } else { "disabled" }));
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let Some(row) = alert_endpoints::change_unless_from_settings(&mut tx, id, &change).await? else {
        tx.rollback().await?;
        return Err(why_not(app, id).await?);
    };
    if change.enabled == Some(false) {
        alert_deliveries::fail_pending_of(&mut tx, id, now).await?;
    }
    if !what.is_empty() {
        note(app, &mut tx, EventKind::AlertEndpointChanged, actor, &row, &what.join(", ")).await?;
    }
    tx.commit().await?;
    Ok(Endpoint::of(row, now))
}

pub async fn delete(app: &App, id: EndpointId, actor: &str) -> Result<()> {
    let row = find(app, id).await?;
    let mut tx = app.db.begin().await?;
    if !alert_endpoints::delete_unless_from_settings(&mut tx, id).await? {
        tx.rollback().await?;
        return Err(why_not(app, id).await?);
    }
    note(app, &mut tx, EventKind::AlertEndpointDeleted, actor, &row, "").await?;
    Ok(tx.commit().await?)
}

/// A new secret. For a day both secrets sign, so that the receiver misses nothing during the change.
pub async fn rotate_secret(app: &App, id: EndpointId, actor: &str) -> Result<(String, DateTime<Utc>)> {
    let (secret, now) = (sign::new_secret(), app.clock.now());
    let until = now + OLD_SECRET_LASTS;
    let mut tx = app.db.begin().await?;
    let Some(row) = alert_endpoints::rotate_if_signed(&mut tx, id, &secret, until).await? else {
        tx.rollback().await?;
        let endpoint = find(app, id).await?;
        if endpoint.from_settings {
            return Err(from_settings());
        }
        let detail =
            "Only `generic` endpoints have a signing secret; for Slack and Discord the URL is the secret.";
        return Err(ApiError::conflict("not_signed", detail));
    };
    note(app, &mut tx, EventKind::AlertSecretRotated, actor, &row, "").await?;
    tx.commit().await?;
    Ok((secret, until))
}

/// Sends one message at once, whatever the state of the endpoint, without retries.
pub async fn test(app: &App, id: EndpointId, actor: &str) -> Result<DeliveryDetail> {
    let endpoint = find(app, id).await?;
    let now = app.clock.now();
    let message = json!(Message::test(&endpoint.name, now));
    let delivery = DeliveryId::new(&app.clock);
    let new = NewDelivery {
        id: delivery,
        webhook_id: delivery,
        endpoint: id,
        alert_type: None,
        message: &message,
        // Not the deliverer's, unless this process ends before it has sent it.
        next_at: now + Duration::minutes(5),
        replay_of: None,
    };
    let mut tx = app.db.begin().await?;
    let row = alert_deliveries::insert(&mut tx, &new, now).await?;
    note(app, &mut tx, EventKind::AlertEndpointTested, actor, &endpoint, "").await?;
    tx.commit().await?;
    let attempt = deliverer::attempt(app, &endpoint, &row).await;
    deliverer::record(app, &endpoint, &row, attempt).await?;
    log::get(app, delivery).await
}

/// Stores the endpoint from the settings as a row like any other.
pub(super) async fn adopt_settings(app: &App) -> Result<()> {
    let settings = &app.settings.alerts;
    let mut tx = app.db.begin().await?;
    if settings.alert_webhook_url.is_empty() {
        alert_endpoints::delete_from_settings(&mut tx).await?;
        return Ok(tx.commit().await?);
    }
    let url = app.egress.check(&settings.alert_webhook_url).map_err(|refusal| bad_url(&refusal))?;
    let kind = address::recognise(&url);
    let secret = Some(settings.alert_webhook_secret.clone());
    let new = NewEndpoint {
        id: FROM_SETTINGS,
        name: "Settings".to_owned(),
        kind,
        url: settings.alert_webhook_url.clone(),
        secret: secret.filter(|secret| kind == EndpointKind::Generic && !secret.is_empty()),
        alert_types: AlertType::usual(),
        enabled: true,
        from_settings: true,
    };
    alert_endpoints::put(&mut tx, &new, app.clock.now()).await?;
    Ok(tx.commit().await?)
}

fn checked_name(name: &str) -> Result<String> {
    check_text("name", Some(name), 100)?;
    Ok(name.trim().to_owned())
}

fn checked_types(mut types: Vec<AlertType>) -> Result<Vec<AlertType>> {
    types.sort();
    types.dedup();
    if types.is_empty() {
        let detail = "`alert_types` must not be empty; disable the endpoint to receive no alerts.";
        return Err(ApiError::unprocessable("no_alert_types", detail));
    }
    Ok(types)
}

fn bad_url(refusal: &crate::egress::Refusal) -> ApiError {
    ApiError::unprocessable("bad_webhook_url", refusal.to_string())
}

fn from_settings() -> ApiError {
    let detail = "This endpoint comes from the setting `alert_webhook_url`; change it there.";
    ApiError::conflict("from_settings", detail)
}

/// A guard did not hold.
async fn why_not(app: &App, id: EndpointId) -> Result<ApiError> {
    Ok(if find(app, id).await?.from_settings { from_settings() } else { ApiError::no_such("endpoint") })
}

async fn note(
    app: &App,
    tx: &mut Tx,
    kind: EventKind,
    actor: &str,
    endpoint: &EndpointRow,
    what: &str,
) -> Result<()> {
    let name = &endpoint.name;
    let reason = if what.is_empty() { name.clone() } else { format!("{name}: {what}") };
    let event = Event::new(kind, actor).because(reason).with(json!({ "endpoint_id": endpoint.id }));
    Ok(events::append(tx, event, app.clock.now()).await?)
}
