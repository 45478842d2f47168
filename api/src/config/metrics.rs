//! Settings of `/metrics`.

use anyhow::bail;
use clap::Args;

use crate::proxy::Networks;

#[derive(Clone, Debug, Args)]
pub struct MetricsSettings {
    /// Addresses and networks, comma-separated, that can read `/metrics` without a token; by default this
    /// machine. Empty requires a token from everyone. Requests through a proxy on this machine need a token
    /// if their headers reveal the proxy; list it in `trusted_proxies` to identify its clients
    #[arg(long, env = "FRAMEFARM_METRICS_NETWORKS", default_value = "127.0.0.0/8,::1/128")]
    pub metrics_networks: Networks,

    /// Seconds that metrics from the database are cached between scrapes. A lower value queries the database
    /// more often; results of slow queries are automatically cached longer, and 0 disables the cache
    #[arg(long, env = "FRAMEFARM_METRICS_CACHE_SECONDS", default_value_t = 5)]
    pub metrics_cache_seconds: u16,
}

impl MetricsSettings {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.metrics_cache_seconds > 3600 {
            bail!("metrics_cache_seconds = {}: must be at most 3600 seconds", self.metrics_cache_seconds);
        }
        Ok(())
    }
}
