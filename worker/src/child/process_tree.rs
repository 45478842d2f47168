//! A process and everything that descends from it, wherever that went.
//!
//! `setsid` leaves a process group, so a signal to the group does not reach all. Descent cannot be left: this process
//! adopts the orphans of its children (it is their subreaper), and so a descendant is either below the child or an
//! orphan that hangs directly on us. Which child an orphan came from tells a mark in the environment, inherited from it.
//!
//! First all are stopped, until a look at `/proc` finds nobody who was not; then nobody can start another one behind our
//! back, and all are killed. A number may pass to a stranger between a look and a signal: signals go through a pidfd,
//! and only after what is behind the number was seen once more to be what was found.
//!
//! A cgroup of its own for each child would do the same with one write, but few workers may make one: containers mount
//! them read-only, and users without a delegated slice have none. What escapes this way is an orphan that cleared its
//! environment; the real encoder can neither fork nor run programs, see [`crate::sandbox`].

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use rustix::process::{getpid, pidfd_open, pidfd_send_signal, set_child_subreaper, waitpid};
use tokio::process::Command;

use super::process::Process;

const MARK: &str = "FRAMEFARM_CHILD";
/// How long a process tree may take to stand still before it is killed as it is.
const STANDING_STILL: Duration = Duration::from_millis(250);
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// What the environment of one child says, and of nobody else.
#[derive(Clone, Debug)]
pub(super) struct Mark(String);

impl Mark {
    /// Marks a program that is about to be started, and has its orphans come to us.
    pub(super) fn put_on(command: &mut Command) -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        let mark = format!("{:032x}", rand::random::<u128>());
        command.env(MARK, &mark);
        Ok(Self(format!("{MARK}={mark}")))
    }
}

#[derive(Clone, Debug)]
pub(super) struct ProcessTree {
    /// As it was when it started: its number alone is no name.
    leader: Process,
    mark: Mark,
}

impl ProcessTree {
    pub(super) fn of(leader: Pid, mark: Mark) -> io::Result<Self> {
        let leader =
            Process::look(leader).ok_or_else(|| io::Error::other("the child process is not in /proc"))?;
        Ok(Self { leader, mark })
    }

    /// Stops all, then kills all. It blocks, for some milliseconds as a rule.
    pub(super) fn kill(&self) -> Killed {
        let mut caught = HashMap::<Pid, Caught>::new();
        let deadline = Instant::now() + STANDING_STILL;
        // Twice: one that was started while we first looked is seen the second time, and starts nobody else.
        let mut looks_without_news = 0;
        while looks_without_news < 2 && Instant::now() < deadline {
            let mut news = false;
            for process in self.living() {
                let known = caught.get(&process.id);
                if known.is_some_and(|known| known.process.started == process.started) {
                    news |= !process.stands_still();
                    continue;
                }
                news = true;
                if let Some(new) = Caught::catch(process) {
                    new.signal(Signal::STOP);
                    caught.insert(new.process.id, new);
                }
            }
            looks_without_news = if news { 0 } else { looks_without_news + 1 };
            if news {
                thread::sleep(LOOK_EVERY);
            }
        }
        for process in caught.values() {
            process.signal(Signal::KILL);
        }
        Killed(caught.into_values().map(|caught| caught.process).collect())
    }

    /// Whether nobody is left. Who is still alive gets killed, and who became ours to reap is reaped, but for the
    /// leader.
    pub(super) fn is_gone(&self, killed: &mut Killed) -> bool {
        let living: Vec<Caught> = self.living().filter_map(Caught::catch).collect();
        for process in &living {
            process.signal(Signal::KILL);
        }
        let is_gone = living.is_empty();
        killed.0.extend(living.into_iter().map(|caught| caught.process));
        killed.0.retain(|process| process.id != self.leader.id && !is_reaped(process));
        is_gone && killed.0.is_empty()
    }

    fn living(&self) -> impl Iterator<Item = Process> {
        self.members().into_iter().filter(|process| !process.is_dead())
    }

    fn members(&self) -> Vec<Process> {
        let all = Process::all().unwrap_or_default();
        let mut below = HashMap::<i32, Vec<&Process>>::new();
        for process in &all {
            below.entry(process.parent).or_default().push(process);
        }
        let mut found: Vec<&Process> = all.iter().filter(|process| self.is_root(process)).collect();
        let mut seen: HashSet<Pid> = found.iter().map(|process| process.id).collect();
        let mut next = 0;
        while let Some(process) = found.get(next) {
            let children = below.get(&process.id.as_raw_pid()).into_iter().flatten();
            let new: Vec<&Process> = children.filter(|child| seen.insert(child.id)).copied().collect();
            found.extend(new);
            next += 1;
        }
        found.into_iter().cloned().collect()
    }

    /// The leader, or an orphan that came from it.
    fn is_root(&self, process: &Process) -> bool {
        let is_leader = process.id == self.leader.id && process.started == self.leader.started;
        is_leader || (is_ours(process) && process.id != self.leader.id && process.began_with(&self.mark.0))
    }
}

/// Those who got the signal and may not have been reaped yet.
#[derive(Debug, Default)]
pub(super) struct Killed(Vec<Process>);

/// Whether it is no more, not even as a zombie of ours.
fn is_reaped(process: &Process) -> bool {
    let now = Process::look(process.id).filter(|now| now.started == process.started);
    // A zombie of ours keeps its number until this call.
    now.is_none_or(|now| {
        now.is_dead()
            && (!is_ours(&now) || waitpid(Some(now.id), WaitOptions::NOHANG).is_ok_and(|it| it.is_some()))
    })
}

fn is_ours(process: &Process) -> bool {
    process.parent == getpid().as_raw_pid()
}

/// A process that cannot be mistaken for another one.
struct Caught {
    process: Process,
    pidfd: OwnedFd,
}

impl Caught {
    fn catch(process: Process) -> Option<Self> {
        let pidfd = pidfd_open(process.id, PidfdFlags::empty()).ok()?;
        process.is_still_there().then_some(Self { process, pidfd })
    }

    /// One that is gone needs none.
    fn signal(&self, signal: Signal) {
        let _sent_or_gone = pidfd_send_signal(&self.pidfd, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_passed_to_a_stranger_is_not_signalled() {
        let mut stranger = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let id = Pid::from_raw(stranger.id().cast_signed()).unwrap();
        let seen = Process::look(id).unwrap();
        let (mut former, mut of_another) = (seen.clone(), seen.clone());
        former.started -= 1;
        of_another.parent = 1;
        assert!(Caught::catch(former.clone()).is_none() && Caught::catch(of_another).is_none());

        let tree = ProcessTree { leader: former, mark: Mark("NOBODY=x".to_owned()) };
        tree.kill();
        assert!(tree.is_gone(&mut Killed::default()));
        assert!(stranger.try_wait().unwrap().is_none(), "a stranger with its number is alive");
        assert!(Caught::catch(seen).is_some());
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
}
