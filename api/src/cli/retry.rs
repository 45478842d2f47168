//! `framefarm retry` and `framefarm requeue`: failed and cancelled jobs go back to the queue.

use clap::Args;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;
use serde::Deserialize;
use serde_json::json;

use super::client::{self, Answer, Common, Farm};
use super::many::LeftAlone;
use super::{Failure, block_on, confirm, format, output};
use crate::auth::Scope;

/// More than this need a confirmation.
const MANY: i64 = 10;

/// Retry failed and cancelled jobs: by number, by filter, or all
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm retry 12 13
  framefarm retry --class storage               all jobs that failed because of the storage
  framefarm retry --collection talks --dry-run  how many jobs that would be
  framefarm retry --all --yes")]
pub(super) struct Retry {
    /// Job numbers or IDs
    #[arg(value_name = "JOB", required_unless_present_any = ["all", "class", "queue_type", "collection", "search"])]
    jobs: Vec<String>,

    /// Retry all failed and cancelled jobs
    #[arg(long, conflicts_with = "jobs")]
    all: bool,

    /// Retry jobs with this error class
    #[arg(long, conflicts_with = "jobs")]
    class: Option<ErrorClass>,

    /// Retry jobs of this type
    #[arg(long = "type", value_name = "TYPE", conflicts_with = "jobs")]
    queue_type: Option<QueueType>,

    /// Retry jobs in this collection
    #[arg(long, value_name = "NAME", conflicts_with = "jobs")]
    collection: Option<String>,

    /// Retry jobs whose video title contains this text
    #[arg(long, value_name = "TEXT", conflicts_with = "jobs")]
    search: Option<String>,

    /// Only show how many jobs would be retried
    #[arg(long)]
    dry_run: bool,

    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct Report {
    retried: i64,
    #[serde(flatten)]
    left: LeftAlone,
    dry_run: bool,
}

impl Retry {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.retry(&farm))
    }

    async fn retry(self, farm: &Farm) -> anyhow::Result<()> {
        if !self.jobs.is_empty() {
            return by_name(farm, &self.jobs, self.dry_run, self.common.json).await;
        }
        if !self.dry_run {
            let would: Report = self.matching(farm, true).await?.read()?;
            if would.retried > MANY {
                confirm::ask(self.yes, &format!("Retry {}?", format::count(would.retried, "job")))?;
            }
        }
        let answer = self.matching(farm, self.dry_run).await?;
        tell(&answer, false, self.common.json)
    }

    async fn matching(&self, farm: &Farm, dry_run: bool) -> anyhow::Result<Answer> {
        let asked = [
            ("error_class", self.class.map(|class| class.to_string())),
            ("queue_type", self.queue_type.map(|kind| kind.to_string())),
            ("collection", self.collection.clone()),
            ("search", self.search.clone()),
            ("dry_run", dry_run.then(|| "true".to_owned())),
        ];
        Ok(farm.post(&farm.asking("/api/queue/retry-errors", &asked)).await?)
    }
}

/// Put failed or cancelled jobs back in the queue
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm requeue 12 13")]
pub(super) struct Requeue {
    /// Job numbers or IDs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,

    #[command(flatten)]
    common: Common,
}

impl Requeue {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(by_name(&farm, &self.jobs, false, self.common.json))
    }
}

async fn by_name(farm: &Farm, names: &[String], dry_run: bool, json: bool) -> anyhow::Result<()> {
    let jobs = client::job_ids(farm, names).await?;
    let ids: Vec<String> = jobs.into_iter().map(|job| job.id).collect();
    let answer = farm.post_json("/api/queue/requeue", &json!({ "ids": ids, "dry_run": dry_run })).await?;
    tell(&answer, true, json)
}

fn tell(answer: &Answer, are_named: bool, json: bool) -> anyhow::Result<()> {
    let Report { retried, left, dry_run } = answer.read()?;
    if json {
        output::raw(answer)?;
    } else if retried > 0 || !are_named {
        let done = if dry_run { "would be put back in the queue" } else { "put back in the queue" };
        output::say(&format!("{} {done}.", format::count(retried, "job")))?;
        if let Some(words) = left.words(are_named) {
            output::say(&words)?;
        }
    }
    if are_named { left.refusal(retried) } else { Ok(()) }
}
