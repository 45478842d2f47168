//! The alert messages that an event row leads to.

use std::collections::HashMap;

use framefarm_shared::alert::{AlertState, AlertType};
use framefarm_shared::id::{VideoId, WorkerId};
use framefarm_shared::wire::event::EventKind;
use serde_json::Value;

use super::message::Message;
use crate::app::App;
use crate::db::events::EventRow;
use crate::db::{Tx, alerts, videos, workers};
use crate::error::Result;

/// Messages of these rows, in their order.
pub(super) async fn of(app: &App, rows: &[EventRow]) -> Result<Vec<Message>> {
    let mut names = Names::default();
    let mut messages = Vec::new();
    for row in rows.iter().filter(|row| concerns(row.kind)) {
        names.learn(app, row).await?;
        messages.extend(read(row, &names));
    }
    Ok(messages)
}

/// When a worker is gone, the alerts of all its GPUs are resolved.
pub(super) async fn spread(tx: &mut Tx, message: Message) -> Result<Vec<Message>> {
    let Some(worker) = message.subject.strip_suffix("/*") else { return Ok(vec![message]) };
    let subjects = alerts::subjects_below(tx, AlertType::GpuQuarantined, &format!("{worker}/")).await?;
    Ok(subjects.into_iter().map(|subject| message.clone().about(subject)).collect())
}

fn concerns(kind: EventKind) -> bool {
    use EventKind as Kind;
    matches!(
        kind,
        Kind::JobLost
            | Kind::JobFailed
            | Kind::VideoPublished
            | Kind::WorkerStarted
            | Kind::WorkerRestarted
            | Kind::WorkerStopped
            | Kind::WorkerOffline
            | Kind::WorkerRecovered
            | Kind::WorkerDisabled
            | Kind::WorkerDeleted
            | Kind::GpuQuarantined
            | Kind::GpuRecovered
            | Kind::SandboxIncomplete
            | Kind::SandboxComplete
    )
}

/// Names for ids, as far as they are still known.
#[derive(Default)]
struct Names {
    workers: HashMap<WorkerId, String>,
    videos: HashMap<VideoId, String>,
}

impl Names {
    async fn learn(&mut self, app: &App, row: &EventRow) -> Result<()> {
        if let Some(id) = row.worker_id.filter(|id| !self.workers.contains_key(id)) {
            let name = workers::get(&app.db, id).await?.map(|worker| worker.name);
            self.workers.insert(id, name.unwrap_or_else(|| format!("worker {id}")));
        }
        if let Some(id) = row.video_id.filter(|id| !self.videos.contains_key(id)) {
            let title = videos::get(&app.db, id).await?.map(|video| video.title);
            self.videos.insert(id, title.unwrap_or_else(|| format!("video {id}")));
        }
        Ok(())
    }

    fn worker(&self, row: &EventRow) -> &str {
        row.worker_id.and_then(|id| self.workers.get(&id)).map_or("a worker", String::as_str)
    }

    fn video(&self, row: &EventRow) -> &str {
        row.video_id.and_then(|id| self.videos.get(&id)).map_or("a video", String::as_str)
    }
}

