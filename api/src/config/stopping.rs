//! How the server stops.

use anyhow::bail;
use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct StoppingSettings {
    /// Seconds that a stopping server keeps serving requests while `/readyz` returns 503, so that a proxy in
    /// front notices in time. A longer drain delays every restart. A second signal skips it
    #[arg(long, env = "FRAMEFARM_DRAIN_SECONDS", default_value_t = 0)]
    pub drain_seconds: u16,
}

impl StoppingSettings {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.drain_seconds > 600 {
            bail!("drain_seconds = {}: must be at most 600 seconds", self.drain_seconds);
        }
        Ok(())
    }
}
