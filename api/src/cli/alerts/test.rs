//! `framefarm alerts test`.

use clap::Args;
use serde::Deserialize;

use super::deliveries::Delivery;
use super::endpoints::named;
use crate::auth::Scope;
use crate::cli::client::{Common, Farm};
use crate::cli::{Failure, block_on, output};

/// Send a test message to an endpoint and show the result
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm alerts test ops")]
pub(super) struct Test {
    /// Endpoint name or ID
    #[arg(value_name = "ENDPOINT")]
    name: String,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct Tested {
    delivery: Delivery,
    attempts: Vec<Try>,
}

#[derive(Deserialize)]
struct Try {
    duration_ms: i64,
    status_code: Option<i32>,
}

impl Test {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.send(&farm))
    }

    async fn send(self, farm: &Farm) -> anyhow::Result<()> {
        let endpoint = named(farm, &self.name).await?;
        let path = format!("{}/test", farm.below("/api/alerts/endpoints", &endpoint.id));
        let answer = farm.post(&path).await?;
        let Tested { delivery, attempts } = answer.read()?;
        if self.common.json {
            output::raw(&answer)?;
        }
        if delivery.status != "delivered" {
            let why = delivery.last_error.unwrap_or(delivery.status);
            anyhow::bail!("test to {} failed: {why}", endpoint.name);
        }
        if self.common.json {
            return Ok(());
        }
        let last = attempts.last();
        let answered = last.and_then(|one| Some(format!(" (HTTP {})", one.status_code?))).unwrap_or_default();
        let took = last.map(|one| format!(" in {} ms", one.duration_ms)).unwrap_or_default();
        output::say(&format!("Test delivered to {}{took}{answered}.", endpoint.name))
    }
}
