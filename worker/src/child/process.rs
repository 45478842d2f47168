//! What `/proc` says of a process.

use std::fs::File;
use std::io::Read as _;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

/// How long one may take to begin a program, on a busy machine.
const PROGRAM_BEGINS: Duration = Duration::from_millis(200);
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// A quarter of the usual stack, which is all that the kernel allows.
const LARGEST_ENVIRONMENT: usize = 2 << 20;
/// More generations than any process tree has.
const DEEPEST: usize = 64;

/// One process at the instant it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: Pid,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// Ticks since the machine started: with its number, the name of a process.
    pub(super) started: u64,
    state: char,
    threads: u32,
}

impl Process {
    pub(super) fn look(id: Pid) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_pid())).ok()?;
        Self::parse(id, &stat)
    }

    /// Every process that can be seen; `None` where there is no `/proc`.
    pub(super) fn all() -> Option<Vec<Self>> {
        let numbers = std::fs::read_dir("/proc").ok()?.flatten();
        let ids =
            numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw));
        Some(ids.filter_map(Self::look).collect())
    }

    /// Reads `pid (name) state parent group …`; the name may hold spaces and parentheses.
    fn parse(id: Pid, stat: &str) -> Option<Self> {
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Self {
            id,
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            threads: fields.get(17)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    /// A zombie does nothing any more, and in a container nobody may ever reap it. One that only lost its first thread
    /// looks like a zombie and is none.
    pub(super) fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X') && self.threads <= 1
    }

    /// Of one that got SIGSTOP: whether it comes to nothing new. In `D` it waits in the kernel, for a child of `vfork`
    /// that we stopped before it ran its program, for instance; the signal meets it on its way out.
    pub(super) fn stands_still(&self) -> bool {
        matches!(self.state, 'T' | 't' | 'D')
    }

    pub(super) fn is_still_there(&self) -> bool {
        Self::look(self.id).is_some_and(|now| now.started == self.started && now.parent == self.parent)
    }

    /// Whether `entry`, as `NAME=value`, was in its environment when its program began. One that is about to run another
    /// program has none for a moment, and is waited for.
    pub(super) fn began_with(&self, entry: &str) -> bool {
        let mut environment = self.environment();
        let deadline = Instant::now() + PROGRAM_BEGINS;
        while environment.is_empty() && !self.is_dead() && Instant::now() < deadline {
            thread::sleep(LOOK_EVERY);
            if Self::look(self.id).is_none_or(|now| now.started != self.started || now.is_dead()) {
                return false;
            }
            environment = self.environment();
        }
        environment.split(|byte| *byte == 0).any(|found| found == entry.as_bytes())
    }

    /// Read by one call: between two another program may begin, and the rest would be missing.
    fn environment(&self) -> Vec<u8> {
        let mut bytes = vec![0; LARGEST_ENVIRONMENT];
        let file = File::open(format!("/proc/{}/environ", self.id.as_raw_pid()));
        let length = file.and_then(|mut file| file.read(&mut bytes)).unwrap_or(0);
        bytes.truncate(length);
        bytes
    }
}

/// Whether a process is this one, or one that it started, at whatever remove.
pub(crate) fn descends_from_us(id: u32) -> bool {
    let us = rustix::process::getpid().as_raw_pid();
    let mut at = id.cast_signed();
    // Numbers pass from process to process while we look, so that the way up may have no end.
    for _ in 0..DEEPEST {
        if at == us {
            return true;
        }
        let parent = Pid::from_raw(at).and_then(Process::look).map(|process| process.parent);
        let Some(parent) = parent.filter(|parent| *parent > 0) else { return false };
        at = parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(stat: &str) -> Process {
        Process::parse(Pid::from_raw(7).unwrap(), stat).unwrap()
    }

    #[test]
    fn a_name_cannot_hide_a_process() {
        let process = parsed("7 (a) b) Z 1) S 1 42 42 0 -1 4194304 1 0 0 0 2 3 0 0 20 0 5 0 12345 1 1");
        assert_eq!((process.parent, process.group, process.started), (1, 42, 12345));
        assert!(!process.is_dead());
    }

    #[test]
    fn a_zombie_is_dead_and_one_whose_first_thread_ended_is_not() {
        assert!(parsed("7 (x) Z 1 42 42 0 -1 4 1 0 0 0 2 3 0 0 20 0 1 0 12345 1").is_dead());
        assert!(!parsed("7 (x) Z 1 42 42 0 -1 4 1 0 0 0 2 3 0 0 20 0 2 0 12345 1").is_dead());
    }

    #[test]
    fn an_environment_is_seen_while_one_program_gives_way_to_the_next() {
        const AGAIN: &str = r#"exec sh -c "$0" "$0""#;
        let mut command = std::process::Command::new("sh");
        let mut child = command.args(["-c", AGAIN, AGAIN]).env("MARKED", "here").spawn().unwrap();
        let process = Process::look(Pid::from_child(&child)).unwrap();
        let missed = (0..2_000).filter(|_| !process.began_with("MARKED=here")).count();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(missed, 0);
    }

    #[test]
    fn this_process_is_seen() {
        let me = Process::look(rustix::process::getpid()).unwrap();
        assert!(me.is_still_there() && !me.is_dead() && !me.stands_still());
        assert!(Process::all().unwrap().iter().any(|process| process.id == me.id));
    }
}
