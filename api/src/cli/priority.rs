//! `framefarm priority`.

use clap::Args;
use framefarm_shared::queue::parse_priority;
use serde::Deserialize;
use serde_json::json;

use super::client::{self, Common, Farm};
use super::many::LeftAlone;
use super::{Failure, block_on, format, output};
use crate::auth::Scope;

/// Change the priority of waiting jobs
#[derive(Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  framefarm priority 12 13 high
  framefarm priority 12 -50          a number from -1000 to 1000; normal is 0"
)]
pub(super) struct Priority {
    /// Job numbers or IDs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,

    /// New priority: high, normal, low or a number; higher runs first
    #[arg(value_name = "PRIORITY", value_parser = parse_priority)]
    level: i32,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct Moved {
    changed: i64,
    unchanged: i64,
    #[serde(flatten)]
    left: LeftAlone,
}

impl Priority {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.change(&farm))
    }

    async fn change(self, farm: &Farm) -> anyhow::Result<()> {
        let jobs = client::job_ids(farm, &self.jobs).await?;
        let ids: Vec<String> = jobs.into_iter().map(|job| job.id).collect();
        let body = json!({ "ids": ids, "priority": self.level });
        let answer = farm.post_json("/api/queue/priority", &body).await?;
        let Moved { changed, unchanged, left } = answer.read()?;
        if self.common.json {
            output::raw(&answer)?;
        } else if changed + unchanged > 0 {
            let done = format::count(changed + unchanged, "job");
            output::say(&format!("Priority of {done} set to {}.", self.level))?;
            if let Some(words) = left.words(true) {
                output::say(&words)?;
            }
        }
        left.refusal(changed + unchanged)
    }
}
