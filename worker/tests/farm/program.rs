//! The real worker program, and the encoder it starts.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use framefarm_shared::id::WorkerId;
use framefarm_shared::wire::worker_api::RegisterRequest;
use framefarm_worker::client::{Permission, Secret, register};
use reqwest::Url;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use tempfile::TempDir;
use tokio::io::unix::AsyncFd;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::api::{ADMIN_SECRET, Api};
use crate::watch::until;

/// A worker that the farm knows: its key, and a directory that outlives its processes.
pub(crate) struct Member {
    pub(crate) id: WorkerId,
    key: String,
    directory: TempDir,
}

impl Member {
    pub(crate) async fn register(api: &Api, name: &str) -> Self {
        let name = Some(name.to_owned());
        let request = RegisterRequest { name, worker_type: None, capabilities: None, metadata: None };
        let reply =
            register(&api.url, &Permission::AdminSecret(Secret::new(ADMIN_SECRET)), &request).await.unwrap();
        Self { id: reply.worker_id, key: reply.api_key, directory: tempfile::tempdir().unwrap() }
    }

    /// `framefarm-worker run` with nothing of our environment but what it needs.
    pub(crate) fn start(&self, farm: &Url, arguments: &[&str]) -> Program {
        self.start_in(farm, arguments, &[])
    }

    pub(crate) fn start_in(&self, farm: &Url, arguments: &[&str], variables: &[(&str, &str)]) -> Program {
        let log = std::fs::File::options().append(true).create(true).open(self.log_path()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_framefarm-worker"));
        command.args(["run", "--api", farm.as_str(), "--copy", "never", "--nice", "0", "--scratch"]);
        command.arg(self.scratch()).args(arguments).env("FRAMEFARM_WORKER_KEY", &self.key);
        command.envs(variables.iter().copied()).stdin(Stdio::null()).stderr(log).kill_on_drop(true);
        Program { child: command.spawn().unwrap() }
    }

    /// What it shows to nobody but the farm.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.directory.path().join("scratch")
    }

    /// What its processes wrote so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap()
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("log")
    }
}

/// A running worker; killed when it is dropped.
pub(crate) struct Program {
    child: Child,
}

impl Program {
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.id(), signal).unwrap();
    }

    /// Kill -9, and nothing is left of the process.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    pub(crate) async fn ended(mut self) -> ExitStatus {
        let ended = timeout(Duration::from_mins(1), self.child.wait()).await;
        ended.expect("the worker ends in time").unwrap()
    }

    /// Its encoder, once it runs.
    pub(crate) async fn encoder(&self) -> Encoder {
        let worker = self.id().as_raw_pid();
        until("an encoder runs", async || encoder_of(worker)).await
    }

    fn id(&self) -> Pid {
        Pid::from_raw(self.child.id().unwrap().cast_signed()).unwrap()
    }
}

fn encoder_of(worker: i32) -> Option<Encoder> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut encoders = processes.filter(|entry| is_encoder(&entry.path(), worker));
    let number = encoders.next()?.file_name().to_str()?.parse().ok()?;
    let pidfd = pidfd_open(Pid::from_raw(number)?, PidfdFlags::NONBLOCK).ok()?;
    Some(Encoder { pidfd })
}

fn is_encoder(process: &Path, worker: i32) -> bool {
    let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
    let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
    let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
    parent == Some(worker) && command.ends_with(b"\0encode\0")
}

pub(crate) struct Encoder {
    pidfd: OwnedFd,
}

impl Encoder {
    /// False if it was gone already.
    pub(crate) fn kill(&self) -> bool {
        pidfd_send_signal(&self.pidfd, Signal::KILL).is_ok()
    }

    pub(crate) async fn dies_within(self, wait: Duration) -> bool {
        #[expect(deprecated, reason = "sound for an OwnedFd, and its successor needs unsafe")]
        let exit = AsyncFd::with_interest(self.pidfd, tokio::io::Interest::READABLE).unwrap();
        timeout(wait, exit.readable()).await.is_ok()
    }
}
