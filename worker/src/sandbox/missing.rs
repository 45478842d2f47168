//! Why a layer of the sandbox is missing.

use std::fmt;
use std::io;

use framefarm_shared::failure::without_os_numbers;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// This kernel does not have it, or has it disabled.
    Unsupported,
    /// The kernel has it, and whoever started the worker forbids the system calls: a service manager, a container.
    Forbidden,
    /// By [`super::MODE_VARIABLE`].
    SwitchedOff,
    /// It was tried and did not succeed.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingLayer {
    pub cause: Cause,
    pub detail: String,
}

impl MissingLayer {
    pub(super) fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self { cause, detail: detail.into() }
    }

    /// A call that only a filter of system calls refuses with EPERM.
    pub(super) fn of(what: &str, error: &io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => Self::forbidden(what),
            Some(libc::ENOSYS) => {
                Self::new(Cause::Unsupported, format!("{what}: not available in this kernel"))
            }
            _ => {
                let error = without_os_numbers(&error.to_string());
                Self::new(Cause::Failed, format!("{what}: {error}"))
            }
        }
    }

    pub(super) fn forbidden(what: &str) -> Self {
        Self::new(
            Cause::Forbidden,
            format!("{what}: blocked by a system call filter around this worker (EPERM)"),
        )
    }
}

impl fmt::Display for MissingLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}
