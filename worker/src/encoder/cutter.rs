//! Cuts a stream of coded samples into the segments of the plan and puts them on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::{Failure, Result};
use super::protocol::{Report, init_path, segment_path};
use super::report::Reporter;
use super::segment::{self, Sample};
use super::time::segment_at;

/// What every track of a task shares.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) output: PathBuf,
    pub(super) reporter: Arc<Reporter>,
}

/// One quality on its way to the disk.
#[derive(Debug)]
pub(super) struct Cutter {
    shared: Shared,
    quality: String,
    /// In the track's own ticks, the end of the last segment included.
    starts: Arc<[i64]>,
    /// Sound may begin a segment anywhere; a picture only with an IDR frame.
    needs_key: bool,
    current: Option<(usize, Vec<Sample>)>,
    init: Option<Vec<u8>>,
}

impl Cutter {
    pub(super) fn new(shared: &Shared, quality: &str, starts: Arc<[i64]>, needs_key: bool) -> Self {
        let (shared, quality) = (shared.clone(), quality.to_owned());
        Self { shared, quality, starts, needs_key, current: None, init: None }
    }

    /// The init segment, before the first sample. A second encoder of the same quality must bring the same one, unless
    /// its pictures bring what they need themselves.
    pub(super) fn init(&mut self, init: Vec<u8>, repeated: bool) -> Result<()> {
        match &self.init {
            Some(first) if repeated || *first == init => Ok(()),
            Some(_) => Err(Failure::internal(&self.quality, "two encoders made different init segments")),
            None => {
                let path = init_path(&self.shared.output, &self.quality);
                if let Some(directory) = path.parent() {
                    std::fs::create_dir_all(directory)
                        .map_err(|error| Failure::storage(directory, &error))?;
                }
                put(&path, &init)?;
                self.init = Some(init);
                Ok(())
            }
        }
    }

    /// Samples come in decoding order, segment after segment.
    pub(super) fn push(&mut self, sample: Sample) -> Result<()> {
        let Some(index) = segment_at(&self.starts, sample.pts) else { return Ok(()) };
        match &mut self.current {
            Some((current, samples)) if *current == index => samples.push(sample),
            Some((current, _)) if *current > index => {
                let detail = format!("a sample of segment {index} arrived in segment {current}");
                return Err(Failure::internal(&self.quality, detail));
            }
            _ => {
                self.finish()?;
                if self.needs_key && !sample.key {
                    let detail = format!("segment {index} does not start with an IDR frame");
                    return Err(Failure::internal(&self.quality, detail));
                }
                self.current = Some((index, vec![sample]));
            }
        }
        Ok(())
    }

    /// The current segment will not become whole.
    pub(super) fn forget(&mut self) {
        self.current = None;
    }

    /// The current segment is whole.
    pub(super) fn finish(&mut self) -> Result<()> {
        let Some((index, samples)) = self.current.take() else { return Ok(()) };
        let (start, end) = (self.starts[index], self.starts[index + 1]);
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let bytes = segment::write(index, start..end, &samples)
            .map_err(|error| Failure::internal(&self.quality, error))?;
        put(&segment_path(&self.shared.output, &self.quality, index), &bytes)?;
        let (quality, bytes) = (self.quality.clone(), bytes.len() as u64);
        self.shared.reporter.say(&Report::Segment { quality, index, bytes });
        Ok(())
    }
}

/// A file has its name only when it is whole.
pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let unfinished = path.with_extension("unfinished");
    std::fs::write(&unfinished, bytes)
        .and_then(|()| std::fs::rename(&unfinished, path))
        .map_err(|error| Failure::storage(path, &error))
}
