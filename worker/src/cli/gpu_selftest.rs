//! `framefarm-worker gpu-selftest`, and the child that makes its clip.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;

use super::gpu_choice::GpuChoice;
use crate::encoder::clip;
use crate::sandbox::{Limits, Rules, enter};
use crate::selftest::{Selftest, Tested, find};

/// There is nothing to test.
const NO_GPU: u8 = 3;

/// Test every encoder of this machine's GPUs on every path, and print a report to paste into an issue.
///
/// Each encoder makes a short clip on every path that real jobs use. The test takes a few minutes; the GPUs should be
/// idle.
///
/// Exit codes: 0 all tests passed, 1 a test failed, 3 no GPU was found.
#[derive(Debug, Args)]
pub(super) struct GpuSelftest {
    /// Test only this GPU: `nvenc=GPU-5c2f…`, `qsv=/dev/dri/renderD128` or `vaapi=/dev/dri/renderD128`. Repeatable.
    #[arg(long = "gpu", value_name = "KIND=ID")]
    only: Vec<Tested>,

    /// The earlier name of --gpu.
    #[arg(long = "card", hide = true, value_name = "KIND=ID")]
    card: Vec<Tested>,

    #[command(flatten)]
    choice: GpuChoice,

    /// Directory for temporary files.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

impl FromStr for Tested {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, id) = text.split_once('=').ok_or("use KIND=ID, for example nvenc=GPU-5c2f…")?;
        Ok(Self { kind: kind.parse()?, id: id.to_owned(), name: "GPU".to_owned() })
    }
}

impl GpuSelftest {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        if !self.card.is_empty() {
            tracing::warn!("`--card` is now called `--gpu`; the old name still works");
        }
        let only = [self.only, self.card].concat();
        let (found, missing) = find(self.choice.into_options()).await;
        let (gpus, missing) = if only.is_empty() { (found, missing) } else { (only, Vec::new()) };
        let name = format!("framefarm-selftest-{}", std::process::id());
        let scratch = self.scratch.unwrap_or_else(env::temp_dir).join(name);
        let selftest = Selftest { program: env::current_exe()?, scratch, gpus, missing };
        let report = selftest.run().await;
        if selftest.scratch.exists() {
            std::fs::remove_dir_all(&selftest.scratch)
                .with_context(|| selftest.scratch.display().to_string())?;
        }
        print!("{report}");
        Ok(match (selftest.gpus.is_empty(), report.passed()) {
            (true, _) => ExitCode::from(NO_GPU),
            (false, passed) => ExitCode::from(u8::from(!passed)),
        })
    }
}

/// Write the clip that the self-test encodes (started by `gpu-selftest`)
#[derive(Debug, Args)]
pub(super) struct MakeClip {
    path: PathBuf,
}

impl MakeClip {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let directory = self.path.parent().context("the path of the clip has no directory")?;
        enter(&Rules::new(directory, Some(directory), Limits::default()))?;
        clip::write(&self.path).map_err(anyhow::Error::msg)
    }
}
