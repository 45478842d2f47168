//! seccomp: the system calls that the child cannot make.
//!
//! This is a list of what is refused, not of what is allowed. A list of what is allowed could be tested with one
//! libc and one set of libraries; with the next one, or with a GPU driver, a harmless call that is
//! not on it breaks encoding. What gets *out* of a process is a smaller set that changes slowly. Two things make up
//! for its weakness:
//!
//! * calls newer than [`NEWEST_KNOWN`] do not exist for the child, so that a new kernel adds no door;
//! * other ways to call the kernel are closed: the filter kills on 32-bit calls (the architecture differs), and the
//!   numbers of the x32 ABI lie above the newest known call.
//!
//! What is refused fails with EPERM rather than death: libraries try things and do without. `clone3` and `openat2`
//! fail with ENOSYS, since their arguments are behind a pointer that no filter can follow; libc then uses `clone` and
//! `openat`, whose arguments can be seen.

mod refused;

use std::collections::BTreeMap;

use libc::{SYS_clone3, SYS_openat2, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, apply_filter_all_threads, sock_filter,
};

use super::{Cause, MissingLayer, Rules};

/// `mseal`, of Linux 6.10; numbers are the same on every architecture since 424.
const NEWEST_KNOWN: u32 = 462;

const EPERM: u32 = libc::EPERM.unsigned_abs();
const ENOSYS: u32 = libc::ENOSYS.unsigned_abs();

type Calls = BTreeMap<c_long, Vec<SeccompRule>>;

pub(super) fn raise(rules: &Rules) -> Result<(), MissingLayer> {
    let unwritten =
        |error: seccompiler::Error| MissingLayer::new(Cause::Unsupported, format!("seccomp: {error}"));
    let (unknown, refused) = programs(rules.gpu).map_err(unwritten)?;
    for program in [unknown, refused] {
        apply_filter_all_threads(&program).map_err(|error| missing(&error))?;
    }
    Ok(())
}

fn missing(error: &seccompiler::Error) -> MissingLayer {
    match error {
        seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error) => {
            MissingLayer::of("seccomp", error)
        }
        other => {
            MissingLayer::new(Cause::Failed, format!("seccomp: the kernel rejected the filter: {other}"))
        }
    }
}

fn programs(gpu: bool) -> seccompiler::Result<(BpfProgram, BpfProgram)> {
    let hidden = Calls::from([(SYS_clone3, Vec::new()), (SYS_openat2, Vec::new())]);
    let mut unknown = ceiling();
    unknown.extend(compile(hidden, ENOSYS)?);
    let refused = compile(refused::calls(std::process::id(), gpu)?, EPERM)?;
    Ok((unknown, refused))
}

fn compile(calls: Calls, errno: u32) -> seccompiler::Result<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, SeccompAction::Errno(errno), arch)?;
    Ok(BpfProgram::try_from(filter)?)
}

/// `if number > NEWEST_KNOWN return ENOSYS`; seccompiler compares numbers only for equality.
fn ceiling() -> BpfProgram {
    let load_number = sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    let unless_greater_skip_one = sock_filter { code: 0x25, jt: 0, jf: 1, k: NEWEST_KNOWN };
    let return_enosys = sock_filter { code: 0x06, jt: 0, jf: 0, k: libc::SECCOMP_RET_ERRNO | ENOSYS };
    vec![load_number, unless_greater_skip_one, return_enosys]
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests;
