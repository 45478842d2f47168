//! `framefarm job`.

use clap::Args;

use super::answers::{Job as Shown, JobDetail};
use super::client::{self, Common, Farm};
use super::output::{self, Cell, Column, Details, Table, Tone};
use super::{Failure, block_on, format};
use crate::auth::Scope;

/// Show a job: why it waits or failed, its attempts and its timeline
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm job 12
  framefarm job 12 --json | jq -r .job.error")]
pub(super) struct Job {
    /// Job number or ID
    #[arg(value_name = "JOB")]
    name: String,

    #[command(flatten)]
    common: Common,
}

impl Job {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = client::job(farm, &self.name).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let JobDetail { job, attempts, timeline } = answer.read()?;
        let mut details = details(&job);
        let mut table = Table::new([
            Column::new("ATTEMPT").right(),
            Column::new("WORKER").gives(),
            Column::new("STARTED").right(),
            Column::new("DURATION").right(),
            Column::new("OUTCOME"),
            Column::new("ERROR").gives(),
        ]);
        let log = attempts.last().and_then(|attempt| attempt.log.clone());
        for attempt in attempts {
            let lasted = attempt.ended_at.map(|end| format::elapsed(attempt.started_at, end));
            table.row([
                attempt.number.into(),
                attempt.worker_name.into(),
                format::ago(attempt.started_at).into(),
                lasted.unwrap_or_else(|| format::since(attempt.started_at)).into(),
                Cell::state(attempt.outcome.as_deref().unwrap_or("running")),
                attempt.error.unwrap_or_default().into(),
            ]);
        }
        details.table(table);
        details.table(super::audit::lines(&timeline));
        details.text_below("ENCODER LOG", log.as_deref());
        output::print(&details.text())
    }
}

fn details(job: &Shown) -> Details {
    let mut details =
        Details::headed(&format!("Job {} ({}): {}", job.number, job.queue_type, job.video_title), &job.state);
    if let Some(error) = &job.error {
        details.toned_line("error", error, Tone::Bad);
    }
    let class = job.error_class.as_ref().map(|class| match &job.error_hint {
        Some(hint) => format!("{class}: {hint}"),
        None => class.clone(),
    });
    details.maybe("error class", class);
    details.maybe("waiting", job.waiting_reason.as_ref());
    details.maybe("next retry", job.retry_after.map(format::ago));
    details.maybe("position", job.position.map(|place| place.to_string()));
    if job.status == "running" {
        let step = job.current_step.as_deref().unwrap_or("starting").replace('_', " ");
        details.line("progress", format!("{}, {step}", format::percent(job.progress_percent)));
        details.maybe("last update", job.last_checkpoint.map(format::ago));
    }
    details.maybe("time left", job.eta.as_ref().map(format::eta));
    details.maybe("worker", job.worker());
    details.line("priority", job.priority.to_string());
    details.line(
        "failures",
        format!(
            "{} of at most {}; lost workers: {} of at most {}",
            job.failure_count, job.max_attempts, job.lost_count, job.max_lost
        ),
    );
    details.maybe("collection", job.collection.as_ref());
    details.line("added", format::ago(job.enqueued_at));
    details.maybe("started", job.started_at.map(format::ago));
    details.maybe("ended", job.completed_at.map(format::ago));
    details.line("id", &job.id);
    details.line("video", &job.video_id);
    details
}
