//! What the child may use up.

use std::num::NonZero;
use std::thread::available_parallelism;

use rustix::io;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{MissingLayer, Rules};

const GIB: u64 = 1 << 30;
const OPEN_FILES: u64 = 256;
/// GPU drivers open their devices again for every session.
const OPEN_FILES_WITH_GPUS: u64 = 1024;
/// SIGXCPU comes first and tells the supervisor why; SIGKILL follows a child that does not heed it.
const CPU_GRACE_SECONDS: u64 = 5;
/// For what takes seconds.
const CPU_SECONDS: u64 = 3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub memory_bytes: u64,
    /// Of each file.
    pub file_bytes: u64,
    pub cpu_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self::for_task(0, 0)
    }
}

impl Limits {
    /// For a source of so many pixels a frame, made into so many qualities at once.
    pub fn for_task(pixels: u64, qualities: u64) -> Self {
        let frames = pixels.saturating_mul(qualities).saturating_mul(64);
        Self { memory_bytes: (4 * GIB).saturating_add(frames), file_bytes: GIB / 2, cpu_seconds: CPU_SECONDS }
    }
}

/// The number of processes is not among them: the kernel counts those of the whole user and exempts root, so the
/// filter of system calls forbids forks instead.
pub(super) fn raise(rules: &Rules) -> Result<(), MissingLayer> {
    let Limits { memory_bytes, file_bytes, cpu_seconds } = rules.limits;
    let open_files = if rules.gpu { OPEN_FILES_WITH_GPUS } else { OPEN_FILES };
    let wanted = [
        ("memory", Resource::Data, memory_bytes, 0),
        ("file size", Resource::Fsize, file_bytes, 0),
        ("core dumps", Resource::Core, 0, 0),
        ("open files", Resource::Nofile, open_files, 0),
        ("CPU time", Resource::Cpu, cpu_seconds, CPU_GRACE_SECONDS),
    ];
    // Shared mappings count only as addresses. GPU drivers reserve more of those than any machine has
    // memory.
    let addresses = memory_bytes.saturating_add(reserved_by_threads());
    let addresses = (!rules.gpu).then_some(("addresses", Resource::As, addresses, 0));
    // All that can be lowered, whatever becomes of the others.
    let lowered = wanted.into_iter().chain(addresses).map(|(what, resource, most, grace)| {
        lower(resource, most, grace)
            .map_err(|error| MissingLayer::of(&format!("{what} limit"), &error.into()))
    });
    lowered.collect::<Vec<_>>().into_iter().collect()
}

/// libc reserves 64 MiB of addresses for each of up to eight heaps a core, and uses little of them.
fn reserved_by_threads() -> u64 {
    let cores = available_parallelism().map_or(1, NonZero::get);
    GIB.saturating_mul(u64::try_from(cores).unwrap_or(1))
}

/// A limit that is lower already stays.
fn lower(resource: Resource, most: u64, grace: u64) -> io::Result<()> {
    let hard = getrlimit(resource).maximum.unwrap_or(u64::MAX).min(most.saturating_add(grace));
    setrlimit(resource, Rlimit { current: Some(most.min(hard)), maximum: Some(hard) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_task_gets_more_memory_and_no_number_overflows() {
        let uhd = Limits::for_task(3840 * 2160, 6).memory_bytes;
        assert!((6 * GIB..8 * GIB).contains(&uhd), "{uhd}");
        assert_eq!(Limits::for_task(u64::MAX, 6).memory_bytes, u64::MAX);
    }
}
