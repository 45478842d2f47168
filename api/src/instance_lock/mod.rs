//! The lock of an embedded data directory: one process at a time serves it.
//!
//! Files in the directory: `instance-lock.json` is the record of the holder, `instance-lock.guard` is flocked for the few
//! milliseconds in which the record is compared and replaced, `instance-lock.log` tells what happened. All calls block.

mod acquire;
mod describe;
mod error;
mod guard;
mod journal;
mod judge;
mod lock;
mod process;
mod record;

pub use describe::{Status, describe};
pub use error::{Holder, LockError};
pub use judge::{HeldBecause, StaleBecause};
pub use lock::InstanceLock;
pub use process::{Identity, Process, ProcessTable, RunningProcesses};
pub use record::Record;
