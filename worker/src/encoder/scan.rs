//! One look at every packet of a source, without decoding: how long it is, where its frames are, and whether the
//! picture could be copied as it is.

use std::collections::HashMap;

use ffmpeg_next::codec::Id;
use ffmpeg_next::{Error, Packet};

use super::boundaries::Stretches;
use super::failure::{Failure, Result};
use super::ff;
use super::input::{Picture, Source};
use super::nal::{self, h264};
use super::time::{TICK_BASE, TICKS, rescale};

/// 24 hours at 240 frames a second.
const MAX_FRAMES: u64 = 24 * 3600 * 240;
/// How far apart two packets of a stream may be; beyond, its times have jumped.
const STEADY: std::ops::Range<i64> = -TICKS..10 * TICKS;
/// Sound that goes on this much longer than the picture is worth a still picture.
const WORTH_A_STILL: i64 = TICKS;

#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) frames: u64,
    /// Where the video ends, in ticks.
    pub(super) end: i64,
    /// Where its picture ends; sound may go on.
    pub(super) shown_end: i64,
    pub(super) stretches: Stretches,
    /// Instants of the closed-GOP IDR frames, rising; none if the picture cannot be copied.
    pub(super) idr_frames: Option<Vec<i64>>,
    /// Its times jump about and cannot be followed.
    pub(super) restamp: bool,
}

impl Scan {
    pub(super) fn run(source: &mut Source) -> Result<Self> {
        let picture = source.picture.clone();
        let mut wanted: Vec<usize> = source.sounds.iter().map(|sound| sound.index).collect();
        wanted.extend(picture.as_ref().map(|picture| picture.index));
        ff::keep_only(&mut source.input, &wanted);
        let mut look = Look::new(source, picture.as_ref());
        let mut packet = Packet::empty();
        loop {
            match packet.read(&mut source.input) {
                Ok(()) => look.at(source, &packet)?,
                Err(Error::InvalidData) => {}
                Err(_) => break,
            }
        }
        look.finish()
    }
}

struct Look {
    scan: Scan,
    picture: Option<Picture>,
    nals: Option<Nals>,
    shown_end: i64,
    heard_end: i64,
    may_jump: bool,
    latest: HashMap<usize, i64>,
}

impl Look {
    fn new(source: &Source, picture: Option<&Picture>) -> Self {
        let nals = picture.filter(|picture| picture.codec == Id::H264).and_then(|picture| {
            let parameters = source.input.stream(picture.index)?.parameters();
            Some(Nals::of(ff::extradata(&parameters)))
        });
        let scan = Scan { idr_frames: nals.is_some().then(Vec::new), ..Scan::default() };
        Self {
            scan,
            picture: picture.cloned(),
            nals,
            shown_end: 0,
            heard_end: 0,
            may_jump: source.may_jump(),
            latest: HashMap::new(),
        }
    }

    fn at(&mut self, source: &Source, packet: &Packet) -> Result<()> {
        if self.may_jump {
            self.note_jump(source, packet);
        }
        match &self.picture {
            Some(picture) if picture.index == packet.stream() => {
                let picture = picture.clone();
                self.frame(source, &picture, packet)
            }
            _ => {
                let sound = source.sounds.iter().find(|sound| sound.index == packet.stream());
                if let (Some(sound), Some(at)) = (sound, packet.pts().or(packet.dts())) {
                    let end = source.ticks(at.saturating_add(packet.duration().max(0)), sound.time_base);
                    self.heard_end = self.heard_end.max(end);
                }
                Ok(())
            }
        }
    }

    fn note_jump(&mut self, source: &Source, packet: &Packet) {
        let stream = source.input.stream(packet.stream());
        let (Some(stream), Some(at)) = (stream, packet.dts()) else { return };
        let at = source.ticks(at, stream.time_base());
        let before = self.latest.insert(packet.stream(), at);
        self.scan.restamp |= before.is_some_and(|before| !STEADY.contains(&(at - before)));
    }

