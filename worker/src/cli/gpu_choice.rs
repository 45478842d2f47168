//! Which GPUs to use.

use std::path::PathBuf;

use clap::Args;

use crate::gpu::{Choice, Options};

#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct GpuChoice {
    /// GPUs to use: `all`, `none`, or a comma-separated list of indexes, IDs or render nodes.
    #[arg(long, env = "FRAMEFARM_GPUS", value_name = "GPUS", default_value = "all")]
    gpus: Choice,

    /// Path to NVIDIA's management library (NVML), if the system does not find it by name.
    #[arg(long, env = "FRAMEFARM_NVML_LIBRARY", value_name = "FILE")]
    nvml_library: Option<PathBuf>,
}

impl GpuChoice {
    pub(super) fn into_options(self) -> Options {
        Options { choice: self.gpus, nvml_library: self.nvml_library, ..Options::default() }
    }
}
