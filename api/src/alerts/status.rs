//! Every alert type: what is firing, what was sent, what is suppressed.

use chrono::{DateTime, Utc};
use framefarm_shared::alert::AlertType;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::config::AlertSettings;
use crate::db::alerts::{self, IncidentRow};
use crate::error::Result;

/// How many incidents of one type are shown.
const MOST_INCIDENTS: usize = 20;

/// The state of one alert type.
#[derive(Debug, Serialize, ToSchema)]
pub struct AlertStatus {
    pub alert_type: AlertType,
    /// Whether alerts of this type fire until they are resolved; the others are single events.
    pub lasts: bool,
    /// Whether endpoints receive it by default.
    pub is_default: bool,
    /// Whether an incident of this type is open.
    pub firing: bool,
    /// When the oldest open incident began.
    pub since: Option<DateTime<Utc>>,
    /// Open incidents, oldest first, at most 20.
    pub incidents: Vec<Incident>,
    pub last_at: Option<DateTime<Utc>>,
    pub last_sent_at: Option<DateTime<Utc>>,
    pub last_text: Option<String>,
    /// Alerts suppressed since the last message.
    pub suppressed: i64,
    /// Alerts of this type since the farm was set up.
    pub total: i64,
}

/// An open incident.
#[derive(Debug, Serialize, ToSchema)]
pub struct Incident {
    /// The worker's id, followed by a slash and the GPU's id for a GPU; empty if there can be only one.
    pub subject: String,
    pub since: DateTime<Utc>,
    pub text: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Alerts {
    pub items: Vec<AlertStatus>,
    /// For how long further alerts of one type are suppressed after a message.
    pub cool_down_seconds: u32,
    pub thresholds: Thresholds,
}

/// What raises alerts; each is a setting.
#[derive(Debug, Serialize, ToSchema)]
pub struct Thresholds {
    /// `queue_depth_high`: more waiting jobs than this.
    pub queue_depth: u32,
    /// `error_rate_high`: a higher percentage of failures among the last 100 finished jobs.
    pub error_rate_percent: u32,
    /// `no_dequeue`: seconds for which a job is due without any job being claimed.
    pub no_claim_seconds: u32,
    /// `job_failed_pattern`: time window in minutes.
    pub pattern_minutes: u32,
    /// `job_failed_pattern`: failures with the same error class on one worker within that window.
    pub pattern_worker: u32,
    /// `job_failed_pattern`: failures with the same error class on all workers within that window.
    pub pattern_farm: u32,
}

impl From<&AlertSettings> for Thresholds {
    fn from(settings: &AlertSettings) -> Self {
        Self {
            queue_depth: settings.alert_queue_depth,
            error_rate_percent: settings.alert_error_rate,
            no_claim_seconds: settings.alert_no_claim_seconds,
            pattern_minutes: settings.alert_pattern_minutes,
            pattern_worker: settings.alert_pattern_worker,
            pattern_farm: settings.alert_pattern_farm,
        }
    }
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
            is_default: kind.is_usual(),
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
    let settings = &app.settings.alerts;
    let (cool_down_seconds, thresholds) = (settings.alert_rate_limit_seconds, settings.into());
    Ok(Alerts { items, cool_down_seconds, thresholds })
}

impl Incident {
    fn of(row: &IncidentRow) -> Self {
        let text = row.message.0.get("text").and_then(serde_json::Value::as_str).unwrap_or_default();
        Self { subject: row.subject.clone(), since: row.since, text: text.to_owned() }
    }
}
