//! Landlock: the files that the child can open.
//!
//! Where the kernel knows how, Landlock also refuses TCP, abstract unix sockets and signals to others. The filter of
//! system calls refuses those too, and refuses what Landlock leaves alone on the files that can be reached: modes,
//! owners, times and attributes.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Cause, MissingLayer, Rules};

/// What we ask for; a kernel that knows less gives what it knows.
const NEWEST: ABI = ABI::V9;
const LANDLOCK: &str = "Landlock";

/// What libraries read when they are loaded and when they look at the machine.
const LIBRARIES: [&str; 15] = [
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/usr/share",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/dev/urandom",
];

/// The last two are where NixOS keeps drivers.
const GPU_READ: [&str; 7] = [
    "/proc/driver/nvidia",
    "/proc/devices",
    "/sys/class/drm",
    "/sys/dev/char",
    "/sys/devices",
    "/run/opengl-driver",
    "/nix/store",
];

pub(super) fn raise(rules: &Rules) -> Result<(), MissingLayer> {
    // This asks the kernel. The crate takes every refusal for a kernel without Landlock; what the kernel said is in
    // `errno` until the next call.
    let (empty, said) = (Ruleset::default(), io::Error::last_os_error());
    let status =
        ruleset(empty, rules).and_then(RulesetCreated::restrict_self).map_err(|error| missing(&error))?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced, _) => Ok(()),
        (_, LandlockStatus::NotImplemented) if said.raw_os_error() == Some(libc::EPERM) => {
            Err(MissingLayer::forbidden(LANDLOCK))
        }
        (_, LandlockStatus::NotImplemented) => Err(MissingLayer::new(
            Cause::Unsupported,
            "Landlock is not in this kernel; it needs Linux 5.13 or newer",
        )),
        (_, LandlockStatus::NotEnabled) => Err(MissingLayer::new(
            Cause::Unsupported,
            "Landlock is in this kernel but not enabled; add `landlock` to the `lsm=` kernel parameter",
        )),
        _ => Err(MissingLayer::new(Cause::Failed, "Landlock rejected the rules")),
    }
}

/// A later call than the first was refused.
fn missing(error: &RulesetError) -> MissingLayer {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return MissingLayer::of(LANDLOCK, error);
        }
        source = error.source();
    }
    MissingLayer::new(Cause::Failed, format!("{LANDLOCK}: {error}"))
}

fn ruleset(empty: Ruleset, rules: &Rules) -> Result<RulesetCreated, RulesetError> {
    let look = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut created = empty
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(LIBRARIES, look))?
        .add_rules(path_beneath_rules(&rules.read, look))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&rules.write, in_scratch()))?;
    if rules.gpu {
        let device = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::WriteFile | AccessFs::IoctlDev;
        created = created
            .add_rules(path_beneath_rules(GPU_READ, look))?
            .add_rules(path_beneath_rules(gpu_devices(Path::new("/dev")), device))?;
    }
    Ok(created)
}

/// Files and directories, and nothing that would be more to whoever reads the directory next: no links, devices,
/// sockets or pipes.
fn in_scratch() -> BitFlags<AccessFs> {
    AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}

fn gpu_devices(dev: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dev) else { return Vec::new() };
    // WSL has one device for all GPUs.
    let is_gpu = |name: &str| matches!(name, "dri" | "dxg") || name.starts_with("nvidia");
    let names = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_gpu));
    names.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gpu_devices_are_taken_from_dev() {
        let dev = tempfile::tempdir().unwrap();
        for name in ["nvidia0", "nvidiactl", "nvidia-uvm", "sda", "mem", "dri"] {
            fs::write(dev.path().join(name), "").unwrap();
        }
        let mut names: Vec<_> = gpu_devices(dev.path());
        names.sort();
        let names: Vec<_> = names.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["dri", "nvidia-uvm", "nvidia0", "nvidiactl"]);
    }
}
