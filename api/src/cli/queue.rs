//! `framefarm queue`.

use std::fmt::Write as _;

use clap::Args;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use serde::Deserialize;

use super::answers::{Job, Queues};
use super::client::{Answer, Common, Farm, list};
use super::output::{self, Cell, Column, Table, Tone};
use super::{Failure, block_on, format, job_lines};
use crate::auth::Scope;

/// Show queue counts and the waiting jobs in order, with the reason why each waits
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm queue                               counts, then the waiting jobs in claim order
  framefarm queue --status failed --limit 20    the newest failures
  framefarm queue --collection talks --search keynote
  framefarm queue --json | jq '.queues[].depth'")]
pub(super) struct Queue {
    /// List jobs with this status; waiting jobs if omitted
    #[arg(long)]
    status: Option<JobStatus>,

    /// List jobs of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<QueueType>,

    /// List jobs in this collection
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,

    /// List jobs whose video title contains this text
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,

    /// Maximum number of jobs to list
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    #[command(flatten)]
    common: Common,
}

/// The head of the queue.
#[derive(Deserialize)]
struct Next {
    items: Vec<Job>,
    total: i64,
}

impl Queue {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let queues = farm.get("/api/queue").await?;
        if self.is_filtered() {
            return self.show_filtered(farm, &queues).await;
        }
        let limit = [("limit", Some(self.limit.min(500).to_string()))];
        let next = farm.get(&farm.asking("/api/queue/next", &limit)).await?;
        if self.common.json {
            return together(&queues, &next);
        }
        let Next { items, total } = next.read()?;
        let mut text = counts(&queues.read()?).text();
        text.push('\n');
        let hidden = total - i64::try_from(items.len()).unwrap_or(total);
        let _ = match (items.len(), total) {
            (0, 0) => writeln!(text, "No jobs are waiting."),
            (0, _) => writeln!(text, "No job is due; {} scheduled for later.", later(total)),
            _ => write!(text, "{}", job_lines::waiting(&items).text()),
        };
        if hidden > 0 && !items.is_empty() {
            let words = "more waiting or scheduled for later; use --limit or --status pending to list them.";
            let _ = writeln!(text, "{hidden} {words}");
        }
        output::print(&text)
    }

    fn is_filtered(&self) -> bool {
        self.status.is_some() || self.kind.is_some() || self.collection.is_some() || self.search.is_some()
    }

    async fn show_filtered(self, farm: &Farm, queues: &Answer) -> anyhow::Result<()> {
        let status = self.status.unwrap_or(JobStatus::Pending);
        let asked = [
            ("status", Some(status.to_string())),
            ("queue_type", self.kind.map(|kind| kind.to_string())),
            ("collection", self.collection),
            ("search", self.search),
        ];
        let page = list(farm, "/api/queue/jobs", &asked, self.limit as usize).await?;
        if self.common.json {
            return together(queues, &Answer(serde_json::to_vec(&page)?.into()));
        }
        let jobs: Vec<Job> = page.read()?;
        if jobs.is_empty() {
            return output::say(&format!("No {} jobs match.", adjective(status)));
        }
        let table = match status {
            JobStatus::Pending => job_lines::waiting(&jobs),
            JobStatus::Running => job_lines::running(&jobs),
            JobStatus::Failed => job_lines::failed(&jobs),
            JobStatus::Completed | JobStatus::Cancelled => job_lines::any(&jobs),
        };
        let mut text = table.text();
        if page.next_cursor.is_some() {
            text.push_str("There are more; use --limit to list them.\n");
        }
        output::print(&text)
    }
}

fn later(total: i64) -> String {
    format!("{} {}", format::count(total, "job"), if total == 1 { "is" } else { "are" })
}

fn adjective(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Pending => "waiting",
        other => other.as_str(),
    }
}

/// Both answers as they are.
fn together(queues: &Answer, jobs: &Answer) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Raw<'a> {
        #[serde(borrow)]
        queues: &'a serde_json::value::RawValue,
    }
    #[derive(serde::Serialize)]
    struct Both<'a> {
        queues: &'a serde_json::value::RawValue,
        jobs: &'a serde_json::value::RawValue,
    }
    let Raw { queues } = serde_json::from_slice(&queues.0)?;
    output::json(&Both { queues, jobs: serde_json::from_slice(&jobs.0)? })
}

/// Jobs by type and status, and the settings of each type.
pub(super) fn counts(queues: &Queues) -> Table {
    let columns = [
        Column::new("QUEUE"),
        Column::new("WAITING").right(),
        Column::new("RUNNING").right(),
        Column::new("FAILED").right(),
        Column::new("COMPLETED").right(),
        Column::new("SETTINGS").gives(),
    ];
    let mut table = Table::new(columns);
    for queue in &queues.queues {
        let depth = queue.depth;
        let number = |number: i64, tone| {
            if number == 0 { Cell::toned("0", Tone::Faint) } else { Cell::toned(number.to_string(), tone) }
        };
        let mut switches = Vec::new();
        if queue.paused {
            switches.push("paused".to_owned());
        }
        if let Some(most) = queue.max_running {
            switches.push(format!("at most {most} running"));
        }
        if queue.retry_mode == "manual" {
            switches.push("manual retry".to_owned());
        }
        let tone = if queue.paused { Tone::Warning } else { Tone::Plain };
        table.row([
            queue.kind.clone().into(),
            number(depth.pending, Tone::Plain),
            number(depth.running, Tone::Busy),
            number(depth.errors, Tone::Bad),
            number(depth.completed, Tone::Good),
            Cell::toned(switches.join(", "), tone),
        ]);
    }
    table
}
