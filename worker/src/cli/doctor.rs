//! `framefarm-worker doctor`, and the child that it starts for each encoder.

use std::env;
use std::io::stdout;
use std::path::PathBuf;

use clap::Args;
use reqwest::Url;

use super::{parse_api, read_secret};
use crate::doctor::{Examination, examine, print, trial};
use crate::walls::{Rules, enter, everything_closed};

/// Tell what this machine can do, and why not.
///
/// Exits with 1 when something essential is missing: libx264, aac, a scratch directory, or a farm that was named.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Address of the farm, to see whether it answers.
    #[arg(long, env = "FRAMEFARM_API", value_name = "URL", value_parser = parse_api)]
    api: Option<Url>,

    /// A file that holds this worker's key, to see whether the farm takes it.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY_FILE", value_name = "FILE", requires = "api")]
    key_file: Option<PathBuf>,

    /// Where sources and segments would be kept.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let key = self.key_file.as_deref().map(|path| read_secret(None, Some(path))).transpose()?;
        let scratch = self.scratch.unwrap_or_else(env::temp_dir);
        let examination = Examination { program: env::current_exe()?, scratch, api: self.api, key };
        let report = examine(&examination).await;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            print(&report, &mut stdout().lock())?;
        }
        anyhow::ensure!(report.fit, "something essential is missing");
        Ok(())
    }
}

/// Encode a few frames with one encoder, inside the walls, and print how it went.
#[derive(Debug, Args)]
pub(super) struct TryEncoder {
    name: String,

    /// Let it use graphics cards.
    #[arg(long)]
    gpu: bool,
}

impl TryEncoder {
    pub(super) fn run(self) -> anyhow::Result<()> {
        enter(&Rules { gpu: self.gpu, ..everything_closed() })?;
        println!("{}", serde_json::to_string(&trial::answer(&self.name))?);
        Ok(())
    }
}
