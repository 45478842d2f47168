//! The program `framefarm-worker`: see `framefarm-worker --help`.

use std::process::ExitCode;

use clap::Parser as _;
use framefarm_worker::cli::{Cli, hide_secrets};

/// No runtime yet: a child that puts up layers must do so before it has a second thread.
fn main() -> ExitCode {
    hide_secrets();
    Cli::parse().run()
}
