//! One process group: signals to it, and the question whether anything of it is alive.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use rustix::process::{kill_process, kill_process_group, test_kill_process_group};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, sleep};

/// How often a dying group is looked at: the kernel tells nobody when a grandchild is gone.
const LOOK_EVERY: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub(super) struct Group {
    leader: Pid,
    /// The leader is reaped: the number may belong to a stranger.
    forgotten: bool,
}

impl Group {
    pub(super) fn led_by(child: &tokio::process::Child) -> io::Result<Self> {
        let number = child.id().and_then(|id| i32::try_from(id).ok());
        let leader =
            number.and_then(Pid::from_raw).ok_or_else(|| io::Error::other("the process has no number"))?;
        Ok(Self { leader, forgotten: false })
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

    pub(super) fn signal_all(&self, signal: Signal) -> io::Result<()> {
        gone_is_fine(if self.forgotten { Ok(()) } else { kill_process_group(self.leader, signal) })
    }

    pub(super) fn forget(&mut self) {
        self.forgotten = true;
    }

    pub(super) async fn is_gone_within(&self, wait: Duration) -> bool {
        let deadline = Instant::now() + wait;
        while self.is_alive() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(LOOK_EVERY).await;
        }
        true
    }

    /// A zombie does nothing any more, and in a container nobody may ever reap it: it does not count.
    fn is_alive(&self) -> bool {
        !self.forgotten
            && test_kill_process_group(self.leader) != Err(Errno::SRCH)
            && self.has_living_member()
    }

    fn has_living_member(&self) -> bool {
        let Ok(processes) = std::fs::read_dir("/proc") else {
            return true;
        };
        let mut stats =
            processes.flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
        stats.any(|stat| is_living_member(&stat, self.leader.as_raw_pid()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Err(error) = self.signal_all(Signal::KILL) {
            tracing::error!(process.group = self.leader.as_raw_pid(), error = %error, "could not be killed");
        }
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

/// Reads `pid (name) state parent group …`; the name may hold spaces and parentheses.
fn is_living_member(stat: &str, group: i32) -> bool {
    let Some((_, rest)) = stat.rsplit_once(')') else {
        return false;
    };
    let mut fields = rest.split_ascii_whitespace();
    let (state, _parent, of) = (fields.next(), fields.next(), fields.next());
    of.and_then(|number| number.parse().ok()) == Some(group) && !matches!(state, Some("Z" | "X"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zombie_is_not_alive_and_a_name_cannot_hide_a_member() {
        assert!(is_living_member("7 (a) b) Z 1) S 1 42 42 0", 42));
        assert!(!is_living_member("7 (ffmpeg) Z 1 42 42 0", 42));
        assert!(!is_living_member("7 (ffmpeg) R 1 43 43 0", 42));
    }
}
