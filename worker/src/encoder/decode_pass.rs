//! The pass over the picture: demux, decode once, prepare, and give every frame its place on the plan.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use ffmpeg_next::codec::{decoder, threading};
use ffmpeg_next::{Error, Packet, frame};

use super::decoders;
use super::failure::{Failure, Result};
use super::ff;
use super::frame_times::FrameTimes;
use super::gpu_decode;
use super::gpu_scaler::GpuCopier;
use super::input::{Source, SourceVideo};
use super::losses::Losses;
use super::prepare::FramePreparer;
use super::report::{Orders, Reporter};
use super::rung::PlacedFrame;
use super::time::{TICKS, clock_words};
use super::wanted::Wanted;

/// Deinterlacing and broken beginnings need some frames before the one that is wanted.
const RUN_UP: i64 = TICKS;
/// So long nothing may be decodable; then the rest of the track is given up.
const HOPELESS: i64 = 30 * TICKS;
/// So many errors in a row, and a decoder has nothing more to give.
const PATIENCE: usize = 1_000;

/// Where prepared frames go.
pub(super) trait FrameSink {
    /// False if nobody listens any more.
    fn push(&mut self, frame: PlacedFrame) -> Result<bool>;
}

impl FrameSink for SyncSender<PlacedFrame> {
    fn push(&mut self, frame: PlacedFrame) -> Result<bool> {
        Ok(self.send(frame).is_ok())
    }
}

pub(super) struct DecodePass<'a> {
    source: Source,
    video: SourceVideo,
    decoder: decoder::Video,
    /// Set while the decoder leaves its pictures on a GPU.
    on_gpu: Option<GpuCopier>,
    threads: u32,
    prepare: FramePreparer,
    starts: Arc<[i64]>,
    orders: &'a Orders,
    reporter: &'a Reporter,
    damaged: u64,
    times: FrameTimes,
}

/// Who decodes.
#[derive(Clone, Copy)]
pub(super) struct Decoding<'a> {
    pub(super) threads: u32,
    /// A GPU, if it can decode this source.
    pub(super) gpu: Option<&'a ff::Device>,
}

/// Why a pass over a range ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Whole,
    Stopped,
}

impl<'a> DecodePass<'a> {
    pub(super) fn open(
        source: Source,
        size: (u32, u32),
        decoding: Decoding<'_>,
        starts: Arc<[i64]>,
        orders: &'a Orders,
        reporter: &'a Reporter,
    ) -> Result<Self> {
        let Some(video) = source.video.clone() else {
            return Err(Failure::invalid("the file no longer has a video track"));
        };
        let mut source = source;
        ff::keep_only(&mut source.input, &[video.index]);
        let Decoding { threads, gpu } = decoding;
        let there = gpu.and_then(|gpu| gpu_decode::decoder(&source, &video, gpu));
        let on_gpu = there.is_some().then(|| GpuCopier::new(size));
        if gpu.is_some() && on_gpu.is_none() {
            eprintln!("framefarm-worker: decoding {:?} in software, because the GPU cannot", video.codec);
            reporter.decodes_in_software();
        }
        let decoder = match there {
            Some(decoder) => decoder,
            None => decoder_of(&source, &video, threads)?,
        };
        let prepare = FramePreparer::new(&video, size);
        let times = FrameTimes::new(source.guesses_times());
        Ok(Self {
            source,
            video,
            decoder,
            on_gpu,
            threads,
            prepare,
            starts,
            orders,
            reporter,
            damaged: 0,
            times,
        })
    }

    /// Shows every frame of these segments.
    pub(super) fn run(&mut self, wanted: &Wanted, sink: &mut impl FrameSink) -> Result<Ended> {
        for (first, last) in wanted.ranges() {
            let starts = Arc::clone(&self.starts);
            let mut place = Place::new(&starts, first, last);
            self.begin_at(place.start())?;
            let ended = self.range(&mut place, sink)?;
            if ended == Ended::Stopped {
                return Ok(ended);
            }
        }
        if self.damaged > 0 {
            self.reporter.warn(format!("damaged places in the video: {}", self.damaged));
        }
        Ok(Ended::Whole)
    }

    fn begin_at(&mut self, start: i64) -> Result<()> {
        self.decoder.flush();
        self.prepare.forget();
        self.times = FrameTimes::new(self.source.guesses_times());
        self.source.go_to(self.video.index, self.video.time_base, start - RUN_UP)
    }

    fn range(&mut self, place: &mut Place<'_>, sink: &mut impl FrameSink) -> Result<Ended> {
        loop {
            if let Some(ended) = self.pass(place, sink)? {
                return Ok(ended);
            }
            self.leave_gpu(place)?;
        }
    }

