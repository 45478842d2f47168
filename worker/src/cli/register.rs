//! `framefarm-worker register`.

use std::path::PathBuf;

use clap::Args;
use framefarm_shared::wire::worker_api::RegisterRequest;

use super::{Farm, read_secret};
use crate::client::{self, Permission};

/// Make this machine known to a farm; prints its key, once.
///
/// `run --join-file` does the same and keeps the key by itself.
/// The farm keeps only a hash of the key. Each worker process needs a key of its own.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Register {
    #[command(flatten)]
    farm: Farm,

    #[command(flatten)]
    permission: Allowed,

    /// Name on the farm's pages; the farm makes one up if there is none.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Allowed {
    /// An invitation of the farm's page (Workers, Add a worker); good for one worker.
    #[arg(long, env = "FRAMEFARM_WORKER_JOIN", value_name = "INVITATION", hide_env_values = true)]
    join: Option<String>,

    /// A file that holds the invitation, or `-` to read it from stdin: others on this machine can see a command line.
    #[arg(long, env = "FRAMEFARM_WORKER_JOIN_FILE", value_name = "FILE")]
    join_file: Option<PathBuf>,

    /// The farm's admin secret. Others on this machine can see a command line: prefer the file or the environment.
    #[arg(long, env = "FRAMEFARM_ADMIN_SECRET", value_name = "SECRET", hide_env_values = true)]
    admin_secret: Option<String>,

    /// A file that holds the admin secret.
    #[arg(long, env = "FRAMEFARM_ADMIN_SECRET_FILE", value_name = "FILE")]
    admin_secret_file: Option<PathBuf>,
}

impl Allowed {
    fn read(&self) -> anyhow::Result<Permission> {
        if self.join.is_some() || self.join_file.is_some() {
            return read_secret(self.join.as_deref(), self.join_file.as_deref()).map(Permission::Invitation);
        }
        read_secret(self.admin_secret.as_deref(), self.admin_secret_file.as_deref())
            .map(Permission::AdminSecret)
    }
}

impl Register {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let permission = self.permission.read()?;
        let request =
            RegisterRequest { name: self.name, worker_type: None, capabilities: None, metadata: None };
        let reply = client::register(&self.farm.api, &permission, &request).await?;
        let (id, key) = (reply.worker_id, reply.api_key);
        // The key alone goes to stdout: `register > key` makes a key file.
        eprintln!("Registered as worker {id}. Its key follows, and is not shown again:\n");
        println!("{key}");
        eprintln!(
            "\nKeep it in a file that only the worker can read, and try it:\n\n    \
             framefarm-worker ping --api {} --key-file FILE\n",
            self.farm.api
        );
        Ok(())
    }
}
