//! Where log lines go: standard error, as text for people and as JSON for machines.

use std::io::IsTerminal;

use anyhow::Context;
use framefarm_shared::log_fields::TamedFields;
use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, Settings};

/// `RUST_LOG` wins over the setting, as in every other program.
pub(super) fn start(settings: &Settings) -> anyhow::Result<()> {
    let wanted = std::env::var("RUST_LOG").ok().filter(|text| !text.is_empty());
    let wanted = wanted.as_deref().unwrap_or(&settings.log);
    let filter = EnvFilter::try_new(wanted)
        .with_context(|| format!("log = {wanted:?}: must be a level, or target=level pairs"))?;
    let terminal = std::io::stderr().is_terminal();
    let text = match settings.log_format {
        LogFormat::Auto => terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if text {
        lines.fmt_fields(TamedFields).with_ansi(terminal).init();
    } else {
        lines.json().flatten_event(true).with_span_list(false).init();
    }
    Ok(())
}
