//! `framefarm collections`.

use clap::Args;
use serde::Deserialize;

use super::answers::Depth;
use super::client::{Common, Farm};
use super::output::{self, Column, Table};
use super::{Failure, block_on, format};
use crate::auth::Scope;

/// List collections with their settings and counts
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm collections
  framefarm collections --json | jq -r '.collections[].name'")]
pub(super) struct Collections {
    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct All {
    collections: Vec<Collection>,
}

#[derive(Deserialize)]
struct Collection {
    name: String,
    ladder: Option<String>,
    priority: i32,
    completed_retention_days: Option<i32>,
    source_retention: Option<String>,
    videos: i64,
    jobs: Depth,
}

impl Collections {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = farm.get("/api/collections").await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let All { collections } = answer.read()?;
        if collections.is_empty() {
            return output::say("No collections yet.");
        }
        output::print(&lines(collections).text())
    }
}

fn lines(collections: Vec<Collection>) -> Table {
    let columns = [
        Column::new("COLLECTION").gives(),
        Column::new("VIDEOS").right(),
        Column::new("WAITING").right(),
        Column::new("RUNNING").right(),
        Column::new("FAILED").right(),
        Column::new("PRIORITY").right(),
        Column::new("LADDER").gives(),
        Column::new("SOURCE RETENTION").optional(),
        Column::new("JOB RETENTION").optional(),
    ];
    let mut table = Table::new(columns);
    let farms = || "default".to_owned();
    for collection in collections {
        let sources = collection.source_retention.map(|rule| match rule.parse::<u32>() {
            Ok(days) => format::count(days.into(), "day"),
            Err(_) => rule.replace('_', " "),
        });
        table.row([
            collection.name.into(),
            collection.videos.into(),
            collection.jobs.pending.into(),
            collection.jobs.running.into(),
            collection.jobs.errors.into(),
            collection.priority.into(),
            collection.ladder.unwrap_or_else(farms).into(),
            sources.unwrap_or_else(farms).into(),
            collection
                .completed_retention_days
                .map_or_else(farms, |days| format::count(days.into(), "day"))
                .into(),
        ]);
    }
    table
}
