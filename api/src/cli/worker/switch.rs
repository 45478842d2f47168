//! `framefarm worker drain`, `disable`, `enable` and `delete`.

use clap::Args;
use reqwest::Method;
use serde_json::json;

use crate::auth::Scope;
use crate::cli::client::{self, Common, Farm};
use crate::cli::{Failure, block_on, confirm, output};

/// Let a worker finish its jobs and accept no new ones
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm worker drain north          before you shut down its machine
  framefarm worker drain north --end    accept jobs again")]
pub(super) struct Drain {
    /// Worker name or ID
    #[arg(value_name = "WORKER")]
    name: String,

    /// Stop draining; the worker accepts jobs again
    #[arg(long)]
    end: bool,

    #[command(flatten)]
    common: Common,
}

impl Drain {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.switch(&farm))
    }

    async fn switch(self, farm: &Farm) -> anyhow::Result<()> {
        let worker = client::worker(farm, &self.name).await?;
        let path = format!("{}/drain", farm.below("/api/workers", &worker.id));
        let answer = farm.post_json(&path, &json!({ "draining": !self.end })).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let held = match worker.jobs.len() {
            _ if self.end => "accepts jobs again",
            0 => "has no jobs and accepts no new ones",
            _ => "finishes its jobs and accepts no new ones",
        };
        output::say(&format!("{} {held}.", worker.name))
    }
}

/// Disable a worker; its jobs go back to the queue
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker disable north")]
pub(super) struct Disable {
    /// Worker name or ID
    #[arg(value_name = "WORKER")]
    name: String,

    #[command(flatten)]
    common: Common,
}

impl Disable {
    pub(super) fn run(self) -> Result<(), Failure> {
        let words = "is disabled; its jobs went back to the queue";
        post(&self.common, &self.name, "disable", words)
    }
}

/// Enable a disabled worker
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker enable north")]
pub(super) struct Enable {
    /// Worker name or ID
    #[arg(value_name = "WORKER")]
    name: String,

    #[command(flatten)]
    common: Common,
}

impl Enable {
    pub(super) fn run(self) -> Result<(), Failure> {
        post(&self.common, &self.name, "enable", "is enabled")
    }
}

/// One call without a body, whose answer is the worker.
pub(super) fn post(common: &Common, name: &str, action: &str, words: &str) -> Result<(), Failure> {
    let farm = common.connection.open(Scope::Admin)?;
    block_on(async {
        let worker = client::worker(&farm, name).await?;
        let answer = farm.post(&format!("{}/{action}", farm.below("/api/workers", &worker.id))).await?;
        if common.json {
            return output::raw(&answer);
        }
        output::say(&format!("{} {words}.", worker.name))
    })
}

/// Delete a worker; its jobs go back to the queue
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker delete north --yes")]
pub(super) struct Delete {
    /// Worker name or ID
    #[arg(value_name = "WORKER")]
    name: String,

    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    common: Common,
}

impl Delete {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.delete(&farm))
    }

    async fn delete(self, farm: &Farm) -> anyhow::Result<()> {
        let worker = client::worker(farm, &self.name).await?;
        let held = worker.jobs.len();
        let question = format!("Delete {} (jobs: {held})? Its key stops working.", worker.name);
        confirm::ask(self.yes, &question)?;
        farm.call(farm.request(Method::DELETE, &farm.below("/api/workers", &worker.id))).await?;
        if self.common.json {
            return output::json(&json!({ "deleted": worker.id }));
        }
        output::say(&format!("Deleted {}.", worker.name))
    }
}
