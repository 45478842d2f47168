//! The command line: one file a command.

mod alerts;
mod answers;
mod audit;
mod backup;
mod cancel;
mod client;
mod collections;
mod completions;
mod config;
mod confirm;
mod existing;
mod exit;
mod export;
mod format;
mod gc;
mod hide_secrets;
mod import;
mod job;
mod job_lines;
mod local_worker;
mod logging;
mod many;
mod migrate;
mod openapi;
mod output;
mod pause;
mod priority;
mod private_files;
mod queue;
mod restore;
mod retry;
mod scratch;
mod serve;
mod settings;
mod single;
mod status;
mod stuck;
mod token;
mod upload;
mod uploads;
mod vacuum;
mod video;
mod videos;
mod watch;
mod worker;
mod workers;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use framefarm_shared::failure::without_os_numbers;

use exit::{CODES, Exit, Failure};
pub use hide_secrets::hide_secrets;
pub use private_files::close_to_others;

const EXAMPLES: &str = "\
Examples:
  framefarm serve                                on one machine, with SQLite and files in ./data
  framefarm token create --name ci --scope upload
  framefarm upload holiday.mov --wait            uses the token in FRAMEFARM_TOKEN
  framefarm status                               show the farm's status
  framefarm config --print                       show the effective settings and their sources

Commands that talk to a farm take its URL from --api or FRAMEFARM_API (default http://127.0.0.1:8080), and a
token from --token-file or FRAMEFARM_TOKEN. With --json, they print JSON for scripts.";

#[derive(Parser)]
#[command(
    name = "framefarm",
    version,
    about = "GPU-aware video transcoding farm",
    arg_required_else_help = true,
    after_help = format!("{EXAMPLES}\n\n{CODES}")
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// In the order of the help: the farm itself, videos, jobs, workers, and the rest.
#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Migrate(migrate::Migrate),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Vacuum(vacuum::Vacuum),
    Gc(gc::Gc),
    Token(token::TokenCommand),
    Config(config::Config),
    Status(status::Status),
    Upload(upload::Upload),
    Uploads(uploads::UploadsCommand),
    Watch(watch::Watch),
    Videos(videos::Videos),
    Video(video::Video),
    Collections(collections::Collections),
    Queue(queue::Queue),
    Job(job::Job),
    Stuck(stuck::Stuck),
    Retry(retry::Retry),
    Requeue(retry::Requeue),
    Cancel(cancel::Cancel),
    Priority(priority::Priority),
    Pause(pause::Pause),
    Resume(pause::Resume),
    Export(export::Export),
    Import(import::Import),
    Workers(workers::Workers),
    Worker(worker::WorkerCommand),
    Alerts(alerts::AlertsCommand),
    Audit(audit::Audit),
    Openapi(openapi::Openapi),
    Completions(completions::Completions),
}

/// Runs one command line; `Exit` says with which number it ends.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let Failure { exit, error } = match parse(arguments).and_then(dispatch) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(failure) => failure,
    };
    if let Some(error) = error.downcast_ref::<clap::Error>() {
        error.exit();
    }
    if exit != Exit::Fine {
        output::remark(&format!("framefarm: {}", without_os_numbers(&format!("{error:#}"))));
    }
    ExitCode::from(exit as u8)
}

fn parse(arguments: &[OsString]) -> Result<(Cli, ArgMatches), Failure> {
    let command = settings::layered(Cli::command(), arguments).map_err(Failure::usage)?;
    let matches = command.try_get_matches_from(arguments).map_err(Failure::usage)?;
    let cli = Cli::from_arg_matches(&matches).map_err(Failure::usage)?;
    Ok((cli, matches))
}

fn dispatch((cli, matches): (Cli, ArgMatches)) -> Result<(), Failure> {
    let done = match cli.command {
        Command::Serve(command) => command.run(),
        Command::Migrate(command) => command.run(),
        Command::Backup(command) => command.run(),
        Command::Restore(command) => command.run(),
        Command::Vacuum(command) => command.run(),
        Command::Gc(command) => command.run(),
        Command::Token(command) => command.run(),
        Command::Config(command) => command.run(&matches),
        Command::Status(command) => command.run(),
        Command::Upload(command) => command.run(),
        Command::Uploads(command) => command.run(),
        Command::Watch(command) => command.run(),
        Command::Videos(command) => command.run(),
        Command::Video(command) => command.run(),
        Command::Collections(command) => command.run(),
        Command::Queue(command) => command.run(),
        Command::Job(command) => command.run(),
        Command::Stuck(command) => command.run(),
        Command::Retry(command) => command.run(),
        Command::Requeue(command) => command.run(),
        Command::Cancel(command) => command.run(),
        Command::Priority(command) => command.run(),
        Command::Pause(command) => command.run(),
        Command::Resume(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Workers(command) => command.run(),
        Command::Worker(command) => command.run(),
        Command::Alerts(command) => command.run(),
        Command::Audit(command) => command.run(),
        Command::Openapi(command) => command.run(),
        Command::Completions(command) => command.run(),
    };
    done.map_err(|failure| match failure.exit {
        Exit::Unreachable => {
            Failure { error: anyhow::anyhow!("{:#}. {}", failure.error, origin(&matches)), ..failure }
        }
        _ => failure,
    })
}

/// Where the address that does not respond came from.
fn origin(matches: &ArgMatches) -> &'static str {
    let mut leaf = matches;
    while let Some((_, inner)) = leaf.subcommand() {
        leaf = inner;
    }
    match leaf.value_source("api") {
        Some(ValueSource::CommandLine) => "The address comes from --api.",
        Some(ValueSource::EnvVariable) => "The address comes from FRAMEFARM_API.",
        _ => {
            "This is the default address: is `framefarm serve` running on this machine? To use another one, \
             set --api or FRAMEFARM_API."
        }
    }
}

/// Runs a future to its end.
fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> Result<T, Failure> {
    use anyhow::Context;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    Ok(runtime.context("cannot start the runtime")?.block_on(future)?)
}
