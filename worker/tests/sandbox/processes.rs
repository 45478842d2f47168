//! Ways out through other processes, new ones or those that are there.

use std::env;
use std::io::{self, IoSliceMut};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use framefarm_worker::sandbox::Layer;
use nix::sys::ptrace;
use nix::sys::signal::kill;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::{getppid, setsid};
use rustix::thread::CapabilitySet;

use crate::attempt::WayOut;
use crate::yard::Yard;

const SECRET_AT: &str = "SANDBOX_SECRET_AT";
static SECRET: [u8; 8] = *b"a secret";

pub(crate) fn where_the_secret_is() -> (&'static str, String) {
    (SECRET_AT, SECRET.as_ptr().addr().to_string())
}

pub(crate) fn ways_out() -> Vec<WayOut> {
    // Landlock refuses to run what it does not know, after the fork.
    let fork =
        |name, run| WayOut { perhaps_by: &[Layer::Files], ..WayOut::new(name, &[Layer::Syscalls], run) };
    let both: &[Layer] = &[Layer::Files, Layer::Syscalls];
    // Kernels may forbid it among strangers, which root without capabilities is.
    let trace = |name, run| WayOut {
        perhaps_by: &[Layer::Capabilities],
        needs: CapabilitySet::SYS_PTRACE,
        ..WayOut::new(name, both, run)
    };
    vec![
        fork("it_cannot_start_a_program", |_| Command::new("/bin/true").status().map(drop)),
        fork("it_cannot_start_a_program_by_fork", |_| forked("/bin/true").status().map(drop)),
        fork("it_cannot_be_a_fork_bomb", bomb),
        WayOut::new("it_cannot_become_another_program", both, |_| {
            Err(Command::new("/bin/echo").arg("did it").exec())
        }),
        // Landlock stops signals since Linux 6.12.
        fork("it_cannot_signal_its_parent", |_| Ok(kill(getppid(), None)?)),
        WayOut::new("it_cannot_leave_its_process_group", &[Layer::Syscalls], leave_the_group),
        trace("it_cannot_trace_its_parent", trace_the_parent),
        trace("it_cannot_read_the_memory_of_its_parent", read_the_parent),
        WayOut {
            needs: CapabilitySet::SYS_RESOURCE,
            ..WayOut::new(
                "it_cannot_raise_its_limits_again",
                &[Layer::Capabilities, Layer::Syscalls],
                raise_a_limit,
            )
        },
    ]
}

/// The standard library forks by itself, instead of `posix_spawn`, where an identity is set.
fn forked(program: &str) -> Command {
    let mut command = Command::new(program);
    command.uid(rustix::process::geteuid().as_raw());
    command
}

fn bomb(_: &Yard) -> io::Result<()> {
    let mut started: Vec<Child> = Vec::new();
    let mut last = Ok(());
    for _ in 0..32 {
        match Command::new("/bin/sleep").arg("0.2").spawn() {
            Ok(child) => started.push(child),
            Err(error) => last = Err(error),
        }
    }
    if started.is_empty() {
        return last;
    }
    started.iter_mut().try_for_each(|child| child.wait().map(drop))
}

/// The child of a test does not lead its group, so that this works without layers.
fn leave_the_group(_: &Yard) -> io::Result<()> {
    setsid()?;
    Ok(())
}

/// Seizing does not stop the parent, and ends with us.
fn trace_the_parent(_: &Yard) -> io::Result<()> {
    Ok(ptrace::seize(getppid(), ptrace::Options::empty())?)
}

fn read_the_parent(_: &Yard) -> io::Result<()> {
    let mut bytes = [0; SECRET.len()];
    let base = env::var(SECRET_AT).unwrap().parse().unwrap();
    let remote = RemoteIoVec { base, len: bytes.len() };
    process_vm_readv(getppid(), &mut [IoSliceMut::new(&mut bytes)], &[remote])?;
    assert_eq!(bytes, SECRET);
    Ok(())
}

fn raise_a_limit(_: &Yard) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile).maximum.unwrap_or(0);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: Some(now + 1), maximum: Some(now + 1) })?)
}
