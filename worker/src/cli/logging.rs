//! Where log lines go: standard error, as text for people and as JSON for machines.

use std::io::IsTerminal;

use clap::ValueEnum;
use framefarm_shared::log_fields::TamedFields;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum LogFormat {
    /// Text on a terminal, JSON otherwise.
    Auto,
    Text,
    Json,
}

pub(super) fn start(format: LogFormat) {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    let terminal = std::io::stderr().is_terminal();
    let text = match format {
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
}