    fn frame(&mut self, source: &Source, picture: &Picture, packet: &Packet) -> Result<()> {
        self.scan.frames += 1;
        if self.scan.frames > MAX_FRAMES {
            return Err(Failure::invalid("the video has more frames than a day of 240 a second"));
        }
        let length = match packet.duration() {
            duration @ 1.. => rescale(duration, picture.time_base, TICK_BASE),
            _ => picture.frame_ticks(),
        };
        let Some(at) = packet.pts().or(packet.dts()) else {
            self.scan.idr_frames = None;
            self.shown_end = self.shown_end.saturating_add(length);
            return Ok(());
        };
        let at = source.ticks(at, picture.time_base);
        self.shown_end = self.shown_end.max(at.saturating_add(length.max(1)));
        self.scan.stretches.note(at);
        self.note_idr(at, packet);
        Ok(())
    }

    fn note_idr(&mut self, at: i64, packet: &Packet) {
        let (Some(nals), Some(data)) = (&self.nals, packet.data()) else { return };
        match (nals.look(data), &mut self.scan.idr_frames) {
            (Unit::Idr, Some(frames)) if frames.last().is_none_or(|last| *last < at) => frames.push(at),
            (Unit::Other, Some(_)) => {}
            (_, frames) => *frames = None,
        }
    }

    fn finish(mut self) -> Result<Scan> {
        if let Some(picture) = self.picture.as_ref().filter(|_| self.scan.restamp) {
            let length = picture.frame_ticks();
            let frames = i64::try_from(self.scan.frames).unwrap_or(i64::MAX);
            self.scan.stretches = Stretches::default();
            (0..frames).for_each(|frame| self.scan.stretches.note(frame * length));
            (self.scan.idr_frames, self.shown_end, self.heard_end) = (None, frames * length, 0);
        }
        let end = if self.picture.is_none() || self.heard_end > self.shown_end + WORTH_A_STILL {
            self.heard_end
        } else {
            self.shown_end
        };
        if self.picture.is_some() && self.scan.frames == 0 {
            return Err(Failure::invalid("the file has a picture track without a single frame"));
        }
        if end <= 0 {
            return Err(Failure::invalid("the file has no playable length"));
        }
        (self.scan.end, self.scan.shown_end) = (end, self.shown_end);
        Ok(self.scan)
    }
}

/// How the units of this H.264 are told apart, and the parameter sets that stand for all of it.
struct Nals {
    /// Bytes of a length; none with start codes.
    length_size: Option<usize>,
    sets: Vec<Vec<u8>>,
}

enum Unit {
    Idr,
    Other,
    /// Parameter sets that change on the way, or nothing that we know: not to be copied.
    Strange,
}

impl Nals {
    fn of(extradata: &[u8]) -> Self {
        match extradata {
            [1, _, _, _, size, rest @ ..] => {
                Self { length_size: Some(usize::from(size & 3) + 1), sets: listed_sets(rest) }
            }
            _ => Self { length_size: None, sets: nal::units(extradata).map(<[u8]>::to_vec).collect() },
        }
    }

    fn look(&self, data: &[u8]) -> Unit {
        match self.length_size {
            Some(size) => self.judge(nal::sized_units(data, size)),
            None => self.judge(nal::units(data)),
        }
    }

    fn judge<'a>(&self, units: impl Iterator<Item = &'a [u8]>) -> Unit {
        let mut found = Unit::Strange;
        for unit in units {
            match nal::h264_kind(unit) {
                h264::IDR => return Unit::Idr,
                h264::SLICE => return Unit::Other,
                h264::SPS | h264::PPS if !self.sets.iter().any(|set| set == unit) => return Unit::Strange,
                _ => found = Unit::Strange,
            }
        }
        found
    }
}

/// SPS and PPS of an `avcC`: a count, then a length and the set, twice.
fn listed_sets(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let mut sets = Vec::new();
    for mask in [0x1f, 0xff] {
        let Some((count, after)) = rest.split_first() else { break };
        rest = after;
        for _ in 0..count & mask {
            let Some((length, after)) = rest.split_first_chunk::<2>() else { return sets };
            let Some((set, after)) = after.split_at_checked(usize::from(u16::from_be_bytes(*length))) else {
                return sets;
            };
            sets.push(set.to_vec());
            rest = after;
        }
    }
    sets
}
