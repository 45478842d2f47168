//! Repeated failures: attempts that fail with the same error class, on one worker or on all of them.

use std::collections::BTreeSet;

use chrono::Duration;
use framefarm_shared::alert::{AlertState, AlertType};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::wire::event::EventKind;
use serde_json::Value;
use sqlx::types::Json;

use super::message::Message;
use crate::app::App;
use crate::config::AlertSettings;
use crate::db::alert_conditions::{self, FailureRow};
use crate::db::events::EventRow;
use crate::db::workers;
use crate::error::Result;

/// One message for each class of error that failed once more and has a pattern by now.
pub(super) async fn of(app: &App, rows: &[EventRow]) -> Result<Vec<Message>> {
    let failures: Vec<(&EventRow, ErrorClass)> =
        rows.iter().filter_map(|row| Some((row, failed_with(row)?))).collect();
    let Some((newest, _)) = failures.last() else { return Ok(Vec::new()) };
    let AlertSettings { alert_pattern_minutes: minutes, alert_pattern_worker, alert_pattern_farm, .. } =
        app.settings.alerts;
    let window = Duration::minutes(minutes.into());
    let known = alert_conditions::failures_since(&app.db, newest.at - window).await?;
    let mut told = BTreeSet::new();
    let mut messages = Vec::new();
    for (row, class) in failures.iter().rev() {
        if told.contains(class) {
            continue;
        }
        let same = || known.iter().filter(|failure| class_of(failure.data.as_ref()) == Some(*class));
        let here = same().filter(|failure: &&FailureRow| failure.worker_id == row.worker_id).count();
        let everywhere = same().count();
        let blamed = row.worker_id.filter(|_| here >= alert_pattern_worker as usize && !is_of_input(*class));
        let text = match blamed {
            Some(worker) => {
                let name = workers::get(&app.db, worker).await?.map(|worker| worker.name);
                let name = name.unwrap_or_else(|| format!("worker {worker}"));
                format!("{here} attempts on {name} failed with “{class}” within {minutes} minutes.")
            }
            None if everywhere >= alert_pattern_farm as usize => {
                format!("{everywhere} attempts failed with “{class}” within {minutes} minutes.")
            }
            None => continue,
        };
        told.insert(*class);
        let last = row.reason.as_deref().unwrap_or_default();
        let text = format!("{text} Most recent: {last}");
        let title = format!("Repeated failures: {class}");
        let message = Message::new(AlertType::JobFailedPattern, AlertState::Happened, &title, &text, row.at);
        messages.push(Message { worker_id: blamed, page: Some("/queue".to_owned()), ..message });
    }
    Ok(messages)
}

fn failed_with(row: &EventRow) -> Option<ErrorClass> {
    let failed = matches!(row.kind, EventKind::JobFailed | EventKind::JobRetryScheduled);
    class_of(row.data.as_ref()).filter(|class| failed && !class.is_free() && *class != ErrorClass::Poison)
}

fn class_of(data: Option<&Json<Value>>) -> Option<ErrorClass> {
    data?.get("class")?.as_str()?.parse().ok()
}

/// A bad file fails on every worker.
fn is_of_input(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::InputMissing | ErrorClass::InputDenied | ErrorClass::InputInvalid)
}
