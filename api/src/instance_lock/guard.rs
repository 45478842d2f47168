//! The critical section: while it exists, no other process compares, replaces or removes the record.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::record::{self, FILE, Record, Seen};

const GUARD_FILE: &str = "instance-lock.guard";
/// One name for all: a crash leaves at most one, and the next writer overwrites it.
const TEMP_FILE: &str = "instance-lock.json.tmp";
/// A section lasts as long as two fsyncs. Whoever waits longer met a stopped process and must not hang with it.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);

pub(super) struct Section {
    guard: File,
    pub(super) dir: PathBuf,
}

impl Section {
    pub(super) fn enter(dir: &Path, longest_wait: Duration) -> io::Result<Self> {
        let guard = File::options().create(true).truncate(false).write(true).open(dir.join(GUARD_FILE))?;
        let begun = Instant::now();
        loop {
            match flock(&guard, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    return Ok(Self { guard, dir: dir.to_owned() });
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) if begun.elapsed() < longest_wait => {
                    thread::sleep(PAUSE);
                }
                Err(Errno::WOULDBLOCK) => {
                    let message = format!("another process holds the lock on {GUARD_FILE}");
                    return Err(io::Error::new(io::ErrorKind::TimedOut, message));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(super) fn read(&self) -> io::Result<Seen> {
        record::read(&self.dir)
    }

    /// Writes `new` if what stands there is still exactly `observed`; says whether it did.
    pub(super) fn replace_if_unchanged(&self, observed: &Seen, new: &Record) -> io::Result<bool> {
        if record::look(&self.dir)? != *observed {
            return Ok(false);
        }
        let temp = self.dir.join(TEMP_FILE);
        let mut file = File::create(&temp)?;
        file.write_all(&serde_json::to_vec(new)?)?;
        file.sync_all()?;
        fs::rename(&temp, self.dir.join(FILE))?;
        self.sync_dir()?;
        Ok(true)
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        fs::remove_file(self.dir.join(FILE))?;
        self.sync_dir()
    }

    fn sync_dir(&self) -> io::Result<()> {
        File::open(&self.dir)?.sync_all()
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread is just starting has a copy until it execs.
        let _ = flock(&self.guard, FlockOperation::Unlock);
    }
}
