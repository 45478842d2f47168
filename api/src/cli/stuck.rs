//! `framefarm stuck`.

use clap::Args;
use serde::Deserialize;

use super::answers::Job;
use super::client::{Common, Farm};
use super::output::{self, Cell, Column, Table, Tone};
use super::{Failure, block_on, format};
use crate::auth::Scope;

/// List long-running jobs, longest first, with the likely reason
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm stuck                   running longer than ten minutes
  framefarm stuck --older 3600
  framefarm stuck --json | jq -r '.items[] | [.job.number, .why] | @tsv'")]
pub(super) struct Stuck {
    /// List jobs running longer than this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    older: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct Found {
    items: Vec<StuckJob>,
}

#[derive(Deserialize)]
struct StuckJob {
    job: Job,
    running_seconds: f64,
    quiet_seconds: f64,
    why: String,
    why_text: String,
}

impl Stuck {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let asked = [("older_seconds", Some(self.older.to_string()))];
        let answer = farm.get(&farm.asking("/api/queue/stuck", &asked)).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let Found { items } = answer.read()?;
        if items.is_empty() {
            return output::say(&format!(
                "No job has been running longer than {}.",
                format::span(self.older.into())
            ));
        }
        output::print(&lines(&items).text())
    }
}

fn lines(jobs: &[StuckJob]) -> Table {
    let columns = [
        Column::new("JOB").right(),
        Column::new("VIDEO").gives(),
        Column::new("ELAPSED").right(),
        Column::new("DONE").right(),
        Column::new("LAST UPDATE").right(),
        Column::new("REASON").gives(),
        Column::new("WORKER").optional(),
        Column::new("STEP").optional(),
    ];
    let mut table = Table::new(columns);
    for StuckJob { job, running_seconds, quiet_seconds, why, why_text } in jobs {
        let tone = if why == "slow" { Tone::Plain } else { Tone::Warning };
        table.row([
            job.number.into(),
            job.video_title.clone().into(),
            format::span(*running_seconds).into(),
            format::percent(job.progress_percent).into(),
            format!("{} ago", format::span(*quiet_seconds)).into(),
            Cell::toned(why_text.clone(), tone),
            job.worker().unwrap_or_default().into(),
            Cell::from(job.current_step.as_deref().unwrap_or_default().replace('_', " ")),
        ]);
    }
    table
}
