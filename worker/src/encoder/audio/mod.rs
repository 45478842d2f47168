//! One audio track: decoded, put on the video's timeline as 48 kHz in one, two or six channels, encoded as AAC, cut at
//! the plan's instants.
//!
//! A track is decoded from its beginning, whichever segments are wanted. Containers round timestamps (Matroska to a
//! millisecond), so whoever began in the middle could not find the exact sample again, and a resumed track would click.
//! Decoding audio costs next to nothing beside encoding its picture.

mod aac;
mod aligner;
mod output;

use std::sync::Arc;

use ffmpeg_next::codec::decoder;
use ffmpeg_next::{Error, Packet, Rational, frame};
use framefarm_shared::ladder::PlannedQuality;

use self::aligner::{Aligner, Timed};
use self::output::Output;
use super::cutter::Cutter;
use super::decode_pass::Ended;
use super::decoders;
use super::failure::{Failure, Result};
use super::input::{Source, SourceAudio};
use super::meter::Meter;
use super::report::{Orders, Reporter};
use super::time::{TICK_BASE, rescale};
use super::wanted::Wanted;

const SAMPLE_BASE: Rational = Rational(1, 48_000);
/// So many errors in a row, and a decoder has nothing more to give.
const PATIENCE: usize = 1_000;
/// So many packets may be damaged without a word: a cut leaves one or two, and a tenth of a second is hardly heard.
const UNHEARD: usize = 4;

pub(super) struct Track<'a> {
    pub(super) source: Source,
    pub(super) audio: SourceAudio,
    pub(super) quality: PlannedQuality,
    /// Of the rendition.
    pub(super) channels: usize,
    pub(super) starts: Arc<[i64]>,
    pub(super) cutter: Cutter,
    pub(super) meter: Arc<Meter>,
    pub(super) orders: &'a Orders,
    pub(super) reporter: &'a Reporter,
}

impl Track<'_> {
    pub(super) fn run(self, wanted: &Wanted) -> Result<Ended> {
        let Self { mut source, audio, quality, channels, starts, cutter, meter, orders, reporter } = self;
        let name = quality.name.clone();
        let ranges = wanted.ranges().map(|(first, last)| (starts[first], starts[last + 1])).collect();
        let mut decoder = decoder_of(&source, &audio)?;
        let mut aligner = Aligner::new(channels);
        let mut output = Output::new(quality, channels, cutter, meter, ranges)?;
        source.rewind(audio.index)?;
        let mut packet = Packet::empty();
        let mut silenced = 0;
        while !output.is_full() && source.read(&mut packet)? {
            if orders.abort() || orders.stop() {
                return Ok(Ended::Stopped);
            }
            if source.may_jump() && packet.position() < 0 {
                // Behind the first frame of a PES packet libav counts on, by a rate that may have changed.
                packet.set_pts(None);
                packet.set_dts(None);
            }
            if packet.stream() != audio.index {
                continue;
            }
            // Damaged packets are silence.
            if decoder.send_packet(&packet).is_ok() {
                silenced += receive(&mut decoder, &source, &audio, &mut aligner, &mut output)?;
            } else {
                silenced += 1;
            }
        }
        if silenced > UNHEARD {
            reporter.warn(format!(
                "{silenced} packets of {name} could not be decoded and were replaced by silence"
            ));
        }
        if !output.is_full() {
            let _ended = decoder.send_eof();
            receive(&mut decoder, &source, &audio, &mut aligner, &mut output)?;
            let mut placed = Vec::new();
            aligner.finish(&mut placed).map_err(unconvertible)?;
            placed.iter().try_for_each(|placed| output.put(placed))?;
            output.finish()?;
        }
        Ok(Ended::Whole)
    }
}

/// Gives the number of packets that could not be decoded.
fn receive(
    decoder: &mut decoder::Audio,
    source: &Source,
    audio: &SourceAudio,
    aligner: &mut Aligner,
    output: &mut Output,
) -> Result<usize> {
    let mut placed = Vec::new();
    let (mut errors, mut damaged) = (0, 0);
    while errors < PATIENCE {
        let mut frame = frame::Audio::empty();
        match decoder.receive_frame(&mut frame) {
            Ok(()) => errors = 0,
            Err(Error::Eof | Error::Other { errno: ffmpeg_next::error::EAGAIN }) => break,
            // What comes after a damaged packet may be whole.
            Err(_) => {
                (errors, damaged) = (errors + 1, damaged + 1);
                continue;
            }
        }
        let ticks = frame.timestamp().map(|at| source.ticks(at, audio.time_base));
        let samples = |ticks| rescale(ticks, TICK_BASE, SAMPLE_BASE);
        let (at, until) = (ticks.map(samples), source.section_end().map(samples));
        aligner.push(Timed { frame, at, until }, &mut placed).map_err(unconvertible)?;
        placed.drain(..).try_for_each(|placed| output.put(&placed))?;
    }
    Ok(damaged)
}

fn decoder_of(source: &Source, audio: &SourceAudio) -> Result<decoder::Audio> {
    let unknown = |error: Error| Failure::invalid(format!("the audio codec cannot be decoded: {error}"));
    let stream = source.input.stream(audio.index).ok_or_else(|| unknown(Error::StreamNotFound))?;
    let mut decoder = decoders::context_of(&stream).map_err(unknown)?.decoder();
    decoder.set_packet_time_base(audio.time_base);
    decoder.audio().map_err(unknown)
}

fn unconvertible(error: Error) -> Failure {
    Failure::invalid(format!("the audio cannot be converted: {error}"))
}
