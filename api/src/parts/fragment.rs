//! One `moof`: when its samples are, how many, and where their bytes must be.

use std::ops::Range;

use mp4_atom::{FourCC, Tfdt, Tfhd, Trun, TrunEntry};

use super::boxes::{children, leaf, only, only_leaf};
use super::file_error::FileError;
use super::init::Track;

/// A minute of video at 1000 frames per second; a segment is about 6 s.
pub(super) const MAX_SAMPLES: u32 = 60_000;

/// What one `moof` says.
#[derive(Debug)]
pub(super) struct Fragment {
    pub(super) start: u64,
    pub(super) duration: u64,
    pub(super) samples: u32,
    pub(super) starts_with_sync: bool,
    /// Where the samples' bytes are, counted from the first byte of the `moof`.
    pub(super) data: Range<u64>,
}

/// Reads the body of a `moof` with one run of one track or more runs back to back.
pub(super) fn read(moof: &[u8], track: &Track) -> Result<Fragment, FileError> {
    let traf = only(moof, *b"traf")?;
    let header: Tfhd = only_leaf(traf)?;
    if header.track_id != track.id {
        return Err(FileError::media(format!(
            "a fragment is for track {}, but the init segment has track {}",
            header.track_id, track.id
        )));
    }
    if header.base_data_offset.is_some() {
        return Err(FileError::media("tfhd has a base data offset; use default-base-is-moof"));
    }
    let time: Tfdt = only_leaf(traf)?;
    let mut sum = Sum::new(&header, track);
    for child in children(traf) {
        let (kind, body) = child?;
        if kind == FourCC::new(b"trun") {
            sum.add_run(body)?;
        }
    }
    sum.into_fragment(time.base_media_decode_time)
}

/// Totals over the runs of one fragment, with the defaults that apply where a sample says nothing.
struct Sum {
    default_duration: u32,
    default_size: u32,
    default_flags: u32,
    duration: u64,
    samples: u32,
    first_flags: Option<u32>,
    data_start: Option<u64>,
    data_end: u64,
}

impl Sum {
    fn new(header: &Tfhd, track: &Track) -> Self {
        let defaults = &track.defaults;
        Self {
            default_duration: header.default_sample_duration.unwrap_or(defaults.default_sample_duration),
            default_size: header.default_sample_size.unwrap_or(defaults.default_sample_size),
            default_flags: header.default_sample_flags.unwrap_or(defaults.default_sample_flags),
            duration: 0,
            samples: 0,
            first_flags: None,
            data_start: None,
            data_end: 0,
        }
    }

    fn add_run(&mut self, body: &[u8]) -> Result<(), FileError> {
        self.samples = self
            .samples
            .checked_add(claimed_samples(body)?)
            .filter(|samples| *samples <= MAX_SAMPLES)
            .ok_or_else(|| FileError::media(format!("a fragment has more than {MAX_SAMPLES} samples")))?;
        let run: Trun = leaf(body)?;
        self.place(run.data_offset)?;
        for sample in &run.samples {
            self.add_sample(&sample)?;
        }
        Ok(())
    }

    /// Only the first run must say where its data is; a later one may jump forward, never back.
    fn place(&mut self, data_offset: Option<i32>) -> Result<(), FileError> {
        let bad = || FileError::media("a run's data offset is missing or points backwards");
        let offset = data_offset.map(|offset| u64::try_from(offset).map_err(|_| bad())).transpose()?;
        match (self.data_start, offset) {
            (None, Some(offset)) => {
                self.data_start = Some(offset);
                self.data_end = offset;
            }
            (Some(_), Some(offset)) if offset >= self.data_end => self.data_end = offset,
            (Some(_), None) => {}
            _ => return Err(bad()),
        }
        Ok(())
    }

    fn add_sample(&mut self, sample: &TrunEntry) -> Result<(), FileError> {
        let too_much = || FileError::media("the samples' sizes or durations overflow");
        let duration = sample.duration.unwrap_or(self.default_duration);
        let size = sample.size.unwrap_or(self.default_size);
        self.duration = self.duration.checked_add(duration.into()).ok_or_else(too_much)?;
        self.data_end = self.data_end.checked_add(size.into()).ok_or_else(too_much)?;
        self.first_flags.get_or_insert(sample.flags.unwrap_or(self.default_flags));
        Ok(())
    }

    fn into_fragment(self, start: u64) -> Result<Fragment, FileError> {
        const NON_SYNC: u32 = 0x0001_0000;
        let (Some(flags), Some(data_start)) = (self.first_flags, self.data_start) else {
            return Err(FileError::media("a fragment has no samples"));
        };
        Ok(Fragment {
            start,
            duration: self.duration,
            samples: self.samples,
            starts_with_sync: flags & NON_SYNC == 0,
            data: data_start..self.data_end,
        })
    }
}

/// The `sample_count` of a `trun`, read before the box is decoded into memory.
fn claimed_samples(trun: &[u8]) -> Result<u32, FileError> {
    const FIRST_AND_EVERY_FLAGS: u32 = 0x0404;
    let cut = || FileError::media("a trun is cut off");
    let (flags, rest) = trun.split_first_chunk::<4>().ok_or_else(cut)?;
    let (count, _) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    if u32::from_be_bytes(*flags) & FIRST_AND_EVERY_FLAGS == FIRST_AND_EVERY_FLAGS {
        return Err(FileError::media("a trun gives the first sample's flags twice"));
    }
    Ok(u32::from_be_bytes(*count))
}
