//! The worker that `framefarm serve` starts beside itself, watches, and ends before the server ends.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::SECRETS;
use crate::lifecycle::workers;

const PROGRAM: &str = "framefarm-worker";
/// How long jobs may take to be handed back, and how long the process may take for that and its exit.
const DRAIN_SECONDS: &str = "8";
const STOP_GRACE: Duration = Duration::from_secs(15);
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Variables with the object store's credentials begin like this.
const STORES: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

pub(super) struct LocalWorker {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// `None` if there is to be none, or there is no program to start: serving goes on without.
pub(super) async fn start(app: &App, address: SocketAddr) -> anyhow::Result<Option<LocalWorker>> {
    if app.settings.no_worker {
        return Ok(None);
    }
    let Some(program) = find_program(app.settings.worker_program.as_deref()) else {
        tracing::warn!(
            "no {PROGRAM} next to this program or on the PATH: jobs wait for a worker on another machine. \
             Install it, set --worker-program, or pass --no-worker"
        );
        return Ok(None);
    };
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let key = workers::register_local(app, &format!("{host}-local"))
        .await
        .context("cannot register the local worker")?;
    let otlp_endpoint = app.settings.traces.otlp_endpoint.to_string();
    let log_format = app.settings.log_format.to_string();
    let start = Start { program, arguments: arguments(app, address)?, key, log_format, otlp_endpoint };
    let stop = CancellationToken::new();
    let task = tokio::spawn(keep_running(start, stop.clone()));
    Ok(Some(LocalWorker { stop, task }))
}

impl LocalWorker {
    /// Returns when it is gone.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the supervisor of the local worker failed");
        }
    }
}

fn find_program(chosen: Option<&Path>) -> Option<PathBuf> {
    if let Some(chosen) = chosen {
        return Some(chosen.to_owned());
    }
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(PROGRAM)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|directory| directory.join(PROGRAM));
    beside.into_iter().chain(on_path).find(|program| program.is_file())
}

fn arguments(app: &App, address: SocketAddr) -> anyhow::Result<Vec<OsString>> {
    let data = std::path::absolute(&app.settings.data_dir)?;
    let url = format!("http://{}", reachable(address));
    let mut arguments: Vec<OsString> = [
        "run".into(),
        "--parent-pipe".into(),
        "--api".into(),
        url.into(),
        "--scratch".into(),
        data.join("worker").into(),
    ]
    .into();
    if let Some(media) = app.storage.directory() {
        arguments.extend(["--storage".into(), std::path::absolute(media)?.into()]);
    }
    arguments.extend(["--drain-seconds".into(), DRAIN_SECONDS.into()]);
    Ok(arguments)
}

/// Who listens everywhere is found here.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

struct Start {
    program: PathBuf,
    arguments: Vec<OsString>,
    key: String,
    log_format: String,
    /// Where its spans go; empty is nowhere.
    otlp_endpoint: String,
}

impl Start {
    /// In a group of its own, so that a Ctrl-C reaches it through us; its stdin ends with us, and then it ends too.
    fn spawn(&self) -> std::io::Result<Child> {
        let mut command = Command::new(&self.program);
        // The worker opens strangers' files: what is the server's alone stays with it.
        for secret in SECRETS.iter().map(|name| format!("FRAMEFARM_{}", name.to_uppercase())) {
            command.env_remove(&secret).env_remove(format!("{secret}_FILE"));
        }
        let of_a_store = |name: &OsString| {
            name.to_str().is_some_and(|name| STORES.iter().any(|store| name.starts_with(store)))
        };
        for (name, _) in std::env::vars_os().filter(|(name, _)| of_a_store(name)) {
            command.env_remove(name);
        }
        command
            .args(&self.arguments)
            .env("FRAMEFARM_WORKER_KEY", &self.key)
            .env_remove("FRAMEFARM_WORKER_KEY_FILE")
            .env("FRAMEFARM_LOG_FORMAT", &self.log_format)
            .env("FRAMEFARM_OTLP_ENDPOINT", &self.otlp_endpoint)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
    }
}

/// Starts it again when it dies, later and later if it does not live long.
async fn keep_running(start: Start, stop: CancellationToken) {
    let mut pause = FIRST_PAUSE;
    loop {
        let started_at = Instant::now();
        match start.spawn() {
            Ok(mut child) => {
                // Held here: to wait for a child closes its stdin, and that tells it that we are gone.
                let _alive = child.stdin.take();
                tracing::info!(program = %start.program.display(), "local worker started");
                tokio::select! {
                    () = stop.cancelled() => return end(child).await,
                    ended = child.wait() => tracing::warn!("local worker exited: {}", words(&ended)),
                }
            }
            Err(error) => {
                tracing::warn!(%error, program = %start.program.display(), "cannot start the local worker");
            }
        }
        if started_at.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        tokio::select! { () = stop.cancelled() => return, () = sleep(pause) => {} }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn words(ended: &std::io::Result<std::process::ExitStatus>) -> String {
    ended.as_ref().map_or_else(ToString::to_string, ToString::to_string)
}

/// SIGTERM, a while to hand its jobs back, then SIGKILL to all of its group.
async fn end(mut child: Child) {
    // Its number is its own until we have waited for it.
    let Some(leader) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) else {
        return;
    };
    if let Err(error) = kill_process(leader, Signal::TERM) {
        tracing::warn!(%error, "cannot send SIGTERM to the local worker");
    }
    if timeout(STOP_GRACE, child.wait()).await.is_ok() {
        return;
    }
    tracing::warn!("local worker did not exit within {STOP_GRACE:?}; killing it");
    if let Err(error) = kill_process_group(leader, Signal::KILL) {
        tracing::warn!(%error, "cannot kill the local worker");
    }
    let _ended = child.wait().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_reached_on_this_machine() {
        for (listens, reached) in
            [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("10.1.2.3:80", "10.1.2.3:80")]
        {
            assert_eq!(reachable(listens.parse().unwrap()).to_string(), reached);
        }
    }
}
