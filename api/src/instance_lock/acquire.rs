//! Acquiring the lock, free or from a dead holder.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::error::LockError;
use super::guard::{LONGEST_WAIT, Section};
use super::journal::{Event, Journal};
use super::judge::{HeldBecause, Verdict, judge};
use super::lock::InstanceLock;
use super::process::{Identity, ProcessTable, RunningProcesses};
use super::record::{self, Record, Seen, VERSION};

/// Each lost race means that another process moved on, so a few rounds settle it.
const ROUNDS: u32 = 16;

impl InstanceLock {
    pub fn acquire(
        dir: &Path,
        now: DateTime<Utc>,
        me: Identity,
        stale_after: Duration,
    ) -> Result<Self, LockError> {
        Self::acquire_among(dir, now, me, stale_after, Arc::new(RunningProcesses))
    }

    /// [`acquire`](Self::acquire) with a process table of the caller's choice.
    pub fn acquire_among(
        dir: &Path,
        now: DateTime<Utc>,
        me: Identity,
        stale_after: Duration,
        processes: Arc<dyn ProcessTable>,
    ) -> Result<Self, LockError> {
        let mut lock = not_yet_ours(dir, now, me, processes);
        for _ in 0..ROUNDS {
            match lock.attempt(now, stale_after) {
                Ok(true) => return Ok(lock),
                Ok(false) => {}
                Err(LockError::Io { source, .. }) => {
                    return Err(lock.failed(now, Event::Error, source));
                }
                Err(error) => return Err(error),
            }
        }
        Err(LockError::Contended { dir: dir.to_owned() })
    }

    /// One whole decision: read, judge, and replace exactly what was judged. False if somebody wrote in between.
    fn attempt(&mut self, now: DateTime<Utc>, stale_after: Duration) -> Result<bool, LockError> {
        let seen = record::look(&self.dir).map_err(|error| self.io_error(error))?;
        if let Seen::Broken { why, .. } = &seen {
            self.journal.note_outside(&self.dir, now, Event::Corrupt, why, None);
        }
        let me = &self.journal.me;
        let (event, why) = match judge(&seen, now, me, stale_after, &*self.processes) {
            Verdict::Free => (Event::Acquired, String::new()),
            Verdict::Stale(why) => (Event::Takeover, why.to_string()),
            Verdict::Held(reason) => return Err(self.refused(now, &seen, reason)),
        };
        let section = Section::enter(&self.dir, LONGEST_WAIT).map_err(|error| self.io_error(error))?;
        self.ours =
            section.replace_if_unchanged(&seen, &self.record).map_err(|error| self.io_error(error))?;
        let event = if self.ours { event } else { Event::LostRace };
        self.journal.note(&section, now, event, &why, seen.record());
        Ok(self.ours)
    }

    fn refused(&self, now: DateTime<Utc>, seen: &Seen, reason: HeldBecause) -> LockError {
        let (dir, holder) = (&self.dir, seen.record());
        self.journal.note_outside(dir, now, Event::Refused, &reason.to_string(), holder);
        LockError::Held { dir: dir.clone(), holder: holder.into(), reason }
    }
}

fn not_yet_ours(
    dir: &Path,
    now: DateTime<Utc>,
    me: Identity,
    processes: Arc<dyn ProcessTable>,
) -> InstanceLock {
    let record = Record {
        pid: me.pid,
        process_start_time_unix: me.process_start_time_unix,
        hostname: me.hostname.clone(),
        started_at: now,
        heartbeat_at: Some(now),
        version: VERSION,
        token: Some(hex::encode(rand::random::<[u8; 16]>())),
    };
    InstanceLock { dir: dir.to_owned(), record, journal: Journal { me }, processes, ours: false }
}
