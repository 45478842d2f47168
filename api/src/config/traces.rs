//! Settings of traces.

use clap::Args;
use framefarm_traces::OtlpEndpoint;

#[derive(Clone, Debug, Args)]
pub struct TracesSettings {
    /// URL of the trace collector (OTLP over HTTP), like `http://collector:4318`; `/v1/traces` is appended.
    /// The worker on this machine uses it too. Each job produces a few spans, plus one per part. Empty
    /// disables tracing
    #[arg(long, env = "FRAMEFARM_OTLP_ENDPOINT", default_value_t = OtlpEndpoint::default(), hide_default_value = true, value_name = "URL")]
    pub otlp_endpoint: OtlpEndpoint,
}
