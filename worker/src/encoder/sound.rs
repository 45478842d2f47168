//! One track of sound: decoded, brought to 48 kHz and at most two channels, coded as AAC, cut at the plan's instants.
//!
//! AAC needs the packet before to decode the one after, and its encoder begins with a packet of nothing. So a range
//! is begun a little early, and what lies before it is thrown away: the packet at an instant holds the sound of that
//! instant, and no edit list is needed.

use std::sync::Arc;

use ffmpeg_next::codec::{self, decoder, encoder};
use ffmpeg_next::filter::{self, Graph};
use ffmpeg_next::format::Sample as Format;
use ffmpeg_next::format::sample::Type::Planar;
use ffmpeg_next::util::channel_layout::ChannelLayout;
use ffmpeg_next::{Dictionary, Error, Packet, Rational, frame};
use framefarm_shared::ladder::PlannedQuality;

use super::cutter::Cutter;
use super::failure::{Failure, Result};
use super::ff;
use super::film::Ended;
use super::gauge::Gauge;
use super::input::{Sound, Source};
use super::report::Orders;
use super::segment::Sample;
use super::time::{PACKET_SAMPLES, SAMPLES, TICK_BASE, TICKS, rescale};
use super::wanted::Wanted;

/// Packets coded before a range so that the encoder and every decoder are in step.
const EARLY: i64 = 4 * PACKET_SAMPLES;
/// A hole that is filled with silence at once; the mixer would hold all of it in memory.
const HOLE: i64 = 2 * SAMPLES;
/// How far from its picture a track whose times are not believed may begin, in ticks.
const BEGINS: std::ops::RangeInclusive<i64> = -10 * TICKS..=10 * TICKS;
/// How much earlier decoding begins, in ticks: codecs with a memory need to settle.
const RUN_UP: i64 = 45_000;
/// [`PACKET_SAMPLES`] as libav counts.
const PACKET_FRAME: usize = 1_024;
const SAMPLE_BASE: Rational = Rational(1, 48_000);

pub(super) struct Track<'a> {
    pub(super) source: Source,
    pub(super) sound: Sound,
    pub(super) quality: PlannedQuality,
    pub(super) starts: Arc<[i64]>,
    pub(super) cutter: Cutter,
    pub(super) gauge: Arc<Gauge>,
    /// Sound is counted instead of asked for its time.
    pub(super) restamp: bool,
    pub(super) orders: &'a Orders,
}

