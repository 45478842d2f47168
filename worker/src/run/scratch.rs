//! Disk space: a directory for each job, gone when the job is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::wire::worker_api::HeldJob;
use rustix::fs::{FlockOperation, flock, statvfs};
use rustix::io::Errno;

use super::error::AttemptError;
use crate::private_directory::{self, make};

/// Besides the source: segments that wait for their delivery, and their archives.
const MARGIN: u64 = 512 * 1024 * 1024;

/// Belongs to this process as long as it lives.
#[derive(Debug)]
pub(super) struct Scratch {
    jobs: PathBuf,
    reserved: Reservations,
    _lock: File,
}

impl Scratch {
    /// Takes the directory and removes what a former process left of its jobs; other files there are not touched.
    pub(super) fn open(root: &Path) -> anyhow::Result<Self> {
        let shown = root.display();
        private_directory::prepare(root)?;
        // Encoders work elsewhere than we do: their paths must mean the same there.
        let root = root.canonicalize().with_context(|| shown.to_string())?;
        let lock = File::create(root.join("lock")).with_context(|| format!("cannot write to {shown}"))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => {
                anyhow::bail!("another worker is using {shown}; give each worker its own --scratch")
            }
            locked => locked.with_context(|| format!("cannot lock {shown}"))?,
        }
        let jobs = root.join("jobs");
        sweep(&jobs).with_context(|| format!("cannot clean {}", jobs.display()))?;
        make(&jobs).with_context(|| format!("cannot create {}", jobs.display()))?;
        Ok(Self { jobs, reserved: Reservations::default(), _lock: lock })
    }

    pub(super) fn directory_for(&self, job: HeldJob) -> Result<JobDirectory, AttemptError> {
        let path = self.jobs.join(format!("{}-{}", job.job_id, job.fence));
        make(&path.join("output"))
            .map_err(|error| AttemptError::disk("cannot create a directory for the job", &error))?;
        Ok(JobDirectory { path, reserved: Arc::clone(&self.reserved) })
    }
}

fn sweep(jobs: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(jobs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Bytes that each job of this process may still use up, by its directory. Processes have a scratch directory each.
type Reservations = Arc<Mutex<BTreeMap<PathBuf, u64>>>;

/// The directory of one job; removed on drop, and its reservation with it.
#[derive(Debug)]
pub(super) struct JobDirectory {
    path: PathBuf,
    reserved: Reservations,
}

impl JobDirectory {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the encoder writes.
    pub(super) fn output(&self) -> PathBuf {
        self.path.join("output")
    }

    /// Sets space aside for a source of this size and what is made of it: before the source is fetched, not in the
    /// middle of it.
    pub(super) fn reserve_space(&self, source: u64) -> Result<(), AttemptError> {
        let stat = statvfs(&self.path).map_err(|error| {
            AttemptError::disk("cannot read the free disk space", &io::Error::from(error))
        })?;
        self.reserve(stat.f_bavail.saturating_mul(stat.f_frsize), source.saturating_add(MARGIN))
    }

    fn reserve(&self, free: u64, needed: u64) -> Result<(), AttemptError> {
        let mut reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        // What others have written of theirs is no longer free.
        let others = reserved.iter().filter(|(path, _)| **path != self.path);
        let others = others.map(|(path, bytes)| bytes.saturating_sub(used(path))).sum();
        is_enough(free, others, needed)?;
        reserved.insert(self.path.clone(), needed);
        Ok(())
    }
}

/// Bytes on the disk below a directory. Files come and go meanwhile.
pub(super) fn used(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => used(&entry.path()),
            Ok(found) => found.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

impl Drop for JobDirectory {
    fn drop(&mut self) {
        if let Err(error) = sweep(&self.path) {
            tracing::warn!(path = %self.path.display(), error = %error, "cannot delete; the next start retries");
        }
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}

fn is_enough(free: u64, others: u64, needed: u64) -> Result<(), AttemptError> {
    if free.saturating_sub(others) >= needed {
        return Ok(());
    }
    let mib = |bytes: u64| bytes / (1024 * 1024);
    let reserved = match others {
        0 => String::new(),
        others => format!(" ({} MiB reserved for its other jobs)", mib(others)),
    };
    let words =
        format!("the worker's disk has {} MiB free{reserved}; this job needs {} MiB", mib(free), mib(needed));
    Err(AttemptError::failed(ErrorClass::Storage, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use framefarm_shared::clock::Clock;
    use framefarm_shared::id::JobId;

    #[test]
    fn a_scratch_directory_has_one_owner_and_is_swept_of_jobs_alone() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("jobs/old/output")).unwrap();
        std::fs::write(root.path().join("jobs/old/source"), b"x").unwrap();
        std::fs::write(root.path().join("precious"), b"x").unwrap();
        let mine = Scratch::open(root.path()).unwrap();
        assert!(!root.path().join("jobs/old").exists() && root.path().join("precious").exists());
        assert!(Scratch::open(root.path()).unwrap_err().to_string().contains("--scratch"));
        drop(mine);
        assert!(Scratch::open(root.path()).is_ok());
    }

    #[test]
    fn the_room_of_a_job_goes_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let scratch = Scratch::open(directory.path()).unwrap();
        let directory =
            scratch.directory_for(HeldJob { job_id: JobId::new(&Clock::system()), fence: 3 }).unwrap();
        let path = directory.path().to_owned();
        std::fs::write(directory.output().join("a"), b"x").unwrap();
        drop(directory);
        assert!(!path.exists());
    }

    #[test]
    fn a_source_that_does_not_fit_is_told_before_it_is_fetched() {
        assert_eq!(is_enough(MARGIN + 10, 0, MARGIN + 10), Ok(()));
        let Err(AttemptError::Failed { class, message }) = is_enough(MARGIN, 0, MARGIN + (5 << 30)) else {
            panic!("it fits")
        };
        assert_eq!(class, ErrorClass::Storage);
        assert_eq!(message, "the worker's disk has 512 MiB free; this job needs 5632 MiB");
    }

    #[test]
    fn two_jobs_are_not_promised_the_same_bytes() {
        const MIB: u64 = 1024 * 1024;
        let directory = tempfile::tempdir().unwrap();
        let scratch = Scratch::open(directory.path()).unwrap();
        let directory =
            |fence| scratch.directory_for(HeldJob { job_id: JobId::new(&Clock::system()), fence }).unwrap();
        let (first, second) = (directory(1), directory(2));
        for free in [1000 * MIB, 1500 * MIB, 1999 * MIB] {
            first.reserve(free, 1000 * MIB).unwrap();
            let Err(AttemptError::Failed { class, message }) = second.reserve(free, 1000 * MIB) else {
                panic!("both fit into {free} bytes")
            };
            assert_eq!(class, ErrorClass::Storage);
            assert!(message.contains("1000 MiB reserved for its other jobs"), "{message}");
        }
        second.reserve(2000 * MIB, 1000 * MIB).unwrap();
        // What is written is no longer free, and no longer reserved.
        std::fs::write(first.path().join("source"), vec![1; 10 << 20]).unwrap();
        second.reserve(1990 * MIB, 1000 * MIB).unwrap();
        assert!(second.reserve(1980 * MIB, 1000 * MIB).is_err());
        drop(first);
        second.reserve(1000 * MIB, 1000 * MIB).unwrap();
    }
}
