//! The child process that encodes, and the conversation with it.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use framefarm_shared::failure::{ErrorClass, LOG_LIMIT, truncate};
use framefarm_shared::gpu::GpuKind;
use rustix::process::{Pid, Signal, setpriority_process};
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::error::AttemptError;
use super::job::Attempt;
use crate::child::{Child, Ended, Lines, LockLostBehavior};
use crate::encoder::protocol::{GpuDevice, Report, STOP};
use crate::sandbox::MODE_VARIABLE;

/// How long a child may take to exit after its last word.
const EXIT_GRACE: Duration = Duration::from_secs(10);
/// Of what it wrote to stderr, as many lines and bytes are told.
const LAST_LINES: usize = 5;
const LAST_BYTES: usize = 300;
/// What the kernel sends a child at its limit of CPU time.
const CPU_TIME_USED_UP: i32 = Signal::XCPU.as_raw();
/// And for whoever watches.
const WATCHED_LINES: usize = 20;

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Probe,
    Encode,
}

/// How the child is started. Nothing of our environment reaches it, least of all the key; it enters the sandbox itself.
fn encoder_command(program: &Path, kind: Kind, directory: &Path, gpu: Option<&GpuDevice>) -> Command {
    let mut command = Command::new(program);
    command.arg(match kind {
        Kind::Probe => "probe",
        Kind::Encode => "encode",
    });
    command.env_clear().current_dir(directory).env("RUST_BACKTRACE", "0");
    // Where the driver of a GPU is kept may be known by the environment alone.
    let drivers = gpu.map(|_| "LD_LIBRARY_PATH");
    for name in ["PATH", "LANG", MODE_VARIABLE].into_iter().chain(drivers) {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    // CUDA counts its devices in an order of its own; by this name it sees the one GPU and no other.
    if let Some(gpu) = gpu.filter(|gpu| gpu.kind == GpuKind::Nvenc) {
        command.env("CUDA_VISIBLE_DEVICES", &gpu.id);
    }
    command
}

/// What the last encoder of an attempt wrote before it ended, however it ended.
#[derive(Clone, Debug, Default)]
pub(super) struct LogTail(Arc<Mutex<Option<String>>>);

impl LogTail {
    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, words: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

/// A running encoder; dropping it kills its group.
pub(super) struct Encoder {
    child: Child,
    log_tail: LogTail,
    lines: Lines,
    stop: CancellationToken,
    lock_lost: LockLostBehavior,
    _speaking: AbortOnDropHandle<()>,
}

impl Encoder {
    /// A child that may use `gpu`, and no other.
    pub(super) fn start(
        attempt: &Attempt<'_>,
        kind: Kind,
        task: &impl Serialize,
        gpu: Option<&GpuDevice>,
    ) -> Result<Self, AttemptError> {
        let options = &attempt.supervisor.options;
        let not_started = |error: &dyn std::fmt::Display| {
            AttemptError::failed(ErrorClass::Internal, format!("cannot start the encoder: {error}"))
        };
        let mut task = serde_json::to_vec(task).map_err(|error| not_started(&error))?;
        task.push(b'\n');
        let command = encoder_command(&options.encoder, kind, attempt.directory.path(), gpu);
        let (child, stdin, lines) = Child::converse(command).map_err(|error| not_started(&error))?;
        step_back(&child, options.nice);
        let stop = CancellationToken::new();
        let speaking = tokio::spawn(speak(stdin, task, stop.clone()));
        let lock_lost = options.lock_lost;
        let log_tail = attempt.log_tail.clone();
        let speaking = AbortOnDropHandle::new(speaking);
        Ok(Self { child, log_tail, lines, stop, lock_lost, _speaking: speaking })
    }

    /// The next thing it says; `None` when it will say no more. May be dropped at any time.
    pub(super) async fn report(&mut self) -> Result<Option<Report>, AttemptError> {
        let line = self.lines.next().await.map_err(|error| not_understood(&error))?;
        line.map(|line| serde_json::from_str(&line).map_err(|error| not_understood(&error))).transpose()
    }

    /// The last lines of what it wrote to stderr; `None` if it wrote nothing.
    pub(super) fn log(&self) -> Option<String> {
        let tail = last_lines(&self.child.stderr_tail(), WATCHED_LINES).join("\n");
        (!tail.is_empty()).then(|| truncate(&tail, LOG_LIMIT).to_owned())
    }

    /// The number of its process.
    pub(super) fn id(&self) -> i32 {
        self.child.id()
    }

    /// Asks it to end at the next boundary.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// After its last word: it exits by itself, or soon not by itself.
    pub(super) async fn finish(&mut self) -> Result<Ended, AttemptError> {
        let ended = match timeout(EXIT_GRACE, self.child.finish()).await {
            Ok(ended) => ended,
            Err(_) => self.child.end(LockLostBehavior::Sigkill).await,
        };
        ended.map_err(|error| AttemptError::disk("cannot wait for the encoder to exit", &error))
    }

    /// It said no last word: how it ended has to tell.
    pub(super) async fn crashed(&mut self) -> AttemptError {
        match self.finish().await {
            Ok(ended) => AttemptError::failed(ErrorClass::Encoder, words_of(&ended)),
            Err(error) => error,
        }
    }

    /// Ends it and all that it started, because of `error`.
    pub(super) async fn end_for(&mut self, error: AttemptError) -> AttemptError {
        let how = if error == AttemptError::Lost { self.lock_lost } else { LockLostBehavior::Sigkill };
        self.end_by(how).await;
        error
    }

    /// Ends it and all that it started.
    pub(super) async fn end(&mut self) {
        self.end_by(LockLostBehavior::Sigkill).await;
    }

    async fn end_by(&mut self, how: LockLostBehavior) {
        if let Err(error) = self.child.end(how).await {
            tracing::error!(error = %error, "cannot wait for the encoder to exit");
        }
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        self.log_tail.keep(self.log());
    }
}

/// The pipe stays open after the last line: its end would tell the child that we are gone. A child that does not read
/// has ended or is stuck, and both are noticed elsewhere.
async fn speak(mut stdin: ChildStdin, task: Vec<u8>, stop: CancellationToken) {
    let _heard_or_not = stdin.write_all(&task).await;
    stop.cancelled().await;
    let _heard_or_not = stdin.write_all(format!("{STOP}\n").as_bytes()).await;
    std::future::pending::<()>().await;
}

fn step_back(child: &Child, nice: u8) {
    let stepped = Pid::from_raw(child.id()).map(|leader| setpriority_process(Some(leader), nice.into()));
    if let Some(Err(error)) = stepped {
        tracing::debug!(error = %error, "cannot lower the priority of the encoder");
    }
}

fn not_understood(error: &dyn std::fmt::Display) -> AttemptError {
    AttemptError::failed(ErrorClass::Internal, format!("invalid output from the encoder: {error}"))
}

fn last_lines(stderr: &[u8], count: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].iter().map(|line| (*line).to_owned()).collect()
}

fn words_of(ended: &Ended) -> String {
    let last = last_lines(&ended.stderr_tail, LAST_LINES).join(" | ");
    let how = how_it_ended(ended.status);
    match truncate(&last, LAST_BYTES) {
        "" => format!("the encoder crashed ({how}) without any output"),
        words => format!("the encoder crashed ({how}); last output: {words}"),
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(9), _) => "signal 9, often because the machine ran out of memory".to_owned(),
        (Some(CPU_TIME_USED_UP), _) => "it exceeded the CPU time limit for a video of this length".to_owned(),
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "unknown exit status".to_owned(),
    }
}
