//! All details of a job as plain text: to read, search or send.

use framefarm_shared::state::AttemptOutcome;
use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};
use framefarm_shared::id::JobId;

use super::events::Event;
use super::jobs::{self, Attempt, Job, JobDetail};
use crate::app::App;
use crate::error::Result;

pub struct JobLog {
    pub file_name: String,
    pub text: String,
}

pub async fn of(app: &App, id: JobId) -> Result<JobLog> {
    let detail = jobs::get(app, id).await?;
    Ok(JobLog { file_name: format!("job-{}.txt", detail.job.number), text: text(&detail) })
}

fn text(JobDetail { job, attempts, timeline }: &JobDetail) -> String {
    let mut text = head(job);
    text.push_str("\nTimeline\n");
    for event in timeline {
        line(&mut text, &happened(event));
    }
    for attempt in attempts {
        tried(&mut text, attempt);
    }
    text
}

fn head(job: &Job) -> String {
    let mut text = String::new();
    line(&mut text, &format!("Job {} ({}), {} of {:?}", job.number, job.id, job.queue_type, job.video_title));
    line(&mut text, &format!("video {}, generation {}", job.video_id, job.generation));
    line(&mut text, &format!("{}, priority {}, enqueued {}", job.status, job.priority, at(job.enqueued_at)));
    line(
        &mut text,
        &format!(
            "attempts {}, failures {} of {}, lost {} of {}",
            job.attempt_number, job.failure_count, job.max_attempts, job.lost_count, job.max_lost
        ),
    );
    if let Some(error) = &job.error {
        let class = job.error_class.map_or("", |class| class.as_str());
        line(&mut text, &format!("error {class}: {error}"));
    }
    text
}

fn happened(event: &Event) -> String {
    let reason = event.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("{}  {:<20} by {}{reason}", at(event.at), event.kind.as_str(), event.actor)
}

fn tried(text: &mut String, attempt: &Attempt) {
    let end = attempt.ended_at.map_or_else(|| "now".to_owned(), at);
    let outcome = attempt.outcome.map_or("running", AttemptOutcome::as_str);
    let number = attempt.number;
    text.push('\n');
    let span = format!("{} to {end}", at(attempt.started_at));
    line(
        text,
        &format!("Attempt {number} (fence {}) by {}, {span}: {outcome}", attempt.fence, attempt.worker_name),
    );
    if let Some(error) = &attempt.error {
        let class = attempt.error_class.as_deref().unwrap_or_default();
        line(text, &format!("error {class}: {error}"));
    }
    for words in attempt.log.iter().flat_map(|log| log.lines()) {
        line(text, &format!("| {words}"));
    }
}

fn at(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A line is a line, whatever others wrote into it: a terminal that shows it is told nothing else.
fn line(text: &mut String, words: &str) {
    let plain = words.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c });
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", plain.collect::<String>());
}
