//! Kernels that lack a layer, played by a filter that takes it away beforehand.

use std::io;

use framefarm_worker::sandbox::{Cause, Layer, State, enforce_all};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::inside::roomy;
use crate::yard::Yard;

/// Landlock came with Linux 5.13.
pub(crate) fn without_landlock(yard: &Yard) -> io::Result<()> {
    take_away(libc::SYS_landlock_create_ruleset, libc::ENOSYS);
    only_files_are_missing(yard, "not in this kernel")
}

pub(crate) fn with_landlock_switched_off(yard: &Yard) -> io::Result<()> {
    take_away(libc::SYS_landlock_create_ruleset, libc::EOPNOTSUPP);
    only_files_are_missing(yard, "not enabled")
}

fn take_away(call: libc::c_long, errno: i32) {
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new([(call, Vec::new())].into(), SeccompAction::Allow, action, arch).unwrap();
    apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

fn only_files_are_missing(yard: &Yard, reason: &str) -> io::Result<()> {
    let raised = enforce_all(&yard.rules(roomy()));
    let told = matches!(raised.0.get(&Layer::Files), Some(State::Missing(why)) if why.detail.contains(reason) && why.cause == Cause::Unsupported);
    if told && raised.missing().count() == 1 { Ok(()) } else { Err(io::Error::other(format!("{raised:?}"))) }
}
