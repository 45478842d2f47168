//! `framefarm token`: API tokens, directly on the database. It works while the server runs.

use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use framefarm_shared::clock::Clock;
use framefarm_shared::id::TokenId;

use super::{Failure, block_on, output, settings, single};
use crate::app::{self, App};
use crate::auth::{Scope, token};
use crate::config::Settings;
use crate::instance_lock::{InstanceLock, LockError};
use crate::storage;

/// Whoever may open the database is the admin.
const ACTOR: &str = "admin";

/// Make, list and revoke API tokens
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm token create --name ci --scope upload
  framefarm token list
  framefarm token revoke 01990a2c-7b1e-7c3a-9f5e-3b0d5c1a2b3c")]
pub(super) struct TokenCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Create(Create),
    List(List),
    Revoke(Revoke),
}

/// Make a token and print it, once
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm token create --name ci --scope upload")]
struct Create {
    /// What it is for; it appears in the timeline
    #[arg(long)]
    name: String,
    /// What it may do
    #[arg(long, value_enum)]
    scope: Scope,
    #[command(flatten)]
    settings: Settings,
}

/// List tokens, without their secrets
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm token list --data-dir /var/lib/framefarm")]
struct List {
    #[command(flatten)]
    settings: Settings,
}

/// End a token
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm token revoke 01990a2c-7b1e-7c3a-9f5e-3b0d5c1a2b3c")]
struct Revoke {
    /// As `framefarm token list` shows it
    id: TokenId,
    #[command(flatten)]
    settings: Settings,
}

impl TokenCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Create(command) => {
                block_on(create(settings::checked(command.settings)?, command.name, command.scope))
            }
            Action::List(command) => block_on(list(settings::checked(command.settings)?)),
            Action::Revoke(command) => block_on(revoke(settings::checked(command.settings)?, command.id)),
        }
    }
}

/// Where a server runs already, the database is up to date and is only visited.
async fn open(settings: Settings) -> anyhow::Result<(App, Option<InstanceLock>)> {
    let clock = Clock::system();
    match single::lock(&settings, &clock) {
        Ok(lock) => Ok((App::start(settings, clock).await?, lock)),
        Err(error) if matches!(error.downcast_ref(), Some(LockError::Held { .. })) => {
            let db = app::connect(&settings).await?;
            Ok((App::assemble(settings, clock, db, &storage::process_variables()).await?, None))
        }
        Err(error) => Err(error),
    }
}

async fn create(settings: Settings, name: String, scope: Scope) -> anyhow::Result<()> {
    let (app, _lock) = open(settings).await?;
    let (_, secret) = token::create(&app, &name, scope, ACTOR).await?;
    println!("{secret}");
    Ok(())
}

async fn list(settings: Settings) -> anyhow::Result<()> {
    let (app, _lock) = open(settings).await?;
    for token in token::list(&app).await? {
        let used = token.last_used_at.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true));
        output::say(&format!(
            "{}  {:6}  {}  last used {}",
            token.id,
            token.scope.to_string(),
            token.name,
            used.as_deref().unwrap_or("never")
        ))?;
    }
    Ok(())
}

async fn revoke(settings: Settings, id: TokenId) -> anyhow::Result<()> {
    let (app, _lock) = open(settings).await?;
    token::revoke(&app, id, ACTOR).await?;
    println!("revoked");
    Ok(())
}