    /// What a GPU cannot decode is no verdict about the source: software goes on from the same place. If the GPU is
    /// broken, its encoders will fail too.
    fn leave_gpu(&mut self, place: &Place<'_>) -> Result<()> {
        let (at, why) = (clock_words(place.latest_at.max(place.start())), ff::said());
        eprintln!("framefarm-worker: decoding in software from {at} on, because the GPU failed: {why}");
        self.reporter.decodes_in_software();
        self.decoder = decoder_of(&self.source, &self.video, self.threads)?;
        self.on_gpu = None;
        self.begin_at(place.latest_at.max(place.start()))
    }

    /// None if the GPU has to be left.
    fn pass(&mut self, place: &mut Place<'_>, sink: &mut impl FrameSink) -> Result<Option<Ended>> {
        let mut packet = Packet::empty();
        let mut silent_since: Option<i64> = None;
        let mut losses = Losses::default();
        while self.source.read(&mut packet)? {
            if self.orders.abort() {
                return Ok(Some(Ended::Stopped));
            }
            if packet.stream() != self.video.index {
                continue;
            }
            self.damaged += u64::from(losses.is_certain(packet.is_corrupt(), packet.is_key()));
            if self.decoder.send_packet(&packet).is_ok() {
                let decoded_at = packet.dts().map(|at| self.source.ticks(at, self.video.time_base));
                self.times.sent(decoded_at, ff::reorder_depth(&self.decoder) + self.threads as usize);
            } else if self.on_gpu.is_some() {
                return Ok(None);
            } else {
                self.damaged += 1;
                self.check_hope(&mut silent_since, self.instant(&packet), place)?;
            }
            match self.receive(place, sink)? {
                Received::Nothing => {}
                Received::Some => silent_since = None,
                Received::Over(ended) => return Ok(Some(ended)),
                Received::Refused => return Ok(None),
            }
        }
        // Some decoders refuse the end they were told before.
        let _told = self.decoder.send_eof();
        match self.receive(place, sink)? {
            Received::Nothing | Received::Some => {}
            Received::Over(ended) => return Ok(Some(ended)),
            Received::Refused => return Ok(None),
        }
        let mut rest = Vec::new();
        self.prepare.finish(&mut rest)?;
        for frame in rest {
            if let Some(ended) = place.put(frame, sink, self.orders)? {
                return Ok(Some(ended));
            }
        }
        place.fill_to_end(None, sink)?;
        Ok(Some(Ended::Whole))
    }

    fn receive(&mut self, place: &mut Place<'_>, sink: &mut impl FrameSink) -> Result<Received> {
        let mut received = Received::Nothing;
        let mut prepared = Vec::new();
        let mut errors = 0;
        while errors < PATIENCE {
            let mut frame = frame::Video::empty();
            match self.decoder.receive_frame(&mut frame) {
                Ok(()) => errors = 0,
                Err(Error::Eof | Error::Other { errno: ffmpeg_next::error::EAGAIN }) => break,
                Err(_) if self.on_gpu.is_some() => return Ok(Received::Refused),
                // At the end of the file whole frames may wait behind a damaged one.
                Err(_) => {
                    self.damaged += 1;
                    errors += 1;
                    continue;
                }
            }
            if self.on_gpu.is_some() && !gpu_decode::can_stay(&frame, &self.video) {
                return Ok(Received::Refused);
            }
            let shown_at = frame.pts().and(frame.timestamp());
            let shown_at = shown_at.map(|at| self.source.ticks(at, self.video.time_base));
            let at = self.times.received(shown_at, self.video.frame_ticks());
            // Before the run-up nothing is needed but the decoder's memory.
            if at < place.start() - RUN_UP && place.first > 0 {
                continue;
            }
            frame.set_pts(Some(at));
            frame.set_kind(ffmpeg_next::util::picture::Type::None);
            match &mut self.on_gpu {
                Some(copier) => match copier.run(&frame) {
                    Ok(copy) => prepared.push(copy),
                    Err(_) => return Ok(Received::Refused),
                },
                None => self.prepare.push(frame, &mut prepared)?,
            }
            for frame in prepared.drain(..) {
                received = Received::Some;
                if let Some(ended) = place.put(frame, sink, self.orders)? {
                    return Ok(Received::Over(ended));
                }
            }
        }
        Ok(received)
    }

    fn instant(&self, packet: &Packet) -> Option<i64> {
        let at = packet.pts().or(packet.dts()).map(|at| self.source.ticks(at, self.video.time_base));
        at.or(self.times.next())
    }

