//! Who this worker is: its key, or an invitation that becomes one.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use framefarm_shared::wire::worker_api::RegisterRequest;
use reqwest::Url;

use super::read_secret;
use crate::client::{self, Permission, Secret};

/// Kept beside the scratch directories of jobs, for the next start.
const KEY_FILE: &str = "worker.key";

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Identity {
    /// This worker's key. Others on this machine can see a command line: prefer the file or the environment.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,

    /// A file that holds the key.
    #[arg(long, env = "FRAMEFARM_WORKER_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// An invitation of the farm's page (Workers, Add a worker). It is good for one worker: the key that it gets is
    /// kept in the scratch directory, and the same command starts the same worker again.
    #[arg(long, env = "FRAMEFARM_WORKER_JOIN", value_name = "INVITATION", hide_env_values = true)]
    join: Option<String>,
}

impl Identity {
    pub(super) async fn key(&self, api: &Url, scratch: &Path) -> anyhow::Result<Secret> {
        let Some(invitation) = &self.join else {
            return read_secret(self.key.as_deref(), self.key_file.as_deref());
        };
        let file = scratch.join(KEY_FILE);
        if let Ok(key) = fs::read_to_string(&file) {
            tracing::info!(file = %file.display(), "joined before; using the key that was kept");
            return Ok(Secret::new(&key));
        }
        join(api, &Secret::new(invitation), &file).await
    }
}

/// The file first: an invitation that was used up for a key that cannot be kept would be lost.
async fn join(api: &Url, invitation: &Secret, file: &Path) -> anyhow::Result<Secret> {
    let unkept = || format!("cannot keep the key in {}", file.display());
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory).with_context(unkept)?;
    }
    let part = file.with_extension("part");
    let mut kept = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&part)
        .with_context(unkept)?;
    let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    let request = RegisterRequest { name, worker_type: None, capabilities: None, metadata: None };
    let reply = client::register(api, &Permission::Invitation(invitation.clone()), &request).await?;
    kept.write_all(reply.api_key.as_bytes()).and_then(|()| kept.sync_all()).with_context(unkept)?;
    fs::rename(&part, file).with_context(unkept)?;
    tracing::info!(worker.id = %reply.worker_id, file = %file.display(), "joined the farm; the key is kept");
    Ok(Secret::new(&reply.api_key))
}
