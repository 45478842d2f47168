//! One look at every packet of a source, without decoding: how long it is, where its frames are, and whether the
//! picture could be copied as it is.

use std::collections::{HashMap, HashSet};

use ffmpeg_next::Packet;
use ffmpeg_next::codec::Id;

use super::boundaries::Stretches;
use super::failure::{Failure, Result};
use super::ff;
use super::input::{Picture, Sound, Source};
use super::nal::{self, h264};
use super::time::{TICK_BASE, TICKS, rescale};

/// 24 hours at 240 frames a second.
const MAX_FRAMES: u64 = 24 * 3600 * 240;
/// More frames between IDR frames than any segment may have.
const LONGEST_GROUP: usize = 10_000;
/// How far back a packet may be from the one before it; beyond, its times have jumped.
const BACK: i64 = TICKS;
/// How far ahead, where times may begin anew.
const AHEAD: i64 = 10 * TICKS;
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
        while source.read(&mut packet) {
            look.at(source, &packet)?;
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
    /// The frames since the last IDR frame, while the picture may be copied.
    group: HashSet<i64>,
    /// How long each track of sound is if its times are not believed.
    counted: HashMap<usize, i64>,
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
            group: HashSet::new(),
            counted: HashMap::new(),
        }
    }

    fn at(&mut self, source: &Source, packet: &Packet) -> Result<()> {
        self.note_jump(source, packet);
        match &self.picture {
            Some(picture) if picture.index == packet.stream() => {
                let picture = picture.clone();
                self.frame(source, &picture, packet)
            }
            _ => {
                let sound = source.sounds.iter().find(|sound| sound.index == packet.stream());
                if let Some(sound) = sound {
                    self.sound(source, sound, packet);
                }
                Ok(())
            }
        }
    }

    fn sound(&mut self, source: &Source, sound: &Sound, packet: &Packet) {
        let length = packet.duration().max(0);
        if let Some(at) = packet.pts().or(packet.dts()) {
            let end = source.ticks(at.saturating_add(length), sound.time_base);
            self.heard_end = self.heard_end.max(end);
        }
        let counted = self.counted.entry(sound.index).or_default();
        *counted = counted.saturating_add(rescale(length, sound.time_base, TICK_BASE));
    }

    fn note_jump(&mut self, source: &Source, packet: &Packet) {
        let stream = source.input.stream(packet.stream());
        let (Some(stream), Some(at)) = (stream, packet.dts()) else { return };
        let at = source.ticks(at, stream.time_base());
        let before = self.latest.insert(packet.stream(), at);
        let step = before.map_or(0, |before| at.saturating_sub(before));
        self.scan.restamp |= step < -BACK || (self.may_jump && step > AHEAD);
    }

    fn frame(&mut self, source: &Source, picture: &Picture, packet: &Packet) -> Result<()> {
        if ff::is_cut_off(packet) {
            self.scan.idr_frames = None;
            return Ok(());
        }
        self.scan.frames += 1;
        if self.scan.frames > MAX_FRAMES {
            return Err(Failure::invalid("the video has more frames than a day of 240 a second"));
        }
        let length = match packet.duration() {
            duration @ 1.. => rescale(duration, picture.time_base, TICK_BASE),
            _ => picture.frame_ticks(),
        };
        let ticks = |at| source.ticks(at, picture.time_base);
        let decoded = packet.dts().map(ticks).filter(|at| *at >= self.shown_end);
        let shown = packet.pts().map(ticks);
        // Without a time of its own a frame follows those that are known.
        let at = shown.or(decoded).unwrap_or(self.shown_end);
        self.shown_end = self.shown_end.max(at.saturating_add(length.max(1)));
        if shown.or(decoded).is_some() {
            self.scan.stretches.note(at);
        }
        match shown {
            Some(at) => self.note_idr(at, packet),
            None => self.scan.idr_frames = None,
        }
        Ok(())
    }

    fn note_idr(&mut self, at: i64, packet: &Packet) {
        let (Some(nals), Some(data)) = (&self.nals, packet.data()) else { return };
        let fits = match (nals.look(data), &mut self.scan.idr_frames) {
            (_, None) => return,
            (Unit::Idr, Some(frames)) => {
                let rises = frames.last().is_none_or(|last| *last < at);
                frames.push(at);
                self.group.clear();
                rises
            }
            (Unit::Other, Some(frames)) => frames.last().is_some_and(|idr| *idr < at),
            (Unit::Strange, _) => false,
        };
        // Two frames of one instant cannot both be shown.
        if !fits || !self.group.insert(at) || self.group.len() > LONGEST_GROUP {
            self.scan.idr_frames = None;
            self.group.clear();
        }
    }

    fn finish(mut self) -> Result<Scan> {
        if self.scan.restamp {
            self.count();
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

    /// Its times are not believed: frames and sounds are taken to follow each other.
    fn count(&mut self) {
        self.scan.stretches = Stretches::default();
        self.scan.idr_frames = None;
        let Some(picture) = &self.picture else {
            self.heard_end = self.counted.values().copied().max().unwrap_or(0);
            return;
        };
        let length = picture.frame_ticks();
        let frames = i64::try_from(self.scan.frames).unwrap_or(i64::MAX);
        (0..frames).for_each(|frame| self.scan.stretches.note(frame * length));
        (self.shown_end, self.heard_end) = (frames * length, 0);
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
