//! How much this process has read: its progress while nothing is encoded yet, as when a resume decodes from the first
//! byte or a probe reads a large file. The kernel counts it, so that no demuxer has to.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, PoisonError};

use super::protocol::BytesRead;

/// To be opened on the thread that demuxes the picture, before the sandbox closes.
#[derive(Debug)]
pub(super) struct Activity(Mutex<Counters>);

#[derive(Debug)]
struct Counters {
    process: Option<File>,
    thread: Option<File>,
    /// Bytes of the counters themselves, which the kernel counts too.
    own: u64,
    /// Used where the kernel does not count: a child that asks is alive.
    asked: u64,
}

impl Activity {
    pub(super) fn open() -> Self {
        let (process, thread) = (File::open("/proc/self/io").ok(), File::open("/proc/thread-self/io").ok());
        Self(Mutex::new(Counters { process, thread, own: 0, asked: 0 }))
    }

    pub(super) fn so_far(&self) -> BytesRead {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Counters { process, thread, own, asked } = &mut *counters;
        *asked += 1;
        let before = *own;
        let mut count = |file: &Option<File>| file.as_ref().and_then(|file| read_count(file, own));
        let (total, video) = (count(process), count(thread));
        BytesRead {
            total: total.map_or(*asked, |total| total.saturating_sub(before)),
            video: video.unwrap_or(*asked),
        }
    }
}

/// The line `rchar`: bytes that calls like `read` brought.
fn read_count(file: &File, own: &mut u64) -> Option<u64> {
    let mut text = [0; 512];
    let length = file.read_at(&mut text, 0).ok()?;
    *own += length as u64;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.lines().find_map(|line| line.strip_prefix("rchar:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn what_is_read_is_counted_and_looking_is_not() {
        // Of other tests in this process nothing is known: the thread is looked at, which is this one alone.
        let activity = Activity::open();
        let look = || activity.so_far().video;
        let file = tempfile::NamedTempFile::new().unwrap();
        for size in [1_usize, 4096, 3 << 20] {
            std::fs::write(file.path(), vec![1; size]).unwrap();
            let before = std::thread::scope(|scope| scope.spawn(look).join().unwrap());
            let still = std::thread::scope(|scope| scope.spawn(look).join().unwrap());
            assert_eq!(before, still, "others' looks do not count");
            let mut content = Vec::with_capacity(size + 32);
            File::open(file.path()).unwrap().read_to_end(&mut content).unwrap();
            let after = std::thread::scope(|scope| scope.spawn(look).join().unwrap());
            assert_eq!(after - before, size as u64);
        }
    }
}
