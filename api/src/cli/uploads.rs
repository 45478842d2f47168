//! `framefarm uploads`: unfinished uploads of everybody.

use clap::{Args, Subcommand};
use framefarm_shared::id::UploadId;
use reqwest::Method;

use super::client::{Common, Farm};
use super::output::{self, Column, Table};
use super::{Failure, block_on, format};
use crate::auth::Scope;
use crate::responses::uploads::OpenUploads;

/// List and remove unfinished uploads
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm uploads list
  framefarm uploads remove 01990a2c-7b1e-7c3a-9f5e-3b0d5c1a2b3c")]
pub(super) struct UploadsCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    List(List),
    Remove(Remove),
}

/// List the unfinished uploads of all users
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm uploads list --json | jq -r '.items[].id'")]
struct List {
    #[command(flatten)]
    common: Common,
}

/// Remove an unfinished upload and its data
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm uploads remove 01990a2c-7b1e-7c3a-9f5e-3b0d5c1a2b3c")]
struct Remove {
    /// Upload ID, as shown by `framefarm uploads list`
    id: UploadId,

    #[command(flatten)]
    common: Common,
}

impl UploadsCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::List(command) => {
                let farm = command.common.connection.open(Scope::Admin)?;
                block_on(list(command, &farm))
            }
            Action::Remove(command) => {
                let farm = command.common.connection.open(Scope::Admin)?;
                block_on(remove(command, &farm))
            }
        }
    }
}

async fn list(command: List, farm: &Farm) -> anyhow::Result<()> {
    let answer = farm.get("/api/uploads").await?;
    if command.common.json {
        return output::raw(&answer);
    }
    let OpenUploads { items } = answer.read()?;
    if items.is_empty() {
        return output::say("No unfinished uploads.");
    }
    let columns = [
        Column::new("UPLOAD"),
        Column::new("FILE").gives(),
        Column::new("OWNER").gives(),
        Column::new("RECEIVED").right(),
        Column::new("SIZE").right(),
        Column::new("STARTED").right(),
    ];
    let mut table = Table::new(columns);
    for upload in items {
        table.row([
            upload.id.to_string().into(),
            upload.file_name.into(),
            upload.owner.unwrap_or_else(|| "unknown".to_owned()).into(),
            format::bytes(upload.received.unsigned_abs()).into(),
            format::bytes(upload.length.unsigned_abs()).into(),
            format::ago(upload.created_at).into(),
        ]);
    }
    output::print(&table.text())
}

async fn remove(command: Remove, farm: &Farm) -> anyhow::Result<()> {
    let path = farm.below("/api/uploads", &command.id.to_string());
    let request = farm.request(Method::DELETE, &path).header("Tus-Resumable", "1.0.0");
    farm.call(request).await?;
    if command.common.json {
        return output::print("{}\n");
    }
    output::say(&format!("Removed upload {}.", command.id))
}
