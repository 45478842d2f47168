//! `framefarm alerts replay`.

use clap::Args;

use super::deliveries::Delivery;
use crate::auth::Scope;
use crate::cli::client::{Common, Farm};
use crate::cli::{Failure, block_on, output};

/// Resend a delivery
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm alerts replay 0199a2c3-7b1e-7c3a-9f5e-3b0d5c1a2b3c")]
pub(super) struct Replay {
    /// Delivery ID, as shown by `framefarm alerts deliveries`
    #[arg(value_name = "DELIVERY")]
    id: String,

    #[command(flatten)]
    common: Common,
}

impl Replay {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.replay(&farm))
    }

    async fn replay(self, farm: &Farm) -> anyhow::Result<()> {
        let path = format!("{}/replay", farm.below("/api/alerts/deliveries", &self.id));
        let answer = farm.post(&path).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let delivery: Delivery = answer.read()?;
        output::say(&format!("Resending to {} as delivery {}.", delivery.endpoint_name, delivery.id))
    }
}
