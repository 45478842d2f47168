//! One look at every packet of a source, without decoding: how long it is, where its frames are, where its clock begins
//! anew, and whether the picture could be copied as it is.

use ffmpeg_next::codec::Id;
use ffmpeg_next::{Packet, Rational};

use super::boundaries::Stretches;
use super::copyable::Copyable;
use super::failure::{Failure, Result};
use super::ff;
use super::input::{Source, SourceAudio, SourceVideo};
use super::joins::{JoinFinder, Seen};
use super::time::{TICK_BASE, TICKS, rescale, ticks_of_us};
use super::timeline::Timeline;
use framefarm_shared::plan::MAX_DURATION_US;

/// 24 hours at 240 frames a second.
const MAX_FRAMES: u64 = 24 * 3600 * 240;
/// Sound that goes on this much longer than the picture is worth a still picture.
const WORTH_A_STILL: i64 = TICKS;
/// The distance of places from which reading may begin.
const SEEK_EVERY: i64 = 5 * TICKS;

#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) frames: u64,
    /// Where the video ends, in ticks.
    pub(super) end: i64,
    /// Where its picture begins and ends; sound may begin earlier and go on.
    pub(super) shown_start: Option<i64>,
    pub(super) shown_end: i64,
    pub(super) stretches: Stretches,
    /// Instants of the closed-GOP IDR frames, rising; none if the picture cannot be copied.
    pub(super) idr_frames: Option<Vec<i64>>,
    pub(super) timeline: Timeline,
}

impl Scan {
    pub(super) fn run(source: &mut Source) -> Result<Self> {
        let video = source.video.clone();
        let mut wanted: Vec<usize> = source.audio.iter().map(|audio| audio.index).collect();
        wanted.extend(video.as_ref().map(|video| video.index));
        ff::keep_only(&mut source.input, &wanted);
        let mut look = Look::new(source, video);
        let mut packet = Packet::empty();
        while source.read(&mut packet)? {
            look.at(source, &packet)?;
        }
        look.finish()
    }
}

struct Look {
    scan: Scan,
    video: Option<SourceVideo>,
    /// While the picture may be copied.
    copyable: Option<Copyable>,
    joins: JoinFinder,
    /// The stream that decides where reading may begin.
    leader: Option<usize>,
    /// What is added to the timestamps of the leader's latest packet.
    offset: i64,
    seek_points: Option<Vec<(i64, u64)>>,
    /// How much later than it is decoded the first frame is shown.
    lead: Option<i64>,
    /// Some frames do not say when they are shown.
    lacks_times: bool,
    shown_end: i64,
    heard_end: i64,
}

impl Look {
    fn new(source: &Source, video: Option<SourceVideo>) -> Self {
        let h264 = video.as_ref().filter(|video| video.codec == Id::H264);
        let copyable = h264
            .and_then(|video| source.input.stream(video.index))
            .and_then(|stream| Copyable::new(&stream.parameters()));
        let first_audio = source.audio.first().map(|audio| audio.index);
        let leader = video.as_ref().map(|video| video.index).or(first_audio);
        Self {
            scan: Scan::default(),
            video,
            copyable,
            joins: JoinFinder::new(leader, source.may_jump()),
            leader,
            offset: 0,
            seek_points: source.may_jump().then(Vec::new),
            lead: None,
            lacks_times: false,
            shown_end: 0,
            heard_end: 0,
        }
    }

    fn at(&mut self, source: &Source, packet: &Packet) -> Result<()> {
        let is_video = self.video.as_ref().is_some_and(|video| video.index == packet.stream());
        if let Some(video) = self.video.as_ref().filter(|_| is_video) {
            let video = video.clone();
            let Some(offset) = self.offset(source, packet, video.time_base, self.shown_end)? else {
                self.scan.frames += 1;
                return Ok(());
            };
            self.offset = offset;
            return self.frame(source, &video, packet);
        }
        let Some(audio) = source.audio.iter().find(|audio| audio.index == packet.stream()) else {
            return Ok(());
        };
        let offset = self.offset(source, packet, audio.time_base, self.heard_end)?;
        offset.inspect(|offset| self.audio(source, audio, packet, *offset));
        Ok(())
    }

