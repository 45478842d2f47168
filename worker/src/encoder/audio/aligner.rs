//! Where on the video's timeline each decoded sample belongs.
//!
//! Samples follow each other without a seam as long as their timestamps allow it. Small differences (rounded
//! timestamps, a clock that runs a little fast) are evened out by stretching; larger ones are holes and overlaps, and
//! there the timestamps decide.

use ffmpeg_next::format::Sample as Format;
use ffmpeg_next::{Error, frame};

use crate::encoder::ff::{Planes, Resampler};
use crate::encoder::time::{SAMPLES, rescale};

/// A difference from which on a timestamp is believed instead of the count: less than a packet of any codec lasts.
const HOLE: i64 = SAMPLES * 15 / 1000;
/// Up to this difference a timestamp may just be late or early, as those of what browsers and streams record often are.
const JITTER: i64 = SAMPLES * 60 / 1000;
/// So many frames in a row have to agree on such a difference.
const AGREEING: usize = 8;
/// A difference that is left alone: containers round timestamps to milliseconds.
const UNHEARD: i64 = SAMPLES / 1000;
/// What is evened out is a mean over about this long: in many containers timestamps jitter.
const SMOOTHING: i64 = SAMPLES / 6;
/// Over so many samples a difference is stretched away, at most one in fifty.
const STRETCHED_OVER: i64 = SAMPLES / 4;
const MOST_STRETCH: i64 = STRETCHED_OVER / 50;
const PARTS: i64 = 1_000;

/// A frame, and where its timestamp puts it in samples.
pub(super) struct Timed {
    pub(super) frame: frame::Audio,
    pub(super) at: Option<i64>,
    /// Where the next recording begins, in a source of several: this one is heard no longer.
    pub(super) until: Option<i64>,
}

/// Samples, and the place of the first of them.
#[derive(Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) at: i64,
    pub(super) planes: Planes,
}

pub(super) struct Aligner {
    channels: usize,
    resampler: Option<(Shape, Resampler)>,
    /// Where the next sample goes that comes out of the resampler.
    next: Option<i64>,
    /// How far timestamps are ahead of the count, smoothed, in parts of a sample; and where that was seen last.
    ahead: i64,
    ahead_at: i64,
    /// Frames from one on whose timestamp leaps; those behind it tell whether that is to be believed.
    doubted: Vec<Timed>,
    until: Option<i64>,
}

/// Of frames in doubt.
enum Verdict {
    Leap,
    Jitter,
    /// Too few agree so far.
    Open,
}

/// What must stay the same for one resampler.
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

impl Aligner {
    pub(super) fn new(channels: usize) -> Self {
        Self { channels, resampler: None, next: None, ahead: 0, ahead_at: 0, doubted: vec![], until: None }
    }

    pub(super) fn push(&mut self, timed: Timed, out: &mut Vec<Placed>) -> Result<(), Error> {
        match self.verdict(&timed) {
            Some(Verdict::Open) => {
                self.doubted.push(timed);
                return Ok(());
            }
            Some(Verdict::Leap) => self.believe(out)?,
            Some(Verdict::Jitter) => self.go_on(out)?,
            None => {}
        }
        if self.next.is_none() {
            (self.next, self.until) = (timed.at.or(Some(0)), timed.until);
        }
        if timed.until != self.until {
            self.leap(timed.at, out)?;
            self.until = timed.until;
        }
        if self.difference(&timed).abs() > HOLE {
            self.doubted.push(timed);
            return Ok(());
        }
        self.convert(&timed, out)
    }

    /// What the frame behind those in doubt tells of them, if there are any.
    fn verdict(&self, timed: &Timed) -> Option<Verdict> {
        let (first, last) = (self.doubted.first()?, self.doubted.last()?);
        let agrees = match (last.at, timed.at) {
            (Some(before), Some(at)) => (at - before - length(&last.frame)).abs() <= HOLE,
            _ => true,
        };
        let counted: i64 = self.doubted.iter().map(|doubted| length(&doubted.frame)).sum();
        let is_back = timed.at.is_some() && (self.difference(timed) - counted).abs() <= HOLE;
        let is_plain = self.difference(first).abs() > JITTER
            || self.doubted.len() >= AGREEING
            || timed.until != last.until;
        Some(match (agrees && !is_back, is_plain) {
            (false, _) => Verdict::Jitter,
            (true, true) => Verdict::Leap,
            (true, false) => Verdict::Open,
        })
    }