impl Track<'_> {
    pub(super) fn run(mut self, wanted: &Wanted) -> Result<Ended> {
        ff::keep_only(&mut self.source.input, &[self.sound.index]);
        for (first, last) in wanted.ranges() {
            let (from, to) = (self.starts[first], self.starts[last + 1]);
            if self.range(from, to)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Whole)
    }

    fn range(&mut self, from: i64, to: i64) -> Result<Ended> {
        let mut coder = Coder::open(&self.quality, self.layout(), from, to)?;
        self.cutter.init(coder.init_segment()?, false)?;
        let mut decoder = self.decoder()?;
        let begin = rescale(from - EARLY, SAMPLE_BASE, TICK_BASE) - RUN_UP;
        self.go_to(begin)?;
        let mut heard = Heard::default();
        let mut mixer: Option<Mixer> = None;
        let mut packet = Packet::empty();
        while !coder.is_full() && self.source.read(&mut packet) {
            if self.orders.abort() || self.orders.stop() {
                return Ok(Ended::Stopped);
            }
            // Damaged packets are silence.
            if packet.stream() == self.sound.index && decoder.send_packet(&packet).is_ok() {
                self.receive(&mut decoder, &mut heard, &mut mixer, &mut coder)?;
            }
        }
        if !coder.is_full() {
            let _told = decoder.send_eof();
            self.receive(&mut decoder, &mut heard, &mut mixer, &mut coder)?;
            self.retire(&mut mixer, &mut coder)?;
        }
        self.take(coder.finish()?)?;
        self.cutter.finish()?;
        Ok(Ended::Whole)
    }

    fn go_to(&mut self, begin: i64) -> Result<()> {
        if self.restamp {
            return self.source.rewind(self.sound.index);
        }
        self.source
            .go_to(self.sound.index, self.sound.time_base, begin)
            .map_err(|error| Failure::invalid(format!("the file cannot be read from its middle: {error}")))
    }

    fn receive(
        &mut self,
        decoder: &mut decoder::Audio,
        heard: &mut Heard,
        mixer: &mut Option<Mixer>,
        coder: &mut Coder,
    ) -> Result<()> {
        let mut frame = frame::Audio::empty();
        while decoder.receive_frame(&mut frame).is_ok() {
            let shape = Shape::of(&frame);
            let told = frame.timestamp().map(|at| self.source.ticks(at, self.sound.time_base));
            let at = if self.restamp { Some(heard.count(told, &frame)) } else { told };
            if at.is_some_and(|at| coder.is_hole(at)) {
                // One frame amid others may be wrong about its time.
                if mixer.is_some() && !std::mem::replace(&mut heard.leapt, true) {
                    continue;
                }
                self.retire(mixer, coder)?;
                let silence = coder.silence(rescale(at.unwrap_or(0), TICK_BASE, SAMPLE_BASE))?;
                self.take(silence)?;
            }
            heard.leapt = false;
            if mixer.as_ref().is_none_or(|mixer| mixer.shape != shape) {
                self.retire(mixer, coder)?;
                *mixer = Some(Mixer::build(shape, self.layout(), coder.next)?);
            }
            if let Some(mixer) = mixer.as_mut() {
                mixer.push(&mut frame, at)?;
                self.code(mixer, coder)?;
            }
            frame = frame::Audio::empty();
        }
        Ok(())
    }

    /// What the mixer still holds is coded.
    fn retire(&mut self, mixer: &mut Option<Mixer>, coder: &mut Coder) -> Result<()> {
        let Some(mut old) = mixer.take() else { return Ok(()) };
        old.finish()?;
        self.code(&mut old, coder)
    }

    fn code(&mut self, mixer: &mut Mixer, coder: &mut Coder) -> Result<()> {
        while !coder.is_full() {
            let Some(frame) = mixer.packet()? else { return Ok(()) };
            let samples = coder.push(frame)?;
            self.take(samples)?;
        }
        Ok(())
    }

    fn take(&mut self, samples: Vec<Sample>) -> Result<()> {
        for sample in samples {
            self.gauge.advance(0, PACKET_SAMPLES);
            self.cutter.push(sample)?;
        }
        Ok(())
    }

    fn layout(&self) -> ChannelLayout {
        if self.sound.channels == 1 { ChannelLayout::MONO } else { ChannelLayout::STEREO }
    }

    fn decoder(&self) -> Result<decoder::Audio> {
        let unknown =
            |error: Error| Failure::invalid(format!("the sound's codec cannot be decoded: {error}"));
        let stream =
            self.source.input.stream(self.sound.index).ok_or_else(|| unknown(Error::StreamNotFound))?;
        let mut decoder = codec::Context::from_parameters(stream.parameters()).map_err(unknown)?.decoder();
        decoder.set_packet_time_base(self.sound.time_base);
        decoder.audio().map_err(unknown)
    }
}

/// How far into a track we are.
#[derive(Debug, Default)]
struct Heard {
    /// Where it began, in ticks, and how much came since; only where its own times are not believed.
    began: Option<i64>,
    since: i64,
    /// The last frame was far behind the one before.
    leapt: bool,
}

