//! `framefarm gc`: delete files and rows that are no longer needed, or show them.

use clap::Args;
use serde_json::json;

use super::client::Common;
use super::output::{self, Cell, Column, Table};
use super::{Failure, block_on, format};
use crate::auth::Scope;
use crate::retention::gc::Report;

/// Delete files and rows that are no longer needed
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm gc --dry-run
  framefarm gc

The farm does the same automatically every few minutes. Files of leftovers, sources and deleted videos are
deleted some minutes later, and are then counted as garbage.")]
pub(super) struct Gc {
    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    common: Common,
}

impl Gc {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(async {
            let answer = farm.post_json("/api/gc", &json!({ "dry_run": self.dry_run })).await?;
            if self.common.json {
                return output::raw(&answer);
            }
            show(&answer.read()?)
        })
    }
}

fn show(report: &Report) -> anyhow::Result<()> {
    const COLUMNS: [Column; 3] =
        [Column::new("KIND"), Column::new("COUNT").right(), Column::new("SIZE").right()];
    let mut table = Table::new(COLUMNS);
    for kind in report.kinds.iter().filter(|kind| kind.count > 0) {
        let size = if kind.bytes > 0 { format::bytes(kind.bytes) } else { String::new() };
        table.row(vec![Cell::from(kind.kind.name().replace('_', " ")), kind.count.into(), size.into()]);
    }
    if report.kinds.iter().all(|kind| kind.count == 0) {
        output::say("Nothing to delete.")?;
    } else {
        output::print(&table.text())?;
    }
    for kind in &report.failed {
        output::say(&format!("{}: deletion failed; see the server's log.", kind.name().replace('_', " ")))?;
    }
    if report.backup_runs {
        output::say("A backup is running: stored files are kept until it is done.")?;
    }
    if report.dry_run {
        output::say("Nothing was deleted. Run without --dry-run to delete.")?;
    }
    Ok(())
}
