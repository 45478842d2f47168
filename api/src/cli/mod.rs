//! The command line: one file a command.

mod backup;
mod config;
mod local_worker;
mod logging;
mod migrate;
mod openapi;
mod restore;
mod scratch;
mod serve;
mod settings;
mod single;
mod token;
mod upload;
mod vacuum;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "framefarm",
    version,
    about = "A video transcoding farm.",
    arg_required_else_help = true,
    after_help = "\
Examples:
  framefarm serve                                one machine: SQLite and files below ./data
  framefarm token create --name ci --scope upload
  framefarm upload holiday.mov --wait            with that token in FRAMEFARM_TOKEN
  framefarm config --print                       what is in force, and where it comes from"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Migrate(migrate::Migrate),
    Upload(upload::Upload),
    Token(token::TokenCommand),
    Config(config::Config),
    Openapi(openapi::Openapi),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Vacuum(vacuum::Vacuum),
}

/// Why a command ended badly: the caller's words, or what came after.
enum Failure {
    Usage(anyhow::Error),
    Run(anyhow::Error),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(error)
    }
}

/// Runs one command line. 0 is fine, 1 a failure, 2 wrong usage.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let failure = match parse(arguments).and_then(dispatch) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(failure) => failure,
    };
    let (error, code) = match failure {
        Failure::Usage(error) => (error, 2),
        Failure::Run(error) => (error, 1),
    };
    if let Some(error) = error.downcast_ref::<clap::Error>() {
        error.exit();
    }
    eprintln!("framefarm: {error:#}");
    ExitCode::from(code)
}

fn parse(arguments: &[OsString]) -> Result<(Cli, clap::ArgMatches), Failure> {
    let command = settings::layered(Cli::command(), arguments).map_err(Failure::Usage)?;
    let matches = command.try_get_matches_from(arguments).map_err(|error| Failure::Usage(error.into()))?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| Failure::Usage(error.into()))?;
    Ok((cli, matches))
}

fn dispatch((cli, matches): (Cli, clap::ArgMatches)) -> Result<(), Failure> {
    match cli.command {
        Command::Serve(command) => command.run(),
        Command::Migrate(command) => command.run(),
        Command::Upload(command) => command.run(),
        Command::Token(command) => command.run(),
        Command::Config(command) => command.run(&matches),
        Command::Openapi(command) => command.run(),
        Command::Backup(command) => command.run(),
        Command::Restore(command) => command.run(),
        Command::Vacuum(command) => command.run(),
    }
}

/// Runs a future to its end.
fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> Result<T, Failure> {
    use anyhow::Context;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    Ok(runtime.context("cannot start the runtime")?.block_on(future)?)
}