impl Heard {
    fn count(&mut self, told: Option<i64>, frame: &frame::Audio) -> i64 {
        let began = *self.began.get_or_insert(told.filter(|at| BEGINS.contains(at)).unwrap_or(0));
        let at = began + self.since;
        let rate = i32::try_from(frame.rate()).unwrap_or(0).max(1);
        self.since += rescale(i64::try_from(frame.samples()).unwrap_or(0), Rational(1, rate), TICK_BASE);
        at
    }
}

/// What must stay the same for one mixer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    format: Format,
    rate: u32,
    channels: u16,
    layout: u64,
}

impl Shape {
    fn of(frame: &frame::Audio) -> Self {
        let (format, rate, channels) = (frame.format(), frame.rate(), frame.channels());
        Self { format, rate, channels, layout: frame.channel_layout().bits() }
    }
}

/// Resamples and mixes; fills holes with silence and drops what overlaps, so that sound stays with its picture.
struct Mixer {
    shape: Shape,
    graph: Graph,
}

impl Mixer {
    fn build(shape: Shape, layout: ChannelLayout, from: i64) -> Result<Self> {
        let made = build_mixer(shape, layout, from);
        let graph =
            made.map_err(|error| Failure::invalid(format!("the sound cannot be converted: {error}")))?;
        Ok(Self { shape, graph })
    }

    fn push(&mut self, frame: &mut frame::Audio, at: Option<i64>) -> Result<()> {
        let base = Rational(1, i32::try_from(self.shape.rate).unwrap_or(48_000));
        frame.set_pts(at.map(|at| rescale(at, TICK_BASE, base)));
        let fed = self.graph.get("in").ok_or(Error::Bug).and_then(|mut fed| fed.source().add(frame));
        fed.map_err(|error| Failure::invalid(format!("the sound cannot be converted: {error}")))
    }

    fn finish(&mut self) -> Result<()> {
        let ended = self.graph.get("in").ok_or(Error::Bug).and_then(|mut fed| fed.source().flush());
        ended.map_err(|error| Failure::internal("mixing", error))
    }

    fn packet(&mut self) -> Result<Option<frame::Audio>> {
        let mut frame = frame::Audio::empty();
        let got = self.graph.get("out").ok_or(Error::Bug).and_then(|mut out| out.sink().frame(&mut frame));
        match got {
            Ok(()) => Ok(Some(frame)),
            Err(Error::Eof | Error::Other { errno: ffmpeg_next::error::EAGAIN }) => Ok(None),
            Err(error) => Err(Failure::invalid(format!("the sound cannot be converted: {error}"))),
        }
    }
}

fn build_mixer(shape: Shape, layout: ChannelLayout, from: i64) -> Result<Graph, Error> {
    let mut graph = Graph::new();
    let channels = match shape.layout {
        0 => format!("channels={}", shape.channels),
        known => format!("channel_layout={known:#x}"),
    };
    let format = shape.format.name();
    let args = format!("time_base=1/{0}:sample_rate={0}:sample_fmt={format}:{channels}", shape.rate);
    let (source, sink) = (filter::find("abuffer"), filter::find("abuffersink"));
    graph.add(&source.ok_or(Error::FilterNotFound)?, "in", &args)?;
    graph.add(&sink.ok_or(Error::FilterNotFound)?, "out", "")?;
    let wanted = if layout == ChannelLayout::MONO { "mono" } else { "stereo" };
    // The resampler is there from the beginning (`res`): one that is put in later, to catch up with times that drift,
    // has forgotten where it was.
    let steps = format!(
        "aresample={SAMPLES}:flags=res:async=1000:min_hard_comp=0.015:first_pts={from},\
         aformat=sample_fmts=fltp:channel_layouts={wanted},asetnsamples=n={PACKET_SAMPLES}:p=1"
    );
    graph.output("in", 0)?.input("out", 0)?.parse(&steps)?;
    graph.validate()?;
    Ok(graph)
}

/// The AAC encoder over one range.
struct Coder {
    encoder: encoder::audio::Encoder,
    layout: ChannelLayout,
    /// What is kept.
    from: i64,
    to: i64,
    /// Where the next sound goes.
    next: i64,
}

