//! Settings of traces.

use clap::Args;
use framefarm_traces::OtlpEndpoint;

#[derive(Clone, Debug, Args)]
pub struct TracesSettings {
    /// Collector that takes traces by OTLP over HTTP, like `http://collector:4318`; `/v1/traces` is added. The worker of this
    /// machine uses it too. Each job costs a few spans, and one for each part; empty sends none
    #[arg(long, env = "FRAMEFARM_OTLP_ENDPOINT", default_value_t = OtlpEndpoint::default(), hide_default_value = true, value_name = "URL")]
    pub otlp_endpoint: OtlpEndpoint,
}
