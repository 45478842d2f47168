//! Which processes live on this machine, and who we are.

use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System};

/// What is known about a PID of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    Gone,
    /// The start time is unknown where another user's processes are hidden.
    Alive {
        start_time_unix: Option<u64>,
    },
}

/// Looks up processes of this machine. Closures are process tables too, so that a test says who lives.
pub trait ProcessTable: Send + Sync {
    fn look_up(&self, pid: u32) -> Process;
}

impl<F: Fn(u32) -> Process + Send + Sync> ProcessTable for F {
    fn look_up(&self, pid: u32) -> Process {
        self(pid)
    }
}

/// The process table of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunningProcesses;

impl ProcessTable for RunningProcesses {
    fn look_up(&self, pid: u32) -> Process {
        // The signal comes first: it knows of processes that a `/proc` with `hidepid` does not show.
        let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
            return Process::Gone;
        };
        if test_kill_process(raw) == Err(Errno::SRCH) {
            return Process::Gone;
        }
        let Ok(mut system) = System::new() else {
            return Process::Alive { start_time_unix: None };
        };
        let pid = sysinfo::Pid::from_u32(pid);
        system.refresh_processes_specifics(
            ProcessesToUpdate::Some(&[pid]),
            true,
            ProcessRefreshKind::nothing(),
        );
        match system.process(pid) {
            Some(process) if matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead) => {
                Process::Gone
            }
            Some(process) => Process::Alive { start_time_unix: Some(process.start_time()) },
            None => Process::Alive { start_time_unix: None },
        }
    }
}

/// Who wants or holds the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub pid: u32,
    pub process_start_time_unix: u64,
    pub hostname: String,
}

impl Identity {
    pub fn of_this_process() -> io::Result<Self> {
        let pid = std::process::id();
        let Process::Alive { start_time_unix: Some(process_start_time_unix) } = RunningProcesses.look_up(pid)
        else {
            return Err(io::Error::other("cannot determine the start time of this process"));
        };
        let hostname = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Ok(Self { pid, process_start_time_unix, hostname })
    }
}