    /// What is added to the ticks of a packet; none if that is not known yet.
    fn offset(
        &mut self,
        source: &Source,
        packet: &Packet,
        time_base: Rational,
        end: i64,
    ) -> Result<Option<i64>> {
        let Some(decoded_at) = packet.dts().or(packet.pts()) else { return Ok(Some(self.offset)) };
        let ticks = |at| source.ticks(at, time_base);
        let seen = Seen {
            stream: packet.stream(),
            decoded_at: ticks(decoded_at),
            shown_at: ticks(packet.pts().unwrap_or(decoded_at)),
            position: u64::try_from(packet.position()).ok(),
        };
        self.joins.offset(seen, end)
    }

    fn audio(&mut self, source: &Source, audio: &SourceAudio, packet: &Packet, offset: i64) {
        let Some(at) = packet.pts().or(packet.dts()) else { return };
        let start = source.ticks(at, audio.time_base).saturating_add(offset);
        let length = rescale(packet.duration().max(0), audio.time_base, TICK_BASE);
        self.heard_end = self.heard_end.max(start.saturating_add(length));
        if self.leader == Some(audio.index) {
            self.offset = offset;
            self.note_seek_point(start, packet);
        }
    }

    fn frame(&mut self, source: &Source, video: &SourceVideo, packet: &Packet) -> Result<()> {
        if ff::is_cut_off(packet) {
            self.copyable = None;
            return Ok(());
        }
        self.scan.frames += 1;
        if self.scan.frames > MAX_FRAMES {
            return Err(Failure::invalid(
                "the video has too many frames; the maximum is 24 hours at 240 fps",
            ));
        }
        let length = match packet.duration() {
            duration @ 1.. => rescale(duration, video.time_base, TICK_BASE),
            _ => video.frame_ticks(),
        };
        let offset = self.offset;
        let ticks = |at| source.ticks(at, video.time_base).saturating_add(offset);
        let (shown, decoded) = (packet.pts().map(ticks), packet.dts().map(ticks));
        let lead = self.lead.or(shown.zip(decoded).map(|(shown, decoded)| shown - decoded));
        self.lead = lead;
        // Not this frame's instant, but that of a frame: each is shown when another one is decoded, a lead later.
        let decoded = decoded.map(|at| at + lead.unwrap_or(0));
        // Without a time of its own a frame follows those that are known.
        let at = shown.or(decoded).unwrap_or(self.shown_end);
        self.scan.shown_start = Some(self.scan.shown_start.map_or(at, |start| start.min(at)));
        self.lacks_times |= shown.is_none();
        let last = if self.lacks_times { decoded.map_or(at, |decoded| decoded.max(at)) } else { at };
        self.shown_end = self.shown_end.max(last.saturating_add(length.max(1)));
        if shown.or(decoded).is_some() {
            self.scan.stretches.note(at);
            self.note_seek_point(at, packet);
        }
        let fits = |copyable: &mut Copyable| shown.is_some_and(|at| copyable.accepts(at, packet));
        self.copyable = self.copyable.take().and_then(|mut copyable| fits(&mut copyable).then_some(copyable));
        Ok(())
    }

    fn note_seek_point(&mut self, at: i64, packet: &Packet) {
        let Some(points) = &mut self.seek_points else { return };
        let Ok(position) = u64::try_from(packet.position()) else { return };
        let is_next = points.last().is_none_or(|(last, _)| at >= last + SEEK_EVERY);
        if packet.is_key() && is_next && (0..=ticks_of_us(MAX_DURATION_US)).contains(&at) {
            points.push((at, position));
        }
    }

    fn finish(mut self) -> Result<Scan> {
        let end = if self.video.is_none() || self.heard_end > self.shown_end + WORTH_A_STILL {
            self.heard_end
        } else {
            self.shown_end
        };
        if self.video.is_some() && self.scan.frames == 0 {
            return Err(Failure::invalid("the video track has no frames"));
        }
        if end <= 0 {
            return Err(Failure::invalid("the file has no duration"));
        }
        (self.scan.end, self.scan.shown_end) = (end, self.shown_end);
        let copyable = self.copyable.filter(|_| !self.joins.has_joins());
        self.scan.idr_frames = copyable.map(Copyable::idr_frames);
        self.scan.timeline = Timeline::new(self.joins.sections(), self.seek_points.unwrap_or_default());
        Ok(self.scan)
    }
}
