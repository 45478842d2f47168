//! Room on the disk: a directory a job, gone when the job is.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::wire::worker_api::HeldJob;
use rustix::fs::{FlockOperation, flock, statvfs};
use rustix::io::Errno;

use super::trouble::Trouble;

/// Besides the source: segments that wait for their delivery, and their archives.
const MARGIN: u64 = 512 * 1024 * 1024;

/// Belongs to this process as long as it lives.
#[derive(Debug)]
pub(super) struct Scratch {
    jobs: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Takes the directory and removes what a former process left of its jobs; other files there are not touched.
    pub(super) fn open(root: &Path) -> anyhow::Result<Self> {
        let shown = root.display();
        make(root).with_context(|| format!("cannot create the scratch directory {shown}"))?;
        // Encoders work elsewhere than we do: their paths must mean the same there.
        let root = root.canonicalize().with_context(|| shown.to_string())?;
        let lock = File::create(root.join("lock")).with_context(|| format!("cannot write to {shown}"))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => {
                anyhow::bail!("another worker works in {shown}; give each one its own --scratch")
            }
            locked => locked.with_context(|| format!("cannot lock {shown}"))?,
        }
        let jobs = root.join("jobs");
        sweep(&jobs).with_context(|| format!("cannot clean {}", jobs.display()))?;
        make(&jobs).with_context(|| format!("cannot create {}", jobs.display()))?;
        Ok(Self { jobs, _lock: lock })
    }

    pub(super) fn room_for(&self, job: HeldJob) -> Result<Room, Trouble> {
        let path = self.jobs.join(format!("{}-{}", job.job_id, job.fence));
        make(&path.join("output")).map_err(|error| Trouble::disk("no directory for the job", &error))?;
        Ok(Room(path))
    }
}

fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn sweep(jobs: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(jobs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The directory of one job; removed on drop.
#[derive(Debug)]
pub(super) struct Room(PathBuf);

impl Room {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Where the encoder writes.
    pub(super) fn output(&self) -> PathBuf {
        self.0.join("output")
    }

    /// Before a source is fetched, not in the middle of it.
    pub(super) fn check_space(&self, source: u64) -> Result<(), Trouble> {
        let stat = statvfs(&self.0)
            .map_err(|error| Trouble::disk("free space is unknown", &io::Error::from(error)))?;
        is_enough(stat.f_bavail.saturating_mul(stat.f_frsize), source)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Err(error) = sweep(&self.0) {
            tracing::warn!(path = %self.0.display(), error = %error, "left behind until the next start");
        }
    }
}

fn is_enough(free: u64, source: u64) -> Result<(), Trouble> {
    let needed = source.saturating_add(MARGIN);
    if free >= needed {
        return Ok(());
    }
    let mib = |bytes: u64| bytes / (1024 * 1024);
    let words = format!("the worker's disk has {} MiB free, this job needs {} MiB", mib(free), mib(needed));
    Err(Trouble::failed(ErrorClass::Storage, words))
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
        let room = scratch.room_for(HeldJob { job_id: JobId::new(&Clock::system()), fence: 3 }).unwrap();
        let path = room.path().to_owned();
        std::fs::write(room.output().join("a"), b"x").unwrap();
        drop(room);
        assert!(!path.exists());
    }

    #[test]
    fn a_source_that_does_not_fit_is_told_before_it_is_fetched() {
        assert_eq!(is_enough(MARGIN + 10, 10), Ok(()));
        let Err(Trouble::Failed { class, message }) = is_enough(MARGIN, 5 << 30) else { panic!("it fits") };
        assert_eq!(class, ErrorClass::Storage);
        assert_eq!(message, "the worker's disk has 512 MiB free, this job needs 5632 MiB");
    }
}
