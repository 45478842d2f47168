//! Which cards to use.

use std::path::PathBuf;

use clap::Args;

use crate::gpu::{Choice, Options};

#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct CardChoice {
    /// Cards to use: `all`, `none`, or some of them by number, id or render node, separated by commas.
    #[arg(long, env = "FRAMEFARM_GPUS", value_name = "CARDS", default_value = "all")]
    gpus: Choice,

    /// NVIDIA's management library, where the system does not find it by its name.
    #[arg(long, env = "FRAMEFARM_NVML_LIBRARY", value_name = "FILE")]
    nvml_library: Option<PathBuf>,
}

impl CardChoice {
    pub(super) fn into_options(self) -> Options {
        Options { choice: self.gpus, nvml_library: self.nvml_library, ..Options::default() }
    }
}
