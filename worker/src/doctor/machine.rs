//! The machine: cores, memory, scratch, walls.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::thread::available_parallelism;

use rustix::fs::statvfs;
use rustix::system::sysinfo;

use super::{Finding, Health};
use crate::walls::{Raised, State};

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
    Finding::new("memory", health, in_gib(bytes)).advise("2 GiB are the least for high definition")
}

pub(super) fn scratch(directory: &Path) -> [Finding; 2] {
    let shown = directory.display();
    let writable = match write_a_file(directory) {
        Ok(()) => Finding::new("scratch", Health::Good, format!("{shown} can be written")),
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
        writable.essential().advise("give another directory with --scratch, or make this one writable"),
        free.advise("large sources need more than 10 GiB; give another directory with --scratch"),
    ]
}

/// A right on paper may fail in practice: read-only mounts, quotas, full disks.
fn write_a_file(directory: &Path) -> io::Result<()> {
    let path = directory.join(format!(".framefarm-doctor-{}", std::process::id()));
    let written = File::create_new(&path).and_then(|mut file| file.write_all(&[0; 4096]));
    let removed = fs::remove_file(&path);
    written.and(removed)
}

pub(super) fn walls(raised: &io::Result<Raised>) -> Vec<Finding> {
    match raised {
        Ok(raised) => raised.0.iter().map(|(wall, state)| one_wall(wall.name(), state)).collect(),
        Err(error) => vec![Finding::new("walls", Health::Bad, error.to_string())],
    }
}

fn one_wall(name: &str, state: &State) -> Finding {
    let (health, says) = match state {
        State::Up => (Health::Good, "stands"),
        State::Missing(reason) => (Health::Bad, reason.as_str()),
    };
    let finding = Finding::new(&format!("wall {name}"), health, says);
    finding.advise("encoders run with one wall less; docs/sandbox.md tells what that means")
}

fn in_gib(bytes: u64) -> String {
    format!("{}.{} GiB", bytes / GIB, bytes % GIB * 10 / GIB)
}
