//! `framefarm worker register`.

use clap::Args;
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::invite::{Invitation, invitation};
use crate::auth::Scope;
use crate::cli::client::{Common, Farm};
use crate::cli::{Failure, block_on, output};

/// Register a worker and print its key once
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm worker register --name north > worker.key
  FRAMEFARM_WORKER_KEY=$(cat worker.key) framefarm-worker run --api https://farm.example.org --scratch /var/tmp/framefarm")]
pub(super) struct Register {
    /// Name of the worker
    #[arg(long)]
    name: String,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct Registered {
    api_key: String,
}

impl Register {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.register(&farm))
    }

    /// Registering takes an invitation, and an admin can write one.
    async fn register(self, farm: &Farm) -> anyhow::Result<()> {
        let Invitation { token, .. } = invitation(farm).await?.read()?;
        let request = farm.request(Method::POST, "/api/worker/register");
        let request = request.header("x-invitation", token).json(&json!({ "name": self.name }));
        let answer = farm.call(request).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        output::say(&answer.read::<Registered>()?.api_key)
    }
}
