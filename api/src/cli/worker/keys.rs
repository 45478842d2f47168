//! `framefarm worker rotate-key` and `revoke-key`.

use clap::Args;
use serde::Deserialize;

use super::switch;
use crate::auth::Scope;
use crate::cli::client::{self, Common, Farm};
use crate::cli::{Failure, block_on, confirm, output};

/// Give a worker a new key and print it, once; the old one ends
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker rotate-key north > /etc/framefarm/worker.key")]
pub(super) struct RotateKey {
    /// Its name, or its id
    #[arg(value_name = "WORKER")]
    name: String,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct NewKey {
    api_key: String,
}

impl RotateKey {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.rotate(&farm))
    }

    async fn rotate(self, farm: &Farm) -> anyhow::Result<()> {
        let worker = client::worker(farm, &self.name).await?;
        confirm::ask(
            self.yes,
            &format!("End the key of {}? It works on only with the new one.", worker.name),
        )?;
        let path = format!("{}/rotate-key", farm.below("/api/workers", &worker.id));
        let answer = farm.post(&path).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        output::say(&answer.read::<NewKey>()?.api_key)
    }
}

/// End a worker's key and its claims
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker revoke-key north --yes")]
pub(super) struct RevokeKey {
    /// Its name, or its id
    #[arg(value_name = "WORKER")]
    name: String,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    common: Common,
}

impl RevokeKey {
    pub(super) fn run(self) -> Result<(), Failure> {
        let question = format!("End the key of {}? What it holds goes back to the queue.", self.name);
        confirm::ask(self.yes, &question)?;
        switch::post(&self.common, &self.name, "revoke-key", "has no key any more")
    }
}
