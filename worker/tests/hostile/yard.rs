//! Where a trial takes place: the source, a secret beside it, and a directory to write in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

pub(crate) struct Yard {
    root: TempDir,
}

impl Yard {
    pub(crate) fn new() -> Self {
        let yard = Self { root: tempfile::tempdir().unwrap() };
        fs::create_dir(yard.root.path().join("source")).unwrap();
        fs::create_dir(yard.output()).unwrap();
        fs::write(yard.beside(), clip("mp4")).unwrap();
        yard
    }

    /// Where the source belongs, by a name that tells nothing.
    pub(crate) fn source(&self) -> PathBuf {
        self.root.path().join("source/clip.mp4")
    }

    /// A video that is none of the source's business.
    pub(crate) fn beside(&self) -> PathBuf {
        self.root.path().join("source/beside.mp4")
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.root.path().join("output")
    }

    /// Every file outside of the output, and when it was last written to.
    pub(crate) fn rest(&self) -> BTreeMap<PathBuf, std::time::SystemTime> {
        let files = fs::read_dir(self.root.path().join("source")).unwrap().map(Result::unwrap);
        let mut rest: BTreeMap<_, _> =
            files.map(|file| (file.path(), file.metadata().unwrap().modified().unwrap())).collect();
        rest.extend(
            fs::read_dir(self.root.path())
                .unwrap()
                .map(|entry| (entry.unwrap().path(), std::time::UNIX_EPOCH)),
        );
        rest
    }
}

/// Seven seconds in a container, made when they are first asked for.
pub(crate) fn clip(container: &str) -> Arc<[u8]> {
    static CLIPS: Mutex<BTreeMap<String, Arc<[u8]>>> = Mutex::new(BTreeMap::new());
    let mut clips = CLIPS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = clips.entry(container.to_owned()).or_insert_with(|| {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join(format!("clip.{container}"));
        make(container, &path);
        fs::read(path).unwrap().into()
    });
    Arc::clone(made)
}

fn make(container: &str, path: &Path) {
    let codecs = match container {
        "mp4" => "-c:v libx264 -preset ultrafast -g 50 -pix_fmt yuv420p -c:a aac -movflags +faststart",
        "webm" => "-c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis",
        "mpg" => "-c:v mpeg2video -c:a mp2",
        "avi" => "-c:v mpeg4 -c:a libmp3lame",
        "gif" => "-pix_fmt pal8 -an",
        "mp3" => "-vn -c:a libmp3lame",
        _ => "-c:v libx264 -preset ultrafast -g 50 -pix_fmt yuv420p -c:a aac",
    };
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-v", "error", "-y"]);
    command.args(["-f", "lavfi", "-i", "testsrc2=size=96x72:rate=25:duration=7"]);
    command.args(["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=7"]);
    assert!(command.args(codecs.split_whitespace()).arg(path).status().unwrap().success());
}
