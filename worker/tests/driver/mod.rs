//! Drives the encoder child as the supervisor does: one line of task, reports back, stdin open to the end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use framefarm_worker::encoder::protocol::Report;
use nix::errno::Errno;
use nix::sys::signal::killpg;
use nix::unistd::Pid;
use serde::Serialize;

/// A child that says nothing new for so long hangs, whatever the source is.
const LIMIT: Duration = Duration::from_mins(1);

pub(crate) struct Running {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: JoinHandle<String>,
    speaks_by: Instant,
    said: Vec<Report>,
    late: bool,
}

/// The worker of this build, or the one to compare it with.
pub(crate) fn worker_program() -> PathBuf {
    let other = std::env::var_os("FRAMEFARM_TEST_WORKER");
    other.map_or_else(|| env!("CARGO_BIN_EXE_framefarm-worker").into(), PathBuf::from)
}

/// How a child ended.
pub(crate) struct Ended {
    pub(crate) said: Vec<Report>,
    pub(crate) stderr: String,
    pub(crate) status: ExitStatus,
    /// It was killed because it said nothing new.
    pub(crate) late: bool,
}

impl Running {
    pub(crate) fn start(what: &str, task: &impl Serialize) -> Self {
        Self::start_in(Command::new(worker_program()), what, task)
    }

    /// With the environment of this command.
    pub(crate) fn start_in(mut command: Command, what: &str, task: &impl Serialize) -> Self {
        command.arg(what).process_group(0).env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let (stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (heard, lines) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.map(|line| heard.send(line)).take_while(Result::is_ok).for_each(drop);
        });
        let stderr = thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut line = serde_json::to_vec(task).unwrap();
        line.push(b'\n');
        stdin.write_all(&line).unwrap();
        let speaks_by = Instant::now() + LIMIT;
        Self { child, stdin: Some(stdin), lines, stderr, speaks_by, said: vec![], late: false }
    }

    /// The next thing it says; none when it will say no more.
    pub(crate) fn next(&mut self) -> Option<Report> {
        let left = self.speaks_by.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => {
                let report: Report = serde_json::from_str(&line).unwrap();
                if self.said.last() != Some(&report) {
                    self.speaks_by = Instant::now() + LIMIT;
                }
                self.said.push(report.clone());
                Some(report)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                self.late = true;
                self.child.kill().unwrap();
                None
            }
        }
    }

    pub(crate) fn stdin(&mut self) -> &mut Option<ChildStdin> {
        &mut self.stdin
    }

    /// Hears it out. Nothing of its process group is left then.
    pub(crate) fn finish(mut self) -> Ended {
        while self.next().is_some() {}
        let status = self.child.wait().unwrap();
        let group = Pid::from_raw(self.child.id().try_into().unwrap());
        assert_eq!(killpg(group, None), Err(Errno::ESRCH), "the encoder left a process behind");
        let stderr = self.stderr.join().unwrap();
        Ended { said: self.said, stderr, status, late: self.late }
    }
}
