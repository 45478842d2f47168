//! The machine: cores, memory, scratch, sandbox.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::thread::available_parallelism;

use rustix::fs::statvfs;
use rustix::system::sysinfo;

use super::{Finding, Health};
use crate::sandbox::{Mode, Raised, State};

const GIB: u64 = 1 << 30;
/// A source, its segments and what waits for delivery.
const ROOM: u64 = 10 * GIB;

pub(super) fn core_count() -> usize {
    available_parallelism().map_or(1, std::num::NonZero::get)
}

pub(super) fn memory_bytes() -> u64 {
    let info = sysinfo();
    info.totalram.saturating_mul(info.mem_unit.into())
}

pub(super) fn cores() -> Finding {
    Finding::new("cores", Health::Good, core_count().to_string())
}

pub(super) fn memory() -> Finding {
    let bytes = memory_bytes();
    let health = if bytes < 2 * GIB { Health::Bad } else { Health::Good };
    Finding::new("memory", health, in_gib(bytes)).advise("HD video needs at least 2 GiB")
}

pub(super) fn scratch(directory: &Path) -> [Finding; 2] {
    let shown = directory.display();
    let writable = match write_a_file(directory) {
        Ok(()) => Finding::new("scratch", Health::Good, format!("{shown} is writable")),
        Err(error) => Finding::new("scratch", Health::Bad, format!("{shown}: {error}")),
    };
    let free = match statvfs(directory) {
        Ok(disk) => {
            let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
            let health = if bytes < ROOM { Health::Bad } else { Health::Good };
            Finding::new("scratch space", health, format!("{} free", in_gib(bytes)))
        }
        Err(error) => Finding::new("scratch space", Health::Bad, error.to_string()),
    };
    [
        writable.essential().advise("choose another directory with --scratch, or make this one writable"),
        free.advise("large sources need more than 10 GiB; choose another directory with --scratch"),
    ]
}

/// A right on paper may fail in practice: read-only mounts, quotas, full disks.
fn write_a_file(directory: &Path) -> io::Result<()> {
    let path = directory.join(format!(".framefarm-doctor-{}", std::process::id()));
    let written = File::create_new(&path).and_then(|mut file| file.write_all(&[0; 4096]));
    let removed = fs::remove_file(&path);
    written.and(removed)
}

/// Every layer; where all are required, nothing is encoded without one.
pub(super) fn sandbox(raised: &io::Result<Raised>, mode: Option<Mode>) -> Vec<Finding> {
    let findings = match raised {
        Ok(raised) => {
            raised.0.iter().map(|(layer, state)| layer_finding(layer.name(), state, raised)).collect()
        }
        Err(error) => vec![Finding::new("sandbox", Health::Bad, error.to_string())],
    };
    let is_essential = mode.is_none_or(|mode| mode == Mode::Required);
    findings.into_iter().map(|finding| if is_essential { finding.essential() } else { finding }).collect()
}

fn layer_finding(name: &str, state: &State, raised: &Raised) -> Finding {
    let (health, says) = match state {
        State::Up => (Health::Good, "enforced"),
        State::Missing(missing) => (Health::Bad, missing.detail.as_str()),
    };
    Finding::new(&format!("sandbox: {name}"), health, says).advise(&raised.advice())
}

fn in_gib(bytes: u64) -> String {
    format!("{}.{} GiB", bytes / GIB, bytes % GIB * 10 / GIB)
}
