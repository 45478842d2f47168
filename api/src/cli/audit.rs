//! `framefarm audit`.

use clap::{Args, Subcommand};
use reqwest::Method;

use super::answers::Event;
use super::client::{Common, Connection, Farm, answer, list};
use super::output::{self, Column, Table};
use super::{Failure, block_on, format};
use crate::auth::Scope;

/// Show the audit log (who did what), newest first
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Examples:
  framefarm audit --limit 20
  framefarm audit export > audit.jsonl
  framefarm audit --json | jq -r '.items[] | [.at, .actor, .kind] | @tsv'")]
pub(super) struct Audit {
    #[command(subcommand)]
    action: Option<Action>,

    /// Maximum number of events to show
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    Export(Export),
}

/// Write the whole audit log as JSON lines, oldest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm audit export > audit.jsonl
  framefarm audit export --after 1200 >> audit.jsonl")]
struct Export {
    /// Only events after the event with this ID
    #[arg(long, value_name = "ID")]
    after: Option<u64>,

    #[command(flatten)]
    connection: Connection,
}

impl Export {
    fn run(self) -> Result<(), Failure> {
        let farm = self.connection.open(Scope::Admin)?;
        block_on(async {
            let path = farm.asking("/api/audit/export", &[("after", self.after.map(|id| id.to_string()))]);
            let mut response = answer(farm.request(Method::GET, &path), farm.needs()).await?;
            while let Some(lines) = response.chunk().await? {
                output::bytes(&lines)?;
            }
            Ok(())
        })
    }
}

impl Audit {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Some(Action::Export(export)) = self.action {
            return export.run();
        }
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
            return output::say("No events yet.");
        }
        output::print(&table.text())
    }
}

/// What happened, a line each.
pub(super) fn lines(events: &[Event]) -> Table {
    let columns = [
        Column::new("WHEN").right(),
        Column::new("ACTOR").gives(),
        Column::new("EVENT"),
        Column::new("REASON").gives(),
        Column::new("TIME (UTC)").optional(),
    ];
    let mut table = Table::new(columns);
    for event in events {
        table.row([
            format::ago(event.at).into(),
            event.actor.clone().into(),
            event.words().into(),
            event.reason.clone().unwrap_or_default().into(),
            event.at.format("%Y-%m-%d %H:%M:%S").into(),
        ]);
    }
    table
}
