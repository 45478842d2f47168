//! One media segment: `(moof mdat)+`, of the one track, without holes.

use super::TrackKind;
use super::boxes::{FileBox, shown};
use super::file_error::FileError;
use super::fragment::{self, Fragment, MAX_SAMPLES};
use super::init::Track;
use super::unpack::Unpacked;

const MAX_MOOF_BYTES: usize = 4 << 20;
/// Low-latency encoders write a fragment per frame; 10 s at 120 frames per second with four boxes each.
const MAX_BOXES: u32 = 4_800;

/// When a segment is, in ticks of its track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timing {
    pub(super) start: u64,
    pub(super) duration: u64,
    pub(super) samples: u32,
}

impl Timing {
    pub(super) fn end(&self) -> Option<u64> {
        self.start.checked_add(self.duration)
    }

    fn append(&mut self, next: &Fragment) -> Result<(), FileError> {
        if self.end() != Some(next.start) {
            return Err(FileError::timeline(format!(
                "a fragment starts at tick {}, but the previous one does not end there",
                next.start
            )));
        }
        self.duration = self
            .duration
            .checked_add(next.duration)
            .ok_or_else(|| FileError::media("the durations overflow"))?;
        self.samples = self
            .samples
            .checked_add(next.samples)
            .filter(|samples| *samples <= MAX_SAMPLES)
            .ok_or_else(|| FileError::media(format!("it has more than {MAX_SAMPLES} samples")))?;
        Ok(())
    }
}

/// Reads a segment's boxes, seeking over the media itself.
pub(super) fn inspect(unpacked: &Unpacked, track: &Track) -> Result<Timing, FileError> {
    let mut timing: Option<Timing> = None;
    let mut boxes = Walk { unpacked, offset: 0, seen: 0 };
    while let Some(moof) = boxes.next_moof(timing.is_some())? {
        let fragment = fragment::read(&moof.read(unpacked, MAX_MOOF_BYTES)?, track)?;
        let mdat = boxes.next()?.filter(|mdat| mdat.kind.as_ref() == b"mdat");
        check_data(&fragment, &moof, mdat.as_ref())?;
        match &mut timing {
            Some(timing) => timing.append(&fragment)?,
            None => timing = Some(first(&fragment, track)?),
        }
    }
    timing
        .filter(|timing| timing.duration > 0 && timing.end().is_some())
        .ok_or_else(|| FileError::media("it has no duration"))
}

fn first(fragment: &Fragment, track: &Track) -> Result<Timing, FileError> {
    if track.kind == TrackKind::Video && !fragment.starts_with_sync {
        return Err(FileError::media("its first sample is not a sync sample"));
    }
    Ok(Timing { start: fragment.start, duration: fragment.duration, samples: fragment.samples })
}

/// The samples must be inside the `mdat` right behind their `moof`.
fn check_data(fragment: &Fragment, moof: &FileBox, mdat: Option<&FileBox>) -> Result<(), FileError> {
    let mdat = mdat.ok_or_else(|| FileError::media("a moof is not followed by its mdat"))?;
    let absolute = |offset: u64| moof.start.checked_add(offset);
    let inside = absolute(fragment.data.start).is_some_and(|start| start >= mdat.body.start)
        && absolute(fragment.data.end).is_some_and(|end| end <= mdat.body.end);
    if inside { Ok(()) } else { Err(FileError::media("a fragment's samples are not inside its mdat")) }
}

/// The outermost boxes of a segment, in order.
struct Walk<'a> {
    unpacked: &'a Unpacked,
    offset: u64,
    seen: u32,
}

impl Walk<'_> {
    fn next(&mut self) -> Result<Option<FileBox>, FileError> {
        let found = FileBox::at(self.unpacked, self.offset)?;
        if let Some(found) = &found {
            self.offset = found.body.end;
            self.seen = self
                .seen
                .checked_add(1)
                .filter(|seen| *seen <= MAX_BOXES)
                .ok_or_else(|| FileError::media(format!("it has more than {MAX_BOXES} boxes")))?;
        }
        Ok(found)
    }

    /// Steps over what may stand before a fragment. The file may end only behind an `mdat`.
    fn next_moof(&mut self, may_end: bool) -> Result<Option<FileBox>, FileError> {
        let mut may_end = may_end;
        while let Some(found) = self.next()? {
            match found.kind.as_ref() {
                b"moof" => return Ok(Some(found)),
                b"styp" | b"sidx" | b"prft" | b"emsg" => may_end = false,
                _ => {
                    let kind = shown(found.kind);
                    return Err(FileError::media(format!("unexpected box {kind}")));
                }
            }
        }
        if may_end { Ok(None) } else { Err(FileError::media("it ends without a fragment")) }
    }
}
