//! The program `framefarm`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    framefarm_api::cli::hide_secrets(&arguments);
    framefarm_api::cli::close_to_others();
    framefarm_api::cli::run(&arguments)
}
