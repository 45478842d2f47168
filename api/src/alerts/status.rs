//! Every type of alert: what goes on, what was sent, what is held back.

use chrono::{DateTime, Utc};
use framefarm_shared::alert::AlertType;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::db::alerts::{self, IncidentRow};
use crate::error::Result;

/// As many of one type are shown.
const MOST_INCIDENTS: usize = 20;

/// One type of alert.
#[derive(Debug, Serialize, ToSchema)]
pub struct AlertStatus {
    pub alert_type: AlertType,
    /// Whether it begins and ends; the others happen.
    pub lasts: bool,
    /// Something of this type goes on.
    pub firing: bool,
    /// Since when, the oldest.
    pub since: Option<DateTime<Utc>>,
    /// What goes on, the oldest first, at most 20.
    pub incidents: Vec<Incident>,
    pub last_at: Option<DateTime<Utc>>,
    pub last_sent_at: Option<DateTime<Utc>>,
    pub last_text: Option<String>,
    /// Held back since the last message.
    pub suppressed: i64,
    /// Ever.
    pub total: i64,
}

/// Something that began and is not over.
#[derive(Debug, Serialize, ToSchema)]
pub struct Incident {
    /// A worker's id, with a card's after a slash; empty where there can be only one.
    pub subject: String,
    pub since: DateTime<Utc>,
    pub text: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Alerts {
    pub items: Vec<AlertStatus>,
    /// For how long further alerts of one type are held back.
    pub cool_down_seconds: u32,
}

pub async fn all(app: &App) -> Result<Alerts> {
    let (rows, incidents) = (alerts::all(&app.db).await?, alerts::incidents(&app.db).await?);
    let status = |kind: AlertType| {
        let row = rows.iter().find(|row| row.alert_type == kind);
        let own: Vec<&IncidentRow> =
            incidents.iter().filter(|incident| incident.alert_type == kind).collect();
        AlertStatus {
            alert_type: kind,
            lasts: kind.lasts(),
            firing: !own.is_empty(),
            since: own.first().map(|incident| incident.since),
            incidents: own.iter().take(MOST_INCIDENTS).map(|row| Incident::of(row)).collect(),
            last_at: row.and_then(|row| row.last_at),
            last_sent_at: row.and_then(|row| row.last_sent_at),
            last_text: row.and_then(|row| row.last_text.clone()),
            suppressed: row.map_or(0, |row| row.suppressed),
            total: row.map_or(0, |row| row.total),
        }
    };
    let items = AlertType::ALL.iter().copied().map(status).collect();
    Ok(Alerts { items, cool_down_seconds: app.settings.alerts.alert_rate_limit_seconds })
}

impl Incident {
    fn of(row: &IncidentRow) -> Self {
        let text = row.message.0.get("text").and_then(serde_json::Value::as_str).unwrap_or_default();
        Self { subject: row.subject.clone(), since: row.since, text: text.to_owned() }
    }
}
