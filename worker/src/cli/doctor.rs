//! `framefarm-worker doctor`, and the child that it starts for each encoder.

use std::env;
use std::io::stdout;
use std::path::PathBuf;

use clap::Args;
use reqwest::Url;

use super::gpu_choice::GpuChoice;
use super::{parse_api, read_secret};
use crate::doctor::{Examination, examine, print, trial};
use crate::encoder::protocol::GpuDevice;
use crate::gpu;
use crate::sandbox::{Limits, Rules, enter, everything_closed};

/// Pixels of the largest frame that an encoder is tested with.
const LARGEST_TRIAL: u64 = 8192 * 4608;

/// Check what this machine can do, and why not.
///
/// Exits with 1 if a requirement is missing: ffmpeg with libx264 and aac, a writable scratch directory, the sandbox if
/// `FRAMEFARM_SANDBOX=required`, or the farm given with --api.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// URL of the farm, to check whether it responds.
    #[arg(long, env = "FRAMEFARM_API", value_name = "URL", value_parser = parse_api)]
    api: Option<Url>,

    /// File that contains this worker's key, to check whether the farm accepts it.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY_FILE", value_name = "FILE", requires = "api")]
    key_file: Option<PathBuf>,

    /// Directory for sources and segments, to check whether it is writable.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    #[command(flatten)]
    gpus: GpuChoice,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let key = self.key_file.as_deref().map(|path| read_secret(None, Some(path))).transpose()?;
        let scratch = self.scratch.unwrap_or_else(env::temp_dir);
        let (program, inventory) = (env::current_exe()?, self.gpus.into_options());
        let rules = gpu::Rules { inventory, yields: gpu::Yield::default(), program: program.clone() };
        let gpus = gpu::GpuPool::start(rules).await;
        let examination = Examination { program, scratch, api: self.api, key, gpus };
        let report = examine(&examination).await;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            print(&report, &mut stdout().lock())?;
        }
        anyhow::ensure!(report.fit, "this machine cannot run jobs: a requirement is missing");
        Ok(())
    }
}

/// Encode a few frames with one encoder, inside the sandbox, and print the result.
#[derive(Debug, Args)]
pub(super) struct TryEncoder {
    name: String,

    /// Allow it to use GPUs.
    #[arg(long)]
    gpu: bool,

    /// Run all checks on this GPU: the driver's ID, or a render node. An NVIDIA GPU must be the only one in
    /// `CUDA_VISIBLE_DEVICES`.
    #[arg(long, value_name = "ID", requires = "gpu")]
    device: Option<String>,

    /// Also count how many sessions can be open at once, up to this number.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "device")]
    sessions: u32,
}

impl TryEncoder {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let rules = Rules { limits: Limits::for_task(LARGEST_TRIAL, 8), ..everything_closed() };
        enter(&if self.gpu { rules.with_gpus() } else { everything_closed() })?;
        let answer = match self.device {
            Some(id) => {
                let (_, kind) = self.name.rsplit_once('_').unwrap_or_default();
                let kind = kind.parse().map_err(anyhow::Error::msg)?;
                trial::answer_on(&GpuDevice { kind, id, on_gpu: true }, &self.name, self.sessions)
            }
            None => trial::answer(&self.name),
        };
        println!("{}", serde_json::to_string(&answer)?);
        Ok(())
    }
}
