//! The program `framefarm-worker`: see `framefarm-worker --help`.

use std::process::ExitCode;

use clap::Parser as _;
use framefarm_worker::cli::{Cli, hide_secrets};

/// No runtime yet: a child that enters the sandbox must do so before it has a second thread.
fn main() -> ExitCode {
    hide_secrets();
    Cli::parse().run()
}
