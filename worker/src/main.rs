//! The program `framefarm-worker`: see `framefarm-worker --help`.

use std::process::ExitCode;

use clap::Parser as _;
use framefarm_worker::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
