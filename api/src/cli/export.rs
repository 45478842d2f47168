//! `framefarm export`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::client::{Connection, Farm};
use super::{Failure, block_on, output};
use crate::auth::Scope;

/// Export all jobs of the queue, with their videos and attempts, as one JSON document
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm export > queue.json
  framefarm export --output queue.json")]
pub(super) struct Export {
    /// Write to this file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Accepted for consistency; the output is always JSON
    #[arg(long, hide = true)]
    json: bool,

    #[command(flatten)]
    connection: Connection,
}

impl Export {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.connection.open(Scope::Admin)?;
        block_on(self.export(&farm))
    }

    async fn export(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = farm.get("/api/queue/export").await?;
        match self.output {
            Some(path) => {
                std::fs::write(&path, &answer.0).with_context(|| format!("cannot write {}", path.display()))
            }
            None => output::raw(&answer),
        }
    }
}
