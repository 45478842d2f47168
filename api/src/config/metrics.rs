//! Settings of `/metrics`.

use anyhow::bail;
use clap::Args;

use crate::edge::Networks;

#[derive(Clone, Debug, Args)]
pub struct MetricsSettings {
    /// Addresses and networks, separated by commas, from which `/metrics` is read without a token: this machine. Empty asks
    /// everybody for one. Who comes through a proxy on this machine is asked too, as far as the proxy can be told from its
    /// requests: name it in `trusted_proxies`, and its clients are known
    #[arg(long, env = "FRAMEFARM_METRICS_NETWORKS", default_value = "127.0.0.0/8,::1/128")]
    pub metrics_networks: Networks,

    /// Seconds for which figures that come from the database are kept between scrapes. Fewer ask it more often; what took
    /// long is kept longer by itself, and 0 keeps nothing
    #[arg(long, env = "FRAMEFARM_METRICS_CACHE_SECONDS", default_value_t = 5)]
    pub metrics_cache_seconds: u16,
}

impl MetricsSettings {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.metrics_cache_seconds > 3600 {
            bail!("metrics_cache_seconds = {}: must be at most 3600", self.metrics_cache_seconds);
        }
        Ok(())
    }
}
