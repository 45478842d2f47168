//! `framefarm token`: API tokens, directly on the database. It works while the server runs.

use chrono::{DateTime, SecondsFormat, Utc};
use clap::{Args, Subcommand};
use framefarm_shared::clock::Clock;
use framefarm_shared::id::TokenId;

use super::existing::existing;
use super::{Failure, block_on, output, settings, single};
use crate::app::{self, App};
use crate::auth::Scope;
use crate::auth::token::{self, NewToken, Token};
use crate::config::Settings;
use crate::instance_lock::{InstanceLock, LockError};
use crate::storage;

/// Whoever may open the database is the admin.
const ACTOR: &str = "admin";

/// Create, list and revoke API tokens
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm token create --name ci --scope upload
  framefarm token create --name dropbox --scope upload_only --collection news --expires 90
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

/// Create a token and print it once
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm token create --name ci --scope upload")]
struct Create {
    /// Name of the token; shown in timelines and the audit log
    #[arg(long)]
    name: String,
    /// What the token can do
    #[arg(long, value_enum)]
    scope: Scope,
    /// Days until the token expires; never if omitted
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    expires: Option<u32>,
    /// The only collection it can upload to; requires `--scope upload_only`
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
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

/// Revoke a token
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm token revoke 01990a2c-7b1e-7c3a-9f5e-3b0d5c1a2b3c")]
struct Revoke {
    /// Token ID, as shown by `framefarm token list`
    id: TokenId,
    #[command(flatten)]
    settings: Settings,
}

impl TokenCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Create(Create { name, scope, expires, collection, settings }) => {
                block_on(create(settings::checked(settings)?, name, scope, expires, collection))
            }
            Action::List(command) => block_on(list(settings::checked(command.settings)?)),
            Action::Revoke(command) => block_on(revoke(settings::checked(command.settings)?, command.id)),
        }
    }
}

/// Where a server runs already, the database is up to date and is only visited.
async fn open(settings: Settings) -> anyhow::Result<(App, Option<InstanceLock>)> {
    let settings = existing(settings)?;
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

async fn create(
    settings: Settings,
    name: String,
    scope: Scope,
    days: Option<u32>,
    collection: Option<String>,
) -> anyhow::Result<()> {
    let (app, _lock) = open(settings).await?;
    let expires_at = days.map(|days| app.clock.now() + chrono::Duration::days(days.into()));
    let (_, secret) =
        token::create_with(&app, NewToken { name, scope, expires_at, collection }, ACTOR).await?;
    println!("{secret}");
    Ok(())
}

async fn list(settings: Settings) -> anyhow::Result<()> {
    let (app, _lock) = open(settings).await?;
    for token in token::list(&app).await? {
        output::say(&line(&token))?;
    }
    Ok(())
}

fn line(token: &Token) -> String {
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let used = token.last_used_at.map_or_else(|| "never".to_owned(), time);
    let ends = token.expires_at.map(|at| format!("  expires {}", time(at))).unwrap_or_default();
    let bound = token.collection.as_ref().map(|name| format!("  collection {name}")).unwrap_or_default();
    format!("{}  {:11}  {}  last used {used}{ends}{bound}", token.id, token.scope.to_string(), token.name)
}

async fn revoke(settings: Settings, id: TokenId) -> anyhow::Result<()> {
    let (app, _lock) = open(settings).await?;
    token::revoke(&app, id, ACTOR).await?;
    println!("Token revoked.");
    Ok(())
}
