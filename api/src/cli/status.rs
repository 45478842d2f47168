//! `framefarm status`: one screen.

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answers::{Overview, Queues, ServiceHealth, Workers};
use super::client::{Common, Farm};
use super::output::{self, Details, Tone};
use super::{Failure, alerts, block_on, format, job_lines, workers};
use crate::auth::Scope;

/// Show the farm's status
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm status
  framefarm status --json | jq -r '.overview.health.degraded[]'")]
pub(super) struct Status {
    #[command(flatten)]
    common: Common,
}

/// The answers that it is made of.
#[derive(Serialize)]
struct Answers {
    version: Box<RawValue>,
    overview: Box<RawValue>,
    queue: Box<RawValue>,
    workers: Box<RawValue>,
    alerts: Box<RawValue>,
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

impl Status {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let version = farm.get("/version").await?;
        let overview = farm.get("/api/overview").await?;
        let queue = farm.get("/api/queue").await?;
        let all = farm.get("/api/workers").await?;
        let alerts = farm.get("/api/alerts").await?;
        if self.common.json {
            return output::json(&Answers {
                version: version.read()?,
                overview: overview.read()?,
                queue: queue.read()?,
                workers: all.read()?,
                alerts: alerts.read()?,
            });
        }
        let Version { version } = version.read()?;
        let overview: Overview = overview.read()?;
        let Workers { items } = all.read()?;
        let mut details = details(farm, &version, &overview, &queue.read()?);
        for sentence in alerts::firing(&alerts)? {
            details.toned_line("alert", sentence, Tone::Bad);
        }
        details.table(workers::lines(&items));
        details.table(workers::gpus(&items));
        details.table(job_lines::failed(&overview.recent_failures));
        output::print(&details.text())
    }
}

fn details(farm: &Farm, version: &str, overview: &Overview, queues: &Queues) -> Details {
    let health = &overview.health;
    let processing = &health.processing;
    let state = if health.degraded.is_empty() { "ok" } else { "degraded" };
    let mut details = Details::headed(&format!("Framefarm {version} at {}", farm.address()), state);
    for words in &health.degraded {
        details.toned_line("warning", words, Tone::Warning);
    }
    let paused: Vec<&str> =
        queues.queues.iter().filter(|queue| queue.paused).map(|queue| queue.kind.as_str()).collect();
    if !paused.is_empty() {
        details.toned_line(
            "paused",
            format!("{}: no jobs are handed out until `framefarm resume`", paused.join(", ")),
            Tone::Warning,
        );
    }
    details.line("queue", queue_words(overview));
    let oldest = processing.oldest_pending_at.map(|at| format!("oldest waiting job: {}", format::since(at)));
    details.maybe("", oldest);
    let videos = &processing.videos;
    let counts = [
        (videos.ready, "ready"),
        (videos.processing, "processing"),
        (videos.pending, "waiting"),
        (videos.failed, "failed"),
    ];
    details.line("videos", listed(&counts, "none yet"));
    let workers = &processing.workers;
    let counts = [
        (workers.busy, "busy"),
        (workers.idle + workers.active, "idle"),
        (workers.offline, "offline"),
        (workers.disabled, "disabled"),
    ];
    details.line("workers", listed(&counts, "none; `framefarm worker invite` prints a join command"));
    details.line("storage", storage(health));
    details.line("database", format!("{}; dispatch: {}", health.database.engine, health.dispatch.in_force));
    details
}

/// "3 waiting, 2 running, 1 failed; time to clear: 20–40 min".
pub(super) fn queue_words(overview: &Overview) -> String {
    let jobs = overview.health.processing.jobs;
    let counts = [
        (jobs.pending, "waiting"),
        (jobs.running, "running"),
        (jobs.errors, "failed"),
        (jobs.completed, "completed"),
    ];
    let left = overview.queue_eta.as_ref().filter(|_| jobs.pending + jobs.running > 0);
    let left = left.map(|eta| format!("; time to clear: {}", format::eta(eta))).unwrap_or_default();
    format!("{}{left}", listed(&counts, "no jobs"))
}

/// What there is of each; what there is none of is left out.
fn listed(counts: &[(i64, &str)], none: &str) -> String {
    let some: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    if some.is_empty() { none.to_owned() } else { some.join(", ") }
}

fn storage(health: &ServiceHealth) -> String {
    let storage = &health.storage;
    match storage.free_bytes.zip(storage.total_bytes) {
        Some((free, all)) => {
            format!("{}, {} of {} free", storage.kind, format::bytes(free), format::bytes(all))
        }
        None => storage.kind.clone(),
    }
}
