//! `framefarm alerts deliveries`.

use chrono::{DateTime, Utc};
use clap::Args;
use serde::Deserialize;

use super::endpoints::named;
use crate::auth::Scope;
use crate::cli::client::{Common, Farm, list};
use crate::cli::output::{self, Cell, Column, Table};
use crate::cli::{Failure, block_on, format};

/// List sent and pending alert deliveries, newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm alerts deliveries --endpoint ops
  framefarm alerts deliveries --status failed --json | jq -r '.items[].id'")]
pub(super) struct Deliveries {
    /// Only deliveries to this endpoint (name or ID)
    #[arg(long, value_name = "ENDPOINT")]
    endpoint: Option<String>,

    /// Only deliveries with this status
    #[arg(long)]
    status: Option<String>,

    /// Maximum number of deliveries to list
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
pub(super) struct Delivery {
    pub(super) id: String,
    pub(super) endpoint_name: String,
    alert_type: Option<String>,
    title: String,
    pub(super) status: String,
    attempts: i64,
    next_attempt_at: Option<DateTime<Utc>>,
    pub(super) last_error: Option<String>,
    created_at: DateTime<Utc>,
}

impl Deliveries {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let endpoint = match &self.endpoint {
            Some(name) => Some(named(farm, name).await?.id),
            None => None,
        };
        let asked = [("endpoint", endpoint), ("status", self.status)];
        let page = list(farm, "/api/alerts/deliveries", &asked, self.limit as usize).await?;
        if self.common.json {
            return output::json(&page);
        }
        let table = lines(page.read()?);
        if table.is_empty() {
            return output::say("No deliveries found.");
        }
        output::print(&table.text())
    }
}

fn lines(deliveries: Vec<Delivery>) -> Table {
    let columns = [
        Column::new("CREATED").right(),
        Column::new("ENDPOINT").gives(),
        Column::new("ALERT").gives(),
        Column::new("STATUS"),
        Column::new("ATTEMPTS").right(),
        Column::new("NEXT ATTEMPT").right(),
        Column::new("ERROR").gives(),
        Column::new("ID"),
    ];
    let mut table = Table::new(columns);
    for delivery in deliveries {
        table.row([
            format::ago(delivery.created_at).into(),
            delivery.endpoint_name.into(),
            delivery.alert_type.unwrap_or(delivery.title).into(),
            Cell::state(&delivery.status),
            delivery.attempts.into(),
            delivery.next_attempt_at.map(format::ago).unwrap_or_default().into(),
            delivery.last_error.unwrap_or_default().into(),
            delivery.id.into(),
        ]);
    }
    table
}
