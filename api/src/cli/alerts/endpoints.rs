//! `framefarm alerts endpoints`.

use chrono::{DateTime, Utc};
use clap::Args;
use serde::Deserialize;

use crate::auth::Scope;
use crate::cli::client::{Common, Farm};
use crate::cli::exit::{Ended, Exit};
use crate::cli::output::{self, Cell, Column, Table, Tone};
use crate::cli::{Failure, block_on, format};

/// List the endpoints that receive alerts
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm alerts endpoints")]
pub(super) struct Endpoints {
    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct All {
    items: Vec<Endpoint>,
}

#[derive(Deserialize)]
pub(super) struct Endpoint {
    pub(super) id: String,
    pub(super) name: String,
    kind: String,
    address: String,
    alert_types: Vec<String>,
    enabled: bool,
    disabled_reason: Option<String>,
    paused_until: Option<DateTime<Utc>>,
    last_success_at: Option<DateTime<Utc>>,
    last_error: Option<String>,
    failures: i64,
}

impl Endpoints {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = farm.get("/api/alerts/endpoints").await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let All { items } = answer.read()?;
        if items.is_empty() {
            return output::say(
                "No alert endpoints: add one on the page, or set alert_webhook_url on the server.",
            );
        }
        output::print(&lines(items).text())
    }
}

fn lines(endpoints: Vec<Endpoint>) -> Table {
    let columns = [
        Column::new("ENDPOINT").gives(),
        Column::new("KIND"),
        Column::new("STATE"),
        Column::new("LAST DELIVERY").right(),
        Column::new("ADDRESS").gives(),
        Column::new("ERROR").gives(),
        Column::new("ALERTS").right().optional(),
        Column::new("ID").optional(),
    ];
    let mut table = Table::new(columns);
    for endpoint in endpoints {
        let state = match (endpoint.enabled, endpoint.paused_until) {
            (false, _) => Cell::state("disabled"),
            (true, Some(_)) => Cell::state("paused"),
            (true, None) => Cell::toned("enabled", Tone::Good),
        };
        let error = endpoint.disabled_reason.or(endpoint.last_error.filter(|_| endpoint.failures > 0));
        table.row([
            endpoint.name.into(),
            endpoint.kind.into(),
            state,
            endpoint.last_success_at.map_or_else(|| "never".to_owned(), format::ago).into(),
            endpoint.address.into(),
            Cell::toned(error.unwrap_or_default(), Tone::Bad),
            format::count(i64::try_from(endpoint.alert_types.len()).unwrap_or(i64::MAX), "type").into(),
            endpoint.id.into(),
        ]);
    }
    table
}

/// An endpoint by its name or id.
pub(super) async fn named(farm: &Farm, name: &str) -> anyhow::Result<Endpoint> {
    let All { items } = farm.get("/api/alerts/endpoints").await?.read()?;
    let mut found = items.into_iter().filter(|endpoint| endpoint.id == name || endpoint.name == name);
    found.next().ok_or_else(|| {
        let words = format!("There is no endpoint `{name}`; `framefarm alerts endpoints` lists them.");
        Ended::with(Exit::NotFound, words)
    })
}
