//! A process that works for one job, together with everything it starts.
//!
//! It leads a process group of its own, and signals go to that group and to its descendants that left it, and to
//! nobody else. Its exit is seen through a pidfd, which does not reap it: until all are gone the leader stays a zombie,
//! so that the group's number cannot pass to a stranger while we may still signal it.

mod drain;
mod group;
mod lines;
mod process;
mod process_tree;

use std::io;
use std::os::fd::OwnedFd;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::unix::AsyncFd;
use tokio::process::{ChildStdin, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use drain::Drain;
use group::Group;
use process_tree::Mark;

pub use lines::{LineError, Lines};
pub(crate) use process::descends_from_us;

/// How long a process that lost its claim may go on after SIGTERM.
pub const LOCK_LOST_GRACE: Duration = Duration::from_secs(3);
/// How long grandchildren may go on writing after the process itself has ended.
const STRAGGLER_GRACE: Duration = Duration::from_secs(5);
/// How long the death of a killed group, and the end of its pipes, is waited for.
const DEATH_WAIT: Duration = Duration::from_secs(5);

/// How to stop a process whose job was reassigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LockLostBehavior {
    /// SIGKILL to the process and all its descendants, immediately.
    #[default]
    Sigkill,
    /// SIGTERM to the process, then SIGKILL to all after three seconds.
    Sigterm,
}

/// How it went. The tails are the last bytes of what was written, not all of it; what was read as lines is in none.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout_tail: Vec<u8>,
    pub stderr_tail: Vec<u8>,
    /// Whether nobody of its group and its descendants was left when we looked.
    pub all_are_gone: bool,
}

/// Whether a process came to its own end.
#[derive(Debug)]
pub enum Outcome {
    Finished(Ended),
    LockLost(Ended),
}

/// A running process. Dropping it kills it and all that it started.
#[derive(Debug)]
pub struct Child {
    // Dropped before `leader`, which would reap: the group is killed while its number is surely its own.
    group: Group,
    leader: tokio::process::Child,
    exit: AsyncFd<OwnedFd>,
    stdout: Drain,
    stderr: Drain,
}

impl Child {
    /// Starts a process that is only watched: it gets nothing to read, and the last of what it writes is kept.
    pub fn spawn(mut command: Command) -> io::Result<Self> {
        let mut child = Self::start(command.stdin(Stdio::null()))?;
        child.stdout = Drain::start(child.leader.stdout.take());
        Ok(child)
    }

    /// Starts a process to talk with: what we write to it, and the lines it says. Whoever holds its stdin holds it
    /// open.
    pub fn converse(mut command: Command) -> io::Result<(Self, ChildStdin, Lines)> {
        let mut child = Self::start(command.stdin(Stdio::piped()))?;
        let (stdin, stdout) = (child.leader.stdin.take(), child.leader.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok((child, stdin, Lines::new(stdout)))
    }

    fn start(command: &mut Command) -> io::Result<Self> {
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mark = Mark::put_on(command)?;
        let mut leader = command.spawn()?;
        let group = Group::led_by(&leader, mark)?;
        let exit = group.watch_leader()?;
        let stderr = Drain::start(leader.stderr.take());
        Ok(Self { group, leader, exit, stdout: Drain::nothing(), stderr })
    }

    /// The last of what it has written to stderr so far.
    pub fn stderr_tail(&self) -> Vec<u8> {
        self.stderr.tail()
    }

    /// The number of the process, and of its group.
    pub fn id(&self) -> i32 {
        self.group.leader().as_raw_pid()
    }

    /// Runs to the end, or until the claim is lost; then the group is ended.
    pub async fn run(mut self, lost: &CancellationToken, behavior: LockLostBehavior) -> io::Result<Outcome> {
        tokio::select! {
            biased;
            () = lost.cancelled() => self.end(behavior).await.map(Outcome::LockLost),
            ended = self.finish() => ended.map(Outcome::Finished),
        }
    }

    /// Waits for the process to end by itself. Grandchildren that outlive it get a moment, then they are killed.
    pub async fn finish(&mut self) -> io::Result<Ended> {
        self.exited().await?;
        let both = async { tokio::join!(self.stdout.ended(), self.stderr.ended()) };
        let _stragglers_or_not = timeout(STRAGGLER_GRACE, both).await;
        self.bury().await
    }

    /// Ends the process and all that it started.
    pub async fn end(&mut self, behavior: LockLostBehavior) -> io::Result<Ended> {
        if behavior == LockLostBehavior::Sigterm {
            self.group.signal_leader(Signal::TERM)?;
            let _ended_or_not = timeout(LOCK_LOST_GRACE, self.exited()).await;
        }
        self.bury().await
    }

    async fn exited(&self) -> io::Result<()> {
        self.exit.readable().await.map(drop)
    }

    /// Kills what is left, sees that it is gone, and only then reaps the leader.
    async fn bury(&mut self) -> io::Result<Ended> {
        let killed = self.group.kill_all().await?;
        self.exited().await?;
        let all_are_gone = self.group.is_gone_within(DEATH_WAIT, killed).await;
        if !all_are_gone {
            tracing::error!(process.group = self.id(), "killed processes are still running");
        }
        let status = self.leader.wait().await?;
        self.group.forget();
        // Whoever got away all the same may hold the pipes for ever; we do not wait for that.
        let both = async { tokio::join!(self.stdout.ended(), self.stderr.ended()) };
        let _closed_or_not = timeout(Duration::from_millis(200), both).await;
        let (stdout_tail, stderr_tail) = (self.stdout.tail(), self.stderr.tail());
        Ok(Ended { status, stdout_tail, stderr_tail, all_are_gone })
    }
}

#[cfg(test)]
mod tests;