    fn check_hope(&self, since: &mut Option<i64>, at: Option<i64>, place: &Place<'_>) -> Result<()> {
        let Some(at) = at else { return Ok(()) };
        let first = *since.get_or_insert(at);
        if at - first < HOPELESS {
            return Ok(());
        }
        let (kept, total) = (place.segment, self.starts.len() - 1);
        let after = clock_words(first);
        Err(Failure::invalid(format!(
            "the video is damaged after {after}; {kept} of {total} segments were kept"
        )))
    }
}

enum Received {
    Nothing,
    Some,
    Over(Ended),
    /// Not to be had from the GPU.
    Refused,
}

fn decoder_of(source: &Source, video: &SourceVideo, threads: u32) -> Result<decoder::Video> {
    let unknown = |error: Error| Failure::invalid(format!("the video codec cannot be decoded: {error}"));
    let stream = source.input.stream(video.index).ok_or_else(|| unknown(Error::StreamNotFound))?;
    let mut context = decoders::context_of(&stream).map_err(unknown)?;
    context.set_threading(threading::Config {
        kind: threading::Type::Frame,
        count: threads as usize,
        ..threading::Config::default()
    });
    let mut decoder = context.decoder();
    decoder.set_packet_time_base(video.time_base);
    decoder.video().map_err(unknown)
}

/// Where on the plan the next frame belongs.
struct Place<'a> {
    starts: &'a [i64],
    first: usize,
    last: usize,
    segment: usize,
    /// Whether the current segment has a frame.
    begun: bool,
    latest: Option<frame::Video>,
    latest_at: i64,
    shown_at: i64,
    /// Set when a stop was asked for: the segment that must not begin any more.
    stop_before: Option<usize>,
}

impl<'a> Place<'a> {
    fn new(starts: &'a [i64], first: usize, last: usize) -> Self {
        let (latest_at, shown_at) = (i64::MIN, starts[first]);
        Self {
            starts,
            first,
            last,
            segment: first,
            begun: false,
            latest: None,
            latest_at,
            shown_at,
            stop_before: None,
        }
    }

    fn start(&self) -> i64 {
        self.starts[self.first]
    }

    fn end(&self) -> i64 {
        self.starts[self.last + 1]
    }

    fn put(
        &mut self,
        frame: frame::Video,
        sink: &mut impl FrameSink,
        orders: &Orders,
    ) -> Result<Option<Ended>> {
        let at = frame.pts().unwrap_or(self.latest_at);
        if at <= self.latest_at {
            return Ok(None);
        }
        self.latest_at = at;
        // Frames before the range are only remembered; but the very first frame of a video may come late or early.
        if at < self.start() {
            self.latest = Some(frame);
            return Ok(None);
        }
        if at >= self.end() {
            self.fill_to_end(Some(&frame), sink)?;
            return Ok(Some(Ended::Whole));
        }
        if orders.stop() && self.stop_before.is_none() {
            self.stop_before = Some(self.segment + usize::from(self.begun));
        }
        while at >= self.starts[self.segment + 1] {
            self.fill(Some(&frame), sink)?;
            self.segment += 1;
            self.begun = false;
        }
        if self.stop_before.is_some_and(|stop| self.segment >= stop) {
            return Ok(Some(Ended::Stopped));
        }
        let boundary = !self.begun;
        // The first frame of a segment is shown from its very beginning.
        let pts = if boundary { self.starts[self.segment] } else { at };
        self.latest = Some(ff::share(&frame).map_err(|error| Failure::internal("frames", error))?);
        self.emit(frame, pts, boundary, sink)
    }

    /// A segment in which nothing changes shows the last picture again; before the first one, that one.
    fn fill(&mut self, coming: Option<&frame::Video>, sink: &mut impl FrameSink) -> Result<()> {
        if self.begun {
            return Ok(());
        }
        let Some(latest) = self.latest.as_ref().or(coming) else {
            let after = clock_words(self.starts[self.segment]);
            return Err(Failure::invalid(format!("no frame could be decoded at {after}")));
        };
        let frame = ff::share(latest).map_err(|error| Failure::internal("frames", error))?;
        let pts = self.starts[self.segment];
        self.emit(frame, pts, true, sink).map(drop)
    }

    fn fill_to_end(&mut self, coming: Option<&frame::Video>, sink: &mut impl FrameSink) -> Result<()> {
        while self.segment <= self.last {
            self.fill(coming, sink)?;
            self.segment += 1;
            self.begun = false;
        }
        Ok(())
    }

    fn emit(
        &mut self,
        frame: frame::Video,
        pts: i64,
        boundary: bool,
        sink: &mut impl FrameSink,
    ) -> Result<Option<Ended>> {
        self.begun = true;
        let since = pts - std::mem::replace(&mut self.shown_at, pts);
        let placed = PlacedFrame { frame, pts, segment: self.segment, boundary, since };
        Ok(if sink.push(placed)? { None } else { Some(Ended::Stopped) })
    }
}