fn read(row: &EventRow, names: &Names) -> Vec<Message> {
    use AlertState::{Happened, Raised, Recovered};
    use AlertType as Type;
    use EventKind as Kind;
    let (worker, video) = (names.worker(row), names.video(row));
    let why = row.reason.as_deref().unwrap_or_default();
    let message = |kind: Type, state: AlertState, title: String, text: String| Message {
        video_id: row.video_id,
        job_id: row.job_id,
        worker_id: row.worker_id,
        page: page(row),
        subject: if kind.lasts() { subject(kind, row) } else { String::new() },
        ..Message::new(kind, state, &title, &text, row.at)
    };
    match row.kind {
        Kind::JobLost => {
            let text = format!(
                "The job for “{video}” was recovered from {worker} ({why}) and is back in the queue."
            );
            vec![message(Type::StaleJobRecovered, Happened, "Job recovered".to_owned(), text)]
        }
        Kind::JobFailed => failed(row, video, why, message),
        Kind::VideoPublished => {
            let text = format!("“{video}” is ready to play.");
            vec![message(Type::VideoReady, Happened, format!("Video ready: {video}"), text)]
        }
        Kind::WorkerStarted | Kind::WorkerRestarted => {
            let text = format!("{worker} started.");
            let started = message(Type::WorkerStartup, Happened, format!("Worker started: {worker}"), text);
            vec![started, back(row, worker, message)]
        }
        Kind::WorkerStopped => {
            let text = format!("{worker} shut down.");
            vec![message(Type::WorkerShutdown, Happened, format!("Worker stopped: {worker}"), text)]
        }
        Kind::WorkerOffline => {
            let text = format!("{worker} is offline: {why}.");
            vec![message(Type::WorkerOffline, Raised, format!("Worker offline: {worker}"), text)]
        }
        Kind::WorkerRecovered => vec![back(row, worker, message)],
        Kind::WorkerDisabled | Kind::WorkerDeleted => {
            // A deleted worker's name is only in the event.
            let worker = if row.kind == Kind::WorkerDeleted && !why.is_empty() { why } else { worker };
            let text = format!("{worker} was disabled or removed by {}.", row.actor);
            let gone =
                message(Type::WorkerOffline, Recovered, format!("Worker offline: {worker}"), text.clone());
            let sandbox = message(
                Type::SandboxIncomplete,
                Recovered,
                format!("Sandbox incomplete: {worker}"),
                text.clone(),
            );
            let gpus = message(Type::GpuQuarantined, Recovered, format!("GPU quarantined: {worker}"), text);
            let all = format!("{}/*", row.worker_id.map(|id| id.to_string()).unwrap_or_default());
            vec![gone, sandbox, gpus.about(all)]
        }
        Kind::GpuQuarantined => {
            let text = format!("{worker}: {why}.");
            vec![message(Type::GpuQuarantined, Raised, format!("GPU quarantined: {worker}"), text)]
        }
        Kind::SandboxIncomplete => {
            let text = format!("{worker}: {why}.");
            vec![message(Type::SandboxIncomplete, Raised, format!("Sandbox incomplete: {worker}"), text)]
        }
        Kind::SandboxComplete => {
            let text = format!("{worker}: {why}.");
            vec![message(Type::SandboxIncomplete, Recovered, format!("Sandbox complete: {worker}"), text)]
        }
        Kind::GpuRecovered => {
            let text = format!("{worker}: {why}.");
            vec![message(Type::GpuQuarantined, Recovered, format!("GPU recovered: {worker}"), text)]
        }
        _ => Vec::new(),
    }
}

fn back(
    row: &EventRow,
    worker: &str,
    message: impl Fn(AlertType, AlertState, String, String) -> Message,
) -> Message {
    let text = format!("{worker} came back online at {}.", row.at.format("%H:%M:%S UTC"));
    message(AlertType::WorkerOffline, AlertState::Recovered, format!("Worker back online: {worker}"), text)
}

/// One event can mean that the retries of a job are exhausted and that its video failed.
fn failed(
    row: &EventRow,
    video: &str,
    why: &str,
    message: impl Fn(AlertType, AlertState, String, String) -> Message,
) -> Vec<Message> {
    let flag = |name: &str| {
        row.data.as_ref().and_then(|data| data.get(name)).and_then(Value::as_bool).unwrap_or(false)
    };
    let mut messages = Vec::new();
    if flag("used_up") {
        let text = format!("The job for “{video}” failed permanently: {why}.");
        let title = format!("Retries exhausted: {video}");
        messages.push(message(AlertType::JobMaxRetriesExceeded, AlertState::Happened, title, text));
    }
    if flag("video_failed") {
        let text = format!("“{video}” failed: {why}.");
        messages.push(message(
            AlertType::VideoFailed,
            AlertState::Happened,
            format!("Video failed: {video}"),
            text,
        ));
    }
    messages
}

fn subject(kind: AlertType, row: &EventRow) -> String {
    let worker = row.worker_id.map(|id| id.to_string()).unwrap_or_default();
    if kind != AlertType::GpuQuarantined {
        return worker;
    }
    // Events of an earlier version have only the earlier name.
    let gpu = row
        .data
        .as_ref()
        .and_then(|data| data.get("gpu").or_else(|| data.get("card")))
        .and_then(Value::as_str);
    format!("{worker}/{}", gpu.unwrap_or_default())
}

/// Its path on the web page.
fn page(row: &EventRow) -> Option<String> {
    match (row.video_id, row.worker_id) {
        (Some(video), _) => Some(format!("/library/{video}")),
        (None, Some(_)) => Some("/workers".to_owned()),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use serde_json::json;
    use sqlx::types::Json;

    use super::*;

    #[test]
    fn an_event_of_an_earlier_version_is_about_the_same_gpu() {
        let row = |data: Value| EventRow {
            id: 1,
            at: DateTime::<Utc>::UNIX_EPOCH,
            kind: EventKind::GpuQuarantined,
            video_id: None,
            job_id: None,
            worker_id: None,
            actor: "worker:north".to_owned(),
            reason: None,
            data: Some(Json(data)),
        };
        for data in [json!({"card": "GPU-1"}), json!({"gpu": "GPU-1", "card": "GPU-1"})] {
            assert_eq!(subject(AlertType::GpuQuarantined, &row(data.clone())), "/GPU-1", "{data}");
        }
    }
}
