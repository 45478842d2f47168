//! The command line of `framefarm-worker`.

mod doctor;
mod gpu_choice;
mod gpu_selftest;
mod hide_secrets;
mod join;
mod logging;
mod ping;
mod register;
mod run;
mod sandbox;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use framefarm_shared::failure::without_os_numbers;
use framefarm_shared::untrusted_text::tame;
use reqwest::Url;

pub use self::hide_secrets::hide_secrets;
use self::logging::LogFormat;
use crate::client::Secret;
use crate::encoder::child;

/// Runs the transcoding jobs of a Framefarm server.
///
/// Exit codes: 0 success, 1 failure (the reason is on stderr), 2 usage error.
#[derive(Debug, Parser)]
#[command(name = "framefarm-worker", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Register(register::Register),
    Ping(ping::Ping),
    /// Probe a source: reads a task from stdin (started by `run`)
    #[command(hide = true)]
    Probe,
    /// Encode a source: reads a task from stdin (started by `run`)
    #[command(hide = true)]
    Encode,
    Doctor(doctor::Doctor),
    /// Apply the sandbox and print which layers are enforced (started by `run` and `doctor`)
    #[command(hide = true)]
    CheckSandbox,
    #[command(hide = true)]
    TryEncoder(doctor::TryEncoder),
    GpuSelftest(gpu_selftest::GpuSelftest),
    #[command(hide = true)]
    MakeClip(gpu_selftest::MakeClip),
}

/// The farm to connect to.
#[derive(Debug, Args)]
struct Farm {
    /// URL of the farm, as in the browser.
    #[arg(long, env = "FRAMEFARM_API", value_name = "URL", value_parser = parse_api)]
    api: Url,
}

/// The key of this worker.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Key {
    /// This worker's key. Other users can read it on the command line; prefer --key-file or the environment.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,

    /// File that contains the key.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl Key {
    fn read(&self) -> anyhow::Result<Secret> {
        read_secret(self.key.as_deref(), self.key_file.as_deref())
    }
}

impl Cli {
    pub fn run(self) -> ExitCode {
        // The encoder's half: no runtime, since the sandbox must be in place before there is a second thread.
        match self.command {
            Command::Probe => return child::run_probe(),
            Command::Encode => return child::run_encode(),
            _ => {}
        }
        logging::start(match &self.command {
            Command::Run(command) => command.log_format,
            // What somebody types is answered in text.
            _ => LogFormat::Text,
        });
        let result = match self.command {
            Command::GpuSelftest(command) => match in_runtime(command.run()) {
                Ok(code) => return code,
                Err(error) => Err(error),
            },
            Command::MakeClip(command) => command.run(),
            Command::Run(command) => in_runtime(command.run()),
            Command::Register(command) => in_runtime(command.run()),
            Command::Ping(command) => in_runtime(command.run()),
            Command::Doctor(command) => in_runtime(command.run()),
            Command::TryEncoder(command) => command.run(),
            Command::CheckSandbox => sandbox::check(),
            Command::Probe | Command::Encode => Ok(()),
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let text = without_os_numbers(&format!("{error:#}"));
                eprintln!("framefarm-worker: {}", tame(&text));
                ExitCode::FAILURE
            }
        }
    }
}

/// Threads begin here.
fn in_runtime<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Runtime::new()?.block_on(work)
}

fn parse_api(text: &str) -> Result<Url, String> {
    let url: Url =
        text.parse().map_err(|error| format!("{error}; use a URL like https://farm.example.org"))?;
    match url.scheme() {
        "http" | "https" if url.query().is_none() && url.username().is_empty() => Ok(url),
        _ => Err("use a URL like https://farm.example.org".to_owned()),
    }
}

/// clap has seen to it that exactly one of the two is there. The file `-` is a line of stdin.
fn read_secret(text: Option<&str>, file: Option<&Path>) -> anyhow::Result<Secret> {
    match (text, file) {
        (Some(text), _) => Ok(Secret::new(text)),
        (None, Some(path)) if path == Path::new("-") => {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).context("cannot read the secret from stdin")?;
            anyhow::ensure!(!line.trim().is_empty(), "no secret on stdin");
            Ok(Secret::new(&line))
        }
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            Ok(Secret::new(&text))
        }
        (None, None) => anyhow::bail!("no secret given"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_address_that_is_none_is_refused_with_an_example() {
        for text in ["farm", "farm:8080", "ftp://farm", "mailto:a@b", "http://u:p@farm", "http://farm/?a=b"] {
            assert!(parse_api(text).unwrap_err().contains("https://farm.example.org"), "{text}");
        }
        assert!(parse_api("http://127.0.0.1:8080/farm/").is_ok());
    }

    #[test]
    fn a_collector_that_is_none_is_refused_by_name_and_an_empty_one_is_nowhere() {
        let words = ["framefarm-worker", "run", "--api", "http://farm", "--key", "k", "--scratch", "s"];
        let parse = |endpoint| Cli::try_parse_from(words.into_iter().chain(["--otlp-endpoint", endpoint]));
        let refused = parse("collector:4318").unwrap_err().to_string();
        assert!(
            refused.contains("--otlp-endpoint") && refused.contains("http://collector:4318"),
            "{refused}"
        );
        assert!(parse("").is_ok() && parse("http://collector:4318").is_ok());
    }

    #[test]
    fn options_are_known_by_their_earlier_names_too() {
        let parse = |words: &[&str]| Cli::try_parse_from(std::iter::once(&"framefarm-worker").chain(words));
        for name in ["--gpu", "--card"] {
            assert!(parse(&["gpu-selftest", name, "vaapi=/dev/dri/renderD128"]).is_ok(), "{name}");
        }
        let run = ["run", "--api", "http://farm", "--key", "k", "--scratch", "s"];
        for name in ["--x264-preset", "--preset"] {
            assert!(parse(&[&run[..], &[name, "slow"]].concat()).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_key_may_come_from_a_file_but_not_from_nowhere() {
        let parse = |extra: &[&str]| {
            let words = ["framefarm-worker", "ping", "--api", "http://farm"];
            Cli::try_parse_from(words.iter().chain(extra))
        };
        assert!(parse(&["--key-file", "/run/key"]).is_ok());
        assert!(parse(&["--key", "k"]).is_ok());
        assert_eq!(parse(&[]).unwrap_err().exit_code(), 2);
    }
}
