//! Fake NVIDIA GPUs for tests, on a machine that has none.
//!
//! A [`FakeGpus`] is a directory with three libraries in the driver's place, which the real programs load and which report
//! the GPUs that its files describe. `tests/gpu_stubs/fake_gpus.h` lists what these files can contain.
//!
//! ```no_run
//! let fake_gpus = framefarm_gpu_stubs::FakeGpus::new(2);
//! fake_gpus.gpu(0).set("sessions", 2).set("temperature", 83);
//! std::process::Command::new("ffmpeg").env("LD_LIBRARY_PATH", fake_gpus.library_path());
//! fake_gpus.gpu(0).set("lost", 1);
//! ```

#![expect(clippy::missing_panics_doc, reason = "it serves tests, and a test that cannot go on fails")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod build;

use std::collections::HashSet;
use std::fmt::{Display, Write as _};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// As many sessions can be open on a GPU at most, whatever its limit.
const SLOTS: usize = 32;

/// Gone with all its files when dropped.
#[derive(Debug)]
pub struct FakeGpus {
    directory: TempDir,
}

impl FakeGpus {
    /// A driver, and GPUs that are well: 8 GiB, three sessions, H.264 and HEVC.
    pub fn new(gpus: usize) -> Self {
        let fake_gpus = Self { directory: tempfile::Builder::new().prefix("gpus").tempdir().unwrap() };
        for library in fs::read_dir(build::libraries()).unwrap() {
            let library = library.unwrap();
            // A copy each: the loader takes two names of one file for the same library, and so for the same GPUs.
            fs::copy(library.path(), fake_gpus.path().join(library.file_name())).unwrap();
        }
        fake_gpus.set_driver("550.54.14");
        for gpu in 0..gpus {
            fake_gpus.insert(gpu);
        }
        fake_gpus
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// For `LD_LIBRARY_PATH`.
    pub fn library_path(&self) -> PathBuf {
        self.path().to_owned()
    }

    pub fn nvml_library(&self) -> PathBuf {
        self.path().join("libnvidia-ml.so.1")
    }

    /// A version; or `broken`, `forbidden`, `unknown` for a driver that does not start.
    pub fn set_driver(&self, version: &str) {
        self.write("driver", version);
    }

    /// The libraries stay; the kernel's part is gone.
    pub fn unload_driver(&self) {
        fs::remove_file(self.path().join("driver")).unwrap();
    }

    /// GPUs are numbered without a gap.
    pub fn insert(&self, index: usize) -> FakeGpu<'_> {
        let slots = self.path().join(format!("gpu{index}.slots"));
        fs::create_dir(&slots).unwrap();
        for slot in 0..SLOTS {
            fs::write(slots.join(slot.to_string()), "").unwrap();
        }
        self.write(&format!("gpu{index}"), "");
        self.gpu(index)
    }

    pub fn gpu(&self, index: usize) -> FakeGpu<'_> {
        FakeGpu { fake_gpus: self, index }
    }

    /// Whole or not at all, since the libraries read at any time.
    fn write(&self, name: &str, text: &str) {
        let new = tempfile::NamedTempFile::new_in(self.path()).unwrap();
        fs::write(new.path(), text).unwrap();
        new.persist(self.path().join(name)).unwrap();
    }
}

/// One GPU of a [`FakeGpus`].
#[derive(Clone, Copy, Debug)]
pub struct FakeGpu<'a> {
    fake_gpus: &'a FakeGpus,
    index: usize,
}

impl FakeGpu<'_> {
    /// Holds from the next call of a library on.
    pub fn set(self, key: &str, value: impl Display) -> Self {
        self.change(key, Some(&value.to_string()))
    }

    /// Back to the default.
    pub fn unset(self, key: &str) -> Self {
        self.change(key, None)
    }

    pub fn get(self, key: &str) -> Option<String> {
        let found = self.lines().into_iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value)
    }

    /// The driver's id of it.
    pub fn id(self) -> String {
        self.get("uuid").unwrap_or_else(|| format!("GPU-00000000-0000-0000-0000-{:012}", self.index))
    }

    /// A session of another program, until it is dropped.
    pub fn take_session(self) -> fs::File {
        let slots = self.fake_gpus.path().join(format!("gpu{}.slots", self.index));
        let open = (0..SLOTS).map(|slot| fs::File::open(slots.join(slot.to_string())).unwrap());
        open.into_iter().find(|slot| slot.try_lock().is_ok()).unwrap()
    }

    /// Sessions of all processes right now.
    pub fn open_sessions(self) -> usize {
        let slots = self.fake_gpus.path().join(format!("gpu{}.slots", self.index));
        let inodes: Vec<u64> =
            fs::read_dir(slots).unwrap().map(|slot| slot.unwrap().metadata().unwrap().ino()).collect();
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let held = locks.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (words.get(1) == Some(&"FLOCK")).then(|| words.get(5)?.rsplit(':').next()?.parse().ok())?
        });
        // A list that changes while it is read may tell of a slot twice.
        let slots: HashSet<u64> = held.filter(|inode: &u64| inodes.contains(inode)).collect();
        slots.len()
    }

    fn lines(self) -> Vec<(String, String)> {
        let text = fs::read_to_string(self.fake_gpus.path().join(self.name())).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn change(self, key: &str, value: Option<&str>) -> Self {
        let mut text = String::new();
        for (known, value) in self.lines().iter().filter(|(known, _)| known != key) {
            writeln!(text, "{known} {value}").unwrap();
        }
        if let Some(value) = value {
            writeln!(text, "{key} {value}").unwrap();
        }
        self.fake_gpus.write(&self.name(), &text);
        self
    }

    fn name(self) -> String {
        format!("gpu{}", self.index)
    }
}