impl Coder {
    fn open(quality: &PlannedQuality, layout: ChannelLayout, from: i64, to: i64) -> Result<Self> {
        let failed = |error: Error| Failure::encoder(&format!("aac of {}", quality.name), error);
        let found = encoder::find_by_name("aac").ok_or_else(|| failed(Error::EncoderNotFound))?;
        let mut audio = codec::Context::new_with_codec(found).encoder().audio().map_err(failed)?;
        audio.set_rate(i32::try_from(SAMPLES).unwrap_or(48_000));
        audio.set_format(Format::F32(Planar));
        audio.set_channel_layout(layout);
        audio.set_time_base(SAMPLE_BASE);
        let kbps =
            if layout == ChannelLayout::MONO { quality.bitrate_kbps / 2 } else { quality.bitrate_kbps };
        audio.set_bit_rate(kbps as usize * 1000);
        audio.set_flags(codec::Flags::GLOBAL_HEADER | codec::Flags::BITEXACT);
        let encoder = audio.open_with(Dictionary::new()).map_err(failed)?;
        Ok(Self { encoder, layout, from, to, next: from - EARLY })
    }

    fn init_segment(&self) -> Result<Vec<u8>> {
        let parameters = ff::parameters_of(&self.encoder).map_err(|error| Failure::encoder("aac", error))?;
        let rate = i32::try_from(SAMPLES).unwrap_or(48_000);
        ff::init_segment(&parameters, rate).map_err(|error| Failure::encoder("aac", error))
    }

    fn is_full(&self) -> bool {
        self.next >= self.to
    }

    /// Whether so much is missing before an instant, given in ticks, that a mixer should not fill it.
    fn is_hole(&self, at: i64) -> bool {
        rescale(at, TICK_BASE, SAMPLE_BASE).saturating_sub(self.next) > HOLE
    }

    fn push(&mut self, mut frame: frame::Audio) -> Result<Vec<Sample>> {
        frame.set_pts(Some(self.next));
        self.next += i64::try_from(frame.samples()).unwrap_or(PACKET_SAMPLES);
        self.encoder.send_frame(&frame).map_err(|error| Failure::encoder("aac", error))?;
        self.drain()
    }

    /// As many packets of nothing as fit before an instant.
    fn silence(&mut self, until: i64) -> Result<Vec<Sample>> {
        let mut samples = Vec::new();
        while self.next + PACKET_SAMPLES <= until.min(self.to) {
            let mut silence = frame::Audio::new(Format::F32(Planar), PACKET_FRAME, self.layout);
            for plane in 0..silence.planes() {
                silence.plane_mut::<f32>(plane).fill(0.0);
            }
            silence.set_rate(u32::try_from(SAMPLES).unwrap_or(48_000));
            samples.extend(self.push(silence)?);
        }
        Ok(samples)
    }

    /// A track that ends before its picture ends in silence.
    fn finish(mut self) -> Result<Vec<Sample>> {
        let mut samples = self.silence(self.to)?;
        self.encoder.send_eof().map_err(|error| Failure::encoder("aac", error))?;
        samples.extend(self.drain()?);
        Ok(samples)
    }

    fn drain(&mut self) -> Result<Vec<Sample>> {
        let (mut samples, mut packet) = (Vec::new(), Packet::empty());
        loop {
            match self.encoder.receive_packet(&mut packet) {
                Ok(()) => {
                    if let (Some(pts), Some(bytes)) = (packet.pts(), packet.data())
                        && (self.from..self.to).contains(&pts)
                    {
                        samples.push(Sample { pts, key: true, data: bytes.to_vec() });
                    }
                }
                Err(Error::Eof | Error::Other { errno: ffmpeg_next::error::EAGAIN }) => return Ok(samples),
                Err(error) => return Err(Failure::encoder("aac", error)),
            }
        }
    }
}
