//! `framefarm alerts list`.

use chrono::{DateTime, Utc};
use clap::Args;
use serde::Deserialize;

use crate::auth::Scope;
use crate::cli::client::{Answer, Common, Farm};
use crate::cli::output::{self, Cell, Column, Table, Tone};
use crate::cli::{Failure, block_on, format};

/// List all alert types and their state
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm alerts list
  framefarm alerts list --firing --json | jq -r '.items[] | select(.firing) | .alert_type'")]
pub(super) struct List {
    /// Only alerts that are firing
    #[arg(long)]
    firing: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct Alerts {
    items: Vec<Alert>,
}

#[derive(Deserialize)]
struct Alert {
    #[serde(rename = "alert_type")]
    kind: String,
    firing: bool,
    since: Option<DateTime<Utc>>,
    incidents: Vec<Incident>,
    last_at: Option<DateTime<Utc>>,
    last_sent_at: Option<DateTime<Utc>>,
    last_text: Option<String>,
    suppressed: i64,
}

#[derive(Deserialize)]
struct Incident {
    since: DateTime<Utc>,
    text: String,
}

impl List {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = farm.get("/api/alerts").await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let Alerts { items } = answer.read()?;
        let table = lines(items.into_iter().filter(|alert| alert.firing || !self.firing));
        if table.is_empty() {
            return output::say("No alert is firing.");
        }
        output::print(&table.text())
    }
}

fn lines(alerts: impl Iterator<Item = Alert>) -> Table {
    let columns = [
        Column::new("ALERT"),
        Column::new("STATE"),
        Column::new("SINCE").right(),
        Column::new("LAST SENT").right(),
        Column::new("MESSAGE").gives(),
        Column::new("SUPPRESSED").right().optional(),
    ];
    let mut table = Table::new(columns);
    for alert in alerts {
        let text = alert.incidents.first().map(|incident| incident.text.clone()).or(alert.last_text);
        let state = if alert.firing { Cell::state("firing") } else { Cell::toned("inactive", Tone::Faint) };
        table.row([
            alert.kind.into(),
            state,
            alert.since.or(alert.last_at).map(format::ago).unwrap_or_default().into(),
            alert.last_sent_at.map(format::ago).unwrap_or_default().into(),
            text.unwrap_or_default().into(),
            if alert.suppressed == 0 { Cell::default() } else { alert.suppressed.into() },
        ]);
    }
    table
}

/// The firing alerts, a sentence each.
pub(crate) fn firing(answer: &Answer) -> anyhow::Result<Vec<String>> {
    let Alerts { items } = answer.read()?;
    let mut sentences = Vec::new();
    for alert in items.iter().filter(|alert| alert.firing) {
        for incident in &alert.incidents {
            let since = format::since(incident.since);
            sentences.push(format!("{}: {} (for {since})", alert.kind, incident.text));
        }
    }
    Ok(sentences)
}
