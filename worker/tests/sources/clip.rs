//! Makes a source with the ffmpeg program.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::media::{ffmpeg, run};

/// When the picture turns white and the tone begins, in seconds.
pub(crate) const SIGNAL_AT: f64 = 3.0;
/// What most clips last: a segment and a piece of the next.
pub(crate) const SECONDS: f64 = 7.0;
pub(crate) const X264: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p";

/// What goes into a clip; written like the arguments of ffmpeg, parted by spaces.
pub(crate) struct Clip {
    inputs: Vec<String>,
    options: Vec<String>,
    scratch: TempDir,
}

/// A source on disk, removed with its directory.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) scratch: TempDir,
}

impl Clip {
    pub(crate) fn empty() -> Self {
        Self { inputs: vec![], options: vec![], scratch: tempfile::tempdir().unwrap() }
    }

    /// Picture and sound as most tests want them.
    pub(crate) fn usual() -> Self {
        Self::empty().picture("192x108", "25", SECONDS).sound(SECONDS)
    }

    /// The picture alone.
    pub(crate) fn silent() -> Self {
        Self::empty().picture("192x108", "25", SECONDS)
    }

    pub(crate) fn picture(self, size: &str, rate: &str, seconds: f64) -> Self {
        let white = format!("drawbox=c=white:t=fill:enable='between(t,{SIGNAL_AT},3.3)'");
        self.graph(&format!("testsrc2=size={size}:rate={rate}:duration={seconds},{white}"))
    }

    pub(crate) fn sound(self, seconds: f64) -> Self {
        let name = format!("tone{}.wav", self.inputs.len());
        self.file(&name, &wav(seconds))
    }

    /// Another input, as a graph of filters.
    pub(crate) fn graph(mut self, graph: &str) -> Self {
        self.inputs.extend(["-f", "lavfi", "-i", graph].map(str::to_owned));
        self
    }

    /// Another input, as a file with this content.
    pub(crate) fn file(mut self, name: &str, content: &[u8]) -> Self {
        let path = self.scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        self.inputs.extend(["-i".to_owned(), path.to_str().unwrap().to_owned()]);
        self
    }

    pub(crate) fn with(mut self, options: &str) -> Self {
        self.options.extend(options.split_whitespace().map(str::to_owned));
        self
    }

    pub(crate) fn save(self, name: &str) -> Source {
        let path = self.scratch.path().join(name);
        run(ffmpeg().args(&self.inputs).args(&self.options).arg(&path));
        Source { path, scratch: self.scratch }
    }
}

impl Source {
    /// The same through ffmpeg once more, without encoding.
    pub(crate) fn remuxed(self, options: &str, name: &str) -> Self {
        let path = self.scratch.path().join(name);
        run(ffmpeg()
            .arg("-i")
            .arg(&self.path)
            .args(["-c", "copy"])
            .args(options.split_whitespace())
            .arg(&path));
        Self { path, ..self }
    }

    /// From an instant on, by an edit list.
    pub(crate) fn cut_from(self, seconds: &str, name: &str) -> Self {
        let path = self.scratch.path().join(name);
        run(ffmpeg().args(["-ss", seconds, "-i"]).arg(&self.path).args(["-c", "copy"]).arg(&path));
        Self { path, ..self }
    }

    /// The file with other bytes.
    pub(crate) fn changed(self, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Self {
        let bytes = std::fs::read(&self.path).unwrap();
        std::fs::write(&self.path, change(bytes)).unwrap();
        self
    }

    /// One file behind the other.
    pub(crate) fn followed_by(self, other: &Path) -> Self {
        let next = std::fs::read(other).unwrap();
        self.changed(|bytes| [bytes, next].concat())
    }
}

/// Silence and a tone of 1 kHz from [`SIGNAL_AT`] on, for 0.3 s.
fn wav(seconds: f64) -> Vec<u8> {
    const RATE: u32 = 48_000;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "samples of a few seconds")]
    let count = (seconds * f64::from(RATE)).round() as u32;
    let sample = |number: u32| {
        let at = f64::from(number) / f64::from(RATE);
        let tone =
            if (SIGNAL_AT..SIGNAL_AT + 0.3).contains(&at) { (at * 1000.0 * TAU).sin() / 2.0 } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "half of what fits")]
        let level = (tone * f64::from(i16::MAX)) as i16;
        level.to_le_bytes()
    };
    let head =
        [&b"RIFF"[..], &(36 + count * 2).to_le_bytes(), b"WAVE", b"fmt ", &16u32.to_le_bytes()].concat();
    let format =
        [&1u16.to_le_bytes()[..], &1u16.to_le_bytes(), &RATE.to_le_bytes(), &(RATE * 2).to_le_bytes()];
    let rest = [&2u16.to_le_bytes()[..], &16u16.to_le_bytes(), b"data", &(count * 2).to_le_bytes()];
    head.into_iter().chain(format.concat()).chain(rest.concat()).chain((0..count).flat_map(sample)).collect()
}
