//! A child enters the sandbox and then tries to get out.
//!
//! Each way out is tried three times: inside all layers, inside each layer alone that should stop it, and with just
//! those layers left out. The last must succeed, so that a way that never led anywhere proves nothing.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attempt;
mod files;
mod inside;
mod network;
mod older;
mod ordinary;
mod processes;
mod resources;
mod service;
mod transcode;
mod yard;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if let Some(allowed) = service::asked_for() {
        service::become_worker(&allowed);
    }
    if let Some(name) = inside::asked_for() {
        inside::run(&name);
        return ExitCode::SUCCESS;
    }
    let ways_out = attempt::all().into_iter().map(|way| Trial::test(way.name, move || attempt::check(&way)));
    let trials = ways_out.chain(ordinary::trials()).chain(service::trials()).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
