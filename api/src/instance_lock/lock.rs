//! The lock in the hands of its holder: renew, release.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::error::LockError;
use super::guard::{LONGEST_WAIT, Section};
use super::journal::{Event, Journal};
use super::process::{Process, ProcessTable};
use super::record::{Record, Seen};

/// The data directory is ours while this lives and [`renew`](Self::renew) succeeds. Dropping it releases it.
pub struct InstanceLock {
    pub(super) dir: PathBuf,
    pub(super) record: Record,
    pub(super) journal: Journal,
    pub(super) processes: Arc<dyn ProcessTable>,
    /// False once lost or released: from then on nothing is written.
    pub(super) ours: bool,
}

impl InstanceLock {
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Sends a heartbeat. After [`LockError::Lost`] the lock is gone for good; after [`LockError::Io`] it is still ours
    /// and the next beat may succeed.
    pub fn renew(&mut self, now: DateTime<Utc>) -> Result<(), LockError> {
        let mut renewed = self.record.clone();
        renewed.heartbeat_at = Some(now);
        // A step of the wall clock moves the start times of all processes; the record follows, or we would look dead.
        let own_process = self.processes.look_up(self.record.pid);
        if let Process::Alive { start_time_unix: Some(start) } = own_process {
            renewed.process_start_time_unix = start;
        }
        match self.renew_if_ours(now, renewed) {
            Err(LockError::Io { source, .. }) => Err(self.failed(now, Event::RenewFailed, source)),
            result => result,
        }
    }

    /// Removes the record if it is still ours.
    pub fn release(mut self, now: DateTime<Utc>) -> Result<(), LockError> {
        match self.remove_if_ours(now) {
            Err(error) => Err(self.failed(now, Event::Error, error)),
            Ok(()) => Ok(()),
        }
    }

    fn renew_if_ours(&mut self, now: DateTime<Utc>, renewed: Record) -> Result<(), LockError> {
        let section = Section::enter(&self.dir, LONGEST_WAIT).map_err(|error| self.io_error(error))?;
        let seen = section.read().map_err(|error| self.io_error(error))?;
        if !self.is_ours(&seen) {
            self.note_lost(&section, now, &seen);
            return Err(LockError::Lost { dir: self.dir.clone(), holder: seen.record().into() });
        }
        section.replace_if_unchanged(&seen, &renewed).map_err(|error| self.io_error(error))?;
        self.record = renewed;
        Ok(())
    }

    fn remove_if_ours(&mut self, now: DateTime<Utc>) -> io::Result<()> {
        if !self.ours {
            return Ok(());
        }
        let section = Section::enter(&self.dir, LONGEST_WAIT)?;
        let seen = section.read()?;
        if self.is_ours(&seen) {
            section.remove()?;
            self.ours = false;
            self.journal.note(&section, now, Event::Released, "", None);
        } else {
            self.note_lost(&section, now, &seen);
        }
        Ok(())
    }

    fn is_ours(&self, seen: &Seen) -> bool {
        self.ours && seen.record().is_some_and(|record| record.token == self.record.token)
    }

    fn note_lost(&mut self, section: &Section, now: DateTime<Utc>, seen: &Seen) {
        if std::mem::take(&mut self.ours) {
            self.journal.note(section, now, Event::Lost, "", seen.record());
        }
    }

    pub(super) fn failed(&self, now: DateTime<Utc>, event: Event, error: io::Error) -> LockError {
        self.journal.note_outside(&self.dir, now, event, &error.to_string(), None);
        self.io_error(error)
    }

    pub(super) fn io_error(&self, source: io::Error) -> LockError {
        LockError::Io { dir: self.dir.clone(), source }
    }
}

impl Drop for InstanceLock {
    fn drop(&mut self) {
        let last_known = self.record.last_sign_of_life();
        if let Err(error) = self.remove_if_ours(last_known) {
            tracing::warn!(%error, "instance lock: could not remove the record");
        }
    }
}

impl fmt::Debug for InstanceLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InstanceLock")
            .field("record", &self.record)
            .field("ours", &self.ours)
            .finish_non_exhaustive()
    }
}
