//! `framefarm worker rotate-key` and `revoke-key`.

use clap::Args;
use serde::Deserialize;

use super::switch;
use crate::auth::Scope;
use crate::cli::client::{self, Common, Farm};
use crate::cli::{Failure, block_on, confirm, output};

/// Replace a worker's key and print the new one once; the old key stops working
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker rotate-key north > /etc/framefarm/worker.key")]
pub(super) struct RotateKey {
    /// Worker name or ID
    #[arg(value_name = "WORKER")]
    name: String,

    /// Do not ask for confirmation
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
            &format!("Replace the key of {}? It can continue only with the new key.", worker.name),
        )?;
        let path = format!("{}/rotate-key", farm.below("/api/workers", &worker.id));
        let answer = farm.post(&path).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        output::say(&answer.read::<NewKey>()?.api_key)
    }
}

/// Revoke a worker's key and its claims
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker revoke-key north --yes")]
pub(super) struct RevokeKey {
    /// Worker name or ID
    #[arg(value_name = "WORKER")]
    name: String,

    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    common: Common,
}

impl RevokeKey {
    pub(super) fn run(self) -> Result<(), Failure> {
        let question = format!("Revoke the key of {}? Its jobs go back to the queue.", self.name);
        confirm::ask(self.yes, &question)?;
        switch::post(&self.common, &self.name, "revoke-key", "no longer has a key")
    }
}
