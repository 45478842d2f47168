//! Who this worker is: its key, or an invitation that becomes one.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use framefarm_shared::wire::worker_api::RegisterRequest;
use reqwest::Url;

use super::read_secret;
use crate::client::{self, Permission, Secret};
use crate::private_directory;

/// Kept beside the scratch directories of jobs, for the next start.
const KEY_FILE: &str = "worker.key";
const OURS_ALONE: u32 = 0o600;

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Identity {
    /// This worker's key. Other users can read it on the command line; prefer --key-file or the environment.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,

    /// File that contains the key.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Invitation from the farm's page (Workers, Add worker), valid for one worker. Its key is stored in the scratch
    /// directory, so the same command starts the same worker again.
    #[arg(long, env = "FRAMEFARM_WORKER_JOIN", value_name = "INVITATION", hide_env_values = true)]
    join: Option<String>,

    /// File that contains the invitation, or `-` for stdin. Other users cannot read it on the command line.
    #[arg(long, env = "FRAMEFARM_WORKER_JOIN_FILE", value_name = "FILE")]
    join_file: Option<PathBuf>,
}

impl Identity {
    pub(super) async fn key(&self, api: &Url, scratch: &Path) -> anyhow::Result<Secret> {
        if self.join.is_none() && self.join_file.is_none() {
            return read_secret(self.key.as_deref(), self.key_file.as_deref());
        }
        private_directory::prepare(scratch)?;
        let file = scratch.join(KEY_FILE);
        if let Ok(key) = fs::read_to_string(&file) {
            // One of an earlier version, or copied here.
            fs::set_permissions(&file, Permissions::from_mode(OURS_ALONE))
                .with_context(|| format!("cannot restrict {} to its owner", file.display()))?;
            tracing::info!(file = %file.display(), "already joined; using the stored key");
            return Ok(Secret::new(&key));
        }
        let invitation = read_secret(self.join.as_deref(), self.join_file.as_deref())?;
        join(api, &invitation, &file).await
    }
}

/// The file first: an invitation that was used up for a key that cannot be kept would be lost.
async fn join(api: &Url, invitation: &Secret, file: &Path) -> anyhow::Result<Secret> {
    let unkept = || format!("cannot store the key in {}", file.display());
    let part = file.with_extension("part");
    // The mode is that of a new file only.
    if part.exists() {
        fs::remove_file(&part).with_context(unkept)?;
    }
    let mut kept =
        OpenOptions::new().write(true).create_new(true).mode(OURS_ALONE).open(&part).with_context(unkept)?;
    let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    let request = RegisterRequest { name, worker_type: None, capabilities: None, metadata: None };
    let reply = client::register(api, &Permission::Invitation(invitation.clone()), &request).await?;
    kept.write_all(reply.api_key.as_bytes()).and_then(|()| kept.sync_all()).with_context(unkept)?;
    fs::rename(&part, file).with_context(unkept)?;
    tracing::info!(worker.id = %reply.worker_id, file = %file.display(), "joined the farm; key stored");
    Ok(Secret::new(&reply.api_key))
}
