//! `framefarm worker drain`, `disable`, `enable` and `delete`.

use clap::Args;
use reqwest::Method;
use serde_json::json;

use crate::auth::Scope;
use crate::cli::client::{self, Common, Farm};
use crate::cli::{Failure, block_on, confirm, output};

/// Let a worker finish what it holds and claim nothing more
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm worker drain north          before its machine is switched off
  framefarm worker drain north --end    it claims again")]
pub(super) struct Drain {
    /// Its name, or its id
    #[arg(value_name = "WORKER")]
    name: String,

    /// Let it claim again
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
            _ if self.end => "claims again",
            0 => "holds nothing and claims nothing more",
            _ => "finishes what it holds and claims nothing more",
        };
        output::say(&format!("{} {held}.", worker.name))
    }
}

/// Switch a worker off; what it holds goes back to the queue
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker disable north")]
pub(super) struct Disable {
    /// Its name, or its id
    #[arg(value_name = "WORKER")]
    name: String,

    #[command(flatten)]
    common: Common,
}

impl Disable {
    pub(super) fn run(self) -> Result<(), Failure> {
        let words = "is switched off; what it held is back in the queue";
        post(&self.common, &self.name, "disable", words)
    }
}

/// Switch a worker on again
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker enable north")]
pub(super) struct Enable {
    /// Its name, or its id
    #[arg(value_name = "WORKER")]
    name: String,

    #[command(flatten)]
    common: Common,
}

impl Enable {
    pub(super) fn run(self) -> Result<(), Failure> {
        post(&self.common, &self.name, "enable", "is switched on")
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

/// Forget a worker; what it holds goes back to the queue
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker delete north --yes")]
pub(super) struct Delete {
    /// Its name, or its id
    #[arg(value_name = "WORKER")]
    name: String,

    /// Do not ask
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
        confirm::ask(self.yes, &format!("Forget {}, which holds {held} jobs? Its key ends.", worker.name))?;
        farm.call(farm.request(Method::DELETE, &farm.below("/api/workers", &worker.id))).await?;
        if self.common.json {
            return output::json(&json!({ "deleted": worker.id }));
        }
        output::say(&format!("{} is forgotten.", worker.name))
    }
}
