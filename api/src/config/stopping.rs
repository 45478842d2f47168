//! How the server stops.

use anyhow::bail;
use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct StoppingSettings {
    /// Seconds for which a server that was told to stop goes on serving while `/readyz` says 503: as long as a proxy in front
    /// takes to notice. A second signal does not wait
    #[arg(long, env = "FRAMEFARM_DRAIN_SECONDS", default_value_t = 0)]
    pub drain_seconds: u16,
}

impl StoppingSettings {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.drain_seconds > 600 {
            bail!("drain_seconds = {}: must be at most 600", self.drain_seconds);
        }
        Ok(())
    }
}
