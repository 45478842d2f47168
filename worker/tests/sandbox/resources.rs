//! Ways to use up the machine.

use std::fs;
use std::io;

use framefarm_worker::sandbox::{Layer, Limits};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use crate::attempt::WayOut;
use crate::inside::roomy;
use crate::yard::Yard;

const MIB: u64 = 1 << 20;

pub(crate) fn ways_out() -> Vec<WayOut> {
    let limited =
        |name, limits, run| WayOut { limits, may_die: true, ..WayOut::new(name, &[Layer::Limits], run) };
    vec![
        WayOut::new("it_cannot_keep_memory_in_files_without_a_name", &[Layer::Syscalls], hide_memory),
        limited(
            "it_cannot_have_more_memory_than_its_limit",
            Limits { memory_bytes: 512 * MIB, ..roomy() },
            allocate,
        ),
        limited("it_cannot_write_a_file_beyond_its_limit", Limits { file_bytes: MIB, ..roomy() }, write),
        limited("it_cannot_burn_more_cpu_than_its_limit", Limits { cpu_seconds: 1, ..roomy() }, burn),
    ]
}

/// Reserved and never touched: the test's machine stays fine without layers too.
fn allocate(_: &Yard) -> io::Result<()> {
    let mut bytes: Vec<u8> = Vec::new();
    bytes.try_reserve_exact(1 << 30).map_err(io::Error::other)
}

fn hide_memory(_: &Yard) -> io::Result<()> {
    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    Ok(rustix::fs::memfd_create("hidden", flags).map(drop)?)
}

fn write(yard: &Yard) -> io::Result<()> {
    fs::write(yard.scratch().join("large"), vec![1; 1 << 21])
}

fn burn(_: &Yard) -> io::Result<()> {
    while getrusage(UsageWho::RUSAGE_SELF)?.user_time().num_milliseconds() < 2_500 {
        std::hint::black_box((0..1_000_000_u64).fold(0, u64::wrapping_add));
    }
    Ok(())
}