    /// The frames in doubt belong where their timestamps are.
    fn believe(&mut self, out: &mut Vec<Placed>) -> Result<(), Error> {
        self.leap(self.doubted.first().and_then(|first| first.at), out)?;
        self.go_on(out)
    }

    /// The frames in doubt follow what came before them.
    fn go_on(&mut self, out: &mut Vec<Placed>) -> Result<(), Error> {
        std::mem::take(&mut self.doubted).iter().try_for_each(|doubted| self.convert(doubted, out))
    }

    pub(super) fn finish(&mut self, out: &mut Vec<Placed>) -> Result<(), Error> {
        if !self.doubted.is_empty() {
            self.believe(out)?;
        }
        self.retire(out)
    }

    /// By how much a frame's timestamp is ahead of the samples before it.
    fn difference(&self, timed: &Timed) -> i64 {
        let held = self.resampler.as_ref().map_or(0, |(_, resampler)| resampler.delay());
        match (timed.at, self.next) {
            (Some(at), Some(next)) => at - next - held,
            _ => 0,
        }
    }

    /// What comes next does not follow what came before.
    fn leap(&mut self, to: Option<i64>, out: &mut Vec<Placed>) -> Result<(), Error> {
        self.retire(out)?;
        self.next = to.or(self.next);
        self.ahead = 0;
        Ok(())
    }

    fn convert(&mut self, timed: &Timed, out: &mut Vec<Placed>) -> Result<(), Error> {
        let shape = Shape::of(&timed.frame);
        if self.resampler.as_ref().is_some_and(|(known, _)| *known != shape) {
            self.retire(out)?;
        }
        let difference = self.difference(timed);
        let (_, resampler) = match &mut self.resampler {
            Some(known) => known,
            none => none.insert((shape, Resampler::open(&timed.frame, self.channels)?)),
        };
        // With only the small ones, timestamps that jitter would pull to one side.
        if timed.at.is_some() && difference.abs() <= JITTER {
            let at = self.next.unwrap_or(0);
            let passed = (at - std::mem::replace(&mut self.ahead_at, at)).clamp(0, SAMPLES);
            self.ahead += (difference * PARTS - self.ahead) * passed / (passed + SMOOTHING);
            stretch(resampler, self.ahead / PARTS)?;
        }
        let mut planes = Planes::new(self.channels);
        resampler.push(&timed.frame, &mut planes)?;
        self.give(planes, out);
        Ok(())
    }

    fn retire(&mut self, out: &mut Vec<Placed>) -> Result<(), Error> {
        let Some((_, mut resampler)) = self.resampler.take() else { return Ok(()) };
        let mut planes = Planes::new(self.channels);
        resampler.finish(&mut planes)?;
        self.give(planes, out);
        Ok(())
    }

    fn give(&mut self, mut planes: Planes, out: &mut Vec<Placed>) {
        planes.0.iter_mut().flatten().for_each(|sample| *sample = sane(*sample));
        let at = self.next.unwrap_or(0);
        self.next = Some(at + i64::try_from(planes.len()).unwrap_or(0));
        if let Some(until) = self.until {
            let heard = usize::try_from(until.saturating_sub(at)).unwrap_or(0);
            planes.0.iter_mut().for_each(|plane| plane.truncate(heard));
        }
        if planes.len() > 0 {
            out.push(Placed { at, planes });
        }
    }
}

/// Nothing that a float can hold may stop the encoder.
fn sane(sample: f32) -> f32 {
    const LOUDEST: f32 = 8.0;
    if sample.is_nan() { 0.0 } else { sample.clamp(-LOUDEST, LOUDEST) }
}

fn stretch(resampler: &mut Resampler, ahead: i64) -> Result<(), Error> {
    if ahead.abs() <= UNHEARD {
        return Ok(());
    }
    let delta = ahead.clamp(-MOST_STRETCH, MOST_STRETCH);
    resampler.compensate(i32::try_from(delta).unwrap_or(0), i32::try_from(STRETCHED_OVER).unwrap_or(12_000))
}

/// In samples of the output.
fn length(frame: &frame::Audio) -> i64 {
    let rate = i32::try_from(frame.rate()).unwrap_or(0).max(1);
    let samples = i64::try_from(frame.samples()).unwrap_or(0);
    rescale(samples, ffmpeg_next::Rational(1, rate), super::SAMPLE_BASE)
}
