//! `framefarm export`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::client::{Connection, Farm};
use super::{Failure, block_on, output};
use crate::auth::Scope;

/// Write every job of the queue, with its video and its attempts, as one JSON document
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm export > queue.json
  framefarm export --output queue.json")]
pub(super) struct Export {
    /// Into this file; stdout if absent
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// It is JSON in any case
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
