//! `framefarm audit`.

use clap::Args;

use super::answers::Event;
use super::client::{Common, Farm, list};
use super::output::{self, Column, Table};
use super::{Failure, block_on, words};
use crate::auth::Scope;

/// Show who did what, newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm audit --limit 20
  framefarm audit --json | jq -r '.items[] | [.at, .actor, .kind] | @tsv'")]
pub(super) struct Audit {
    /// The most lines
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    #[command(flatten)]
    common: Common,
}

impl Audit {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let page = list(farm, "/api/audit", &[], self.limit as usize).await?;
        if self.common.json {
            return output::json(&page);
        }
        let table = lines(&page.read::<Event>()?);
        if table.is_empty() {
            return output::say("Nothing happened yet.");
        }
        output::print(&table.text())
    }
}

/// What happened, a line each.
pub(super) fn lines(events: &[Event]) -> Table {
    let columns = [
        Column::new("WHEN").right(),
        Column::new("WHO").gives(),
        Column::new("WHAT"),
        Column::new("WHY").gives(),
        Column::new("AT (UTC)").optional(),
    ];
    let mut table = Table::new(columns);
    for event in events {
        table.row([
            words::ago(event.at).into(),
            event.actor.clone().into(),
            event.words().into(),
            event.reason.clone().unwrap_or_default().into(),
            event.at.format("%Y-%m-%d %H:%M:%S").into(),
        ]);
    }
    table
}
