//! One process group and the process tree of its leader: signals to them, and the question whether anyone is alive.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use rustix::process::{kill_process, kill_process_group, test_kill_process_group};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, sleep};

use super::process::Process;
use super::process_tree::{Killed, Mark, ProcessTree};

/// How often a dying group is looked at: the kernel tells nobody when a grandchild is gone.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How often one that is dropped is looked at, for the sake of its zombies.
const LAST_LOOKS: u32 = 20;

#[derive(Debug)]
pub(super) struct Group {
    leader: Pid,
    tree: ProcessTree,
    /// The leader is reaped: the number may belong to a stranger.
    forgotten: bool,
}

impl Group {
    pub(super) fn led_by(child: &tokio::process::Child, mark: Mark) -> io::Result<Self> {
        let number = child.id().and_then(|id| i32::try_from(id).ok());
        let leader =
            number.and_then(Pid::from_raw).ok_or_else(|| io::Error::other("the process has no PID"))?;
        let tree = ProcessTree::of(leader, mark)?;
        Ok(Self { leader, tree, forgotten: false })
    }

    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    pub(super) fn watch_leader(&self) -> io::Result<AsyncFd<OwnedFd>> {
        watch(self.leader)
    }

    pub(super) fn signal_leader(&self, signal: Signal) -> io::Result<()> {
        gone_is_fine(if self.forgotten { Ok(()) } else { kill_process(self.leader, signal) })
    }

    /// SIGKILL to everyone: the process tree first, since the death of a parent makes orphans.
    pub(super) async fn kill_all(&self) -> io::Result<Killed> {
        if self.forgotten {
            return Ok(Killed::default());
        }
        let tree = self.tree.clone();
        let killed = tokio::task::spawn_blocking(move || tree.kill()).await?;
        self.signal_group(Signal::KILL)?;
        Ok(killed)
    }

    fn signal_group(&self, signal: Signal) -> io::Result<()> {
        gone_is_fine(if self.forgotten { Ok(()) } else { kill_process_group(self.leader, signal) })
    }

    pub(super) fn forget(&mut self) {
        self.forgotten = true;
    }

    pub(super) async fn is_gone_within(&self, wait: Duration, mut killed: Killed) -> bool {
        let deadline = Instant::now() + wait;
        while !self.is_gone(&mut killed) {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(LOOK_EVERY).await;
        }
        true
    }

    fn is_gone(&self, killed: &mut Killed) -> bool {
        self.forgotten || (self.tree.is_gone(killed) && !self.is_alive())
    }

    fn is_alive(&self) -> bool {
        test_kill_process_group(self.leader) != Err(Errno::SRCH) && self.has_living_member()
    }

    fn has_living_member(&self) -> bool {
        let group = self.leader.as_raw_pid();
        Process::all()
            .is_none_or(|all| all.iter().any(|process| process.group == group && !process.is_dead()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.forgotten {
            return;
        }
        let mut killed = self.tree.kill();
        if let Err(error) = self.signal_group(Signal::KILL) {
            tracing::error!(process.group = self.leader.as_raw_pid(), error = %error, "cannot kill the processes");
        }
        let _gone_or_not = (0..LAST_LOOKS).any(|_| self.tree.is_gone(&mut killed));
    }
}

/// Becomes readable when the process has ended; the process stays unreaped.
#[expect(deprecated, reason = "sound for an OwnedFd, and its successor needs unsafe")]
pub(super) fn watch(process: Pid) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(pidfd_open(process, PidfdFlags::NONBLOCK)?, Interest::READABLE)
}

fn gone_is_fine(result: rustix::io::Result<()>) -> io::Result<()> {
    match result {
        Err(Errno::SRCH) => Ok(()),
        other => Ok(other?),
    }
}
