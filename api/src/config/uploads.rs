//! How much disk space unfinished uploads may reserve.

use anyhow::bail;
use clap::Args;

#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct UploadLimits {
    /// Minutes until an upload that received no bytes is deleted
    #[arg(long, env = "FRAMEFARM_UPLOAD_START_MINUTES", default_value_t = 30)]
    pub upload_start_minutes: u32,

    /// Maximum number of unfinished uploads per token; all admin sessions count as one
    #[arg(long, env = "FRAMEFARM_MAX_OPEN_UPLOADS", default_value_t = 100)]
    pub max_open_uploads: u32,

    /// Maximum number of outstanding bytes in the unfinished uploads of one token, or of all admin sessions;
    /// this much disk space is reserved for them
    #[arg(long, env = "FRAMEFARM_MAX_RESERVED_UPLOAD_BYTES", default_value_t = 1024 * 1024 * 1024 * 1024)]
    pub max_reserved_upload_bytes: u64,
}

impl UploadLimits {
    pub(super) fn check(&self, max_upload_bytes: u64) -> anyhow::Result<()> {
        if self.upload_start_minutes == 0 || self.max_open_uploads == 0 {
            bail!("upload_start_minutes and max_open_uploads must be at least 1");
        }
        if self.max_reserved_upload_bytes < max_upload_bytes {
            bail!(
                "max_reserved_upload_bytes = {}: must be at least max_upload_bytes ({max_upload_bytes}); \
                 otherwise the largest upload could not start",
                self.max_reserved_upload_bytes
            );
        }
        Ok(())
    }
}
