//! How long the farm keeps what it could do without.

use anyhow::bail;
use clap::Args;
use framefarm_shared::retention::SourceRetention;

const MOST_DAYS: u32 = 36_500;

#[derive(Clone, Debug, Args)]
pub struct Retention {
    /// What becomes of an original once its video is ready: `keep`, `delete_after_ready`, or a number of days after that. Without
    /// its original a video plays on but cannot be encoded again; a collection may have a rule of its own
    #[arg(long, env = "FRAMEFARM_SOURCE_RETENTION", default_value_t = SourceRetention::Keep)]
    pub source_retention: SourceRetention,

    /// Days until failed and cancelled jobs leave the history (their counts stay); retrying such a video starts over
    #[arg(long, env = "FRAMEFARM_FAILED_RETENTION_DAYS", default_value_t = 90)]
    pub failed_retention_days: u32,
}

impl Retention {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.failed_retention_days > MOST_DAYS {
            bail!("failed_retention_days = {}: must be at most {MOST_DAYS}", self.failed_retention_days);
        }
        Ok(())
    }
}
