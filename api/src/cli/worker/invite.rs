//! `framefarm worker invite`.

use chrono::{DateTime, Utc};
use clap::Args;
use serde::Deserialize;

use crate::auth::Scope;
use crate::cli::client::{Answer, Common, Farm};
use crate::cli::{Failure, block_on, format, output};

/// Print the command that joins another machine as a worker
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker invite --api https://farm.example.org")]
pub(super) struct Invite {
    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
pub(super) struct Invitation {
    pub(super) token: String,
    expires_at: DateTime<Utc>,
    url: Option<String>,
}

/// A new one; whoever comes first with its token is registered.
pub(super) async fn invitation(farm: &Farm) -> anyhow::Result<Answer> {
    Ok(farm.post("/api/workers/invitations").await?)
}

impl Invite {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.invite(&farm))
    }

    async fn invite(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = invitation(farm).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let Invitation { token, expires_at, url } = answer.read()?;
        let api = url.as_deref().unwrap_or(farm.address());
        eprintln!("Run this on the other machine within {}:", format::until(expires_at));
        output::say(&format!("framefarm-worker run --api {api} --join {token} --scratch /var/tmp/framefarm"))
    }
}
