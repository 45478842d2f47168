//! How long the farm keeps originals and failed jobs.

use anyhow::bail;
use clap::Args;
use framefarm_shared::retention::SourceRetention;

const MOST_DAYS: u32 = 36_500;

#[derive(Clone, Debug, Args)]
pub struct Retention {
    /// What happens to the original once its video is ready: `keep`, `delete_after_ready`, or the number of
    /// days until it is deleted. Without its original, a video stays playable but cannot be re-transcoded.
    /// Collections can override this
    #[arg(long, env = "FRAMEFARM_SOURCE_RETENTION", default_value_t = SourceRetention::Keep)]
    pub source_retention: SourceRetention,

    /// Days until failed and cancelled jobs are removed from the history; their counts remain. Retrying such
    /// a video then starts over
    #[arg(long, env = "FRAMEFARM_FAILED_RETENTION_DAYS", default_value_t = 90)]
    pub failed_retention_days: u32,
}

impl Retention {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.failed_retention_days > MOST_DAYS {
            bail!("failed_retention_days = {}: must be at most {MOST_DAYS} days", self.failed_retention_days);
        }
        Ok(())
    }
}
