//! One quality of pictures on a thread of its own: scales what the quality above it made, hands it down, codes it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use ffmpeg_next::frame;

use super::cutter::Cutter;
use super::failure::{Failure, Result};
use super::ff;
use super::gpu_scaler::AnyScaler;
use super::meter::Meter;
use super::protocol::Report;
use super::report::{Orders, Reporter};
use super::segment::Sample;
use super::video_encoder::{VideoEncoder, VideoSettings};
use super::wanted::Wanted;

/// Frames that may wait between two threads: enough to even out B-frames and cuts, little enough for the memory.
pub(super) const QUEUE: usize = 12;

/// A picture on its way down the ladder.
pub(super) struct PlacedFrame {
    pub(super) frame: frame::Video,
    pub(super) pts: i64,
    pub(super) segment: usize,
    /// The first one of its segment.
    pub(super) boundary: bool,
    /// Ticks since the one before it; for progress alone.
    pub(super) since: i64,
}

pub(super) struct Rung {
    pub(super) settings: VideoSettings,
    /// Other encoders work or worked on this quality too, or may have to.
    pub(super) mixed: bool,
    pub(super) wanted: Wanted,
    pub(super) cutter: Cutter,
    pub(super) meter: Arc<Meter>,
    pub(super) reporter: Arc<Reporter>,
}

impl Rung {
    /// Works until the queue ends. A quality that fails tells so and only hands pictures down from then on.
    pub(super) fn run(
        mut self,
        from: &Receiver<PlacedFrame>,
        below: Option<&SyncSender<PlacedFrame>>,
        orders: &Orders,
    ) -> Result<()> {
        let quality = &self.settings.quality;
        let mut scaler = AnyScaler::new((quality.width, quality.height));
        let samples = Samples { made: Vec::new(), meter: Arc::clone(&self.meter) };
        let mut coding = Coding { encoder: None, samples, failed: false };
        for shown in from {
            let frame = scaler.run(&shown.frame)?;
            drop(shown.frame);
            let shown = PlacedFrame { frame, ..shown };
            if let Some(below) = below {
                let frame = ff::share(&shown.frame).map_err(|error| Failure::internal("frames", error))?;
                // Whoever is below reports its own end.
                let _gone_or_not = below.send(PlacedFrame { frame, ..shown });
            }
            let coded = self.code(&mut coding, &shown);
            self.unless_failed(&mut coding, coded)?;
        }
        if orders.abort() {
            return Ok(());
        }
        let last = self.end(&mut coding);
        self.unless_failed(&mut coding, last)
    }

    fn code(&mut self, coding: &mut Coding, shown: &PlacedFrame) -> Result<()> {
        if coding.failed {
            return Ok(());
        }
        let wanted = self.wanted.has(shown.segment);
        if !wanted || (shown.boundary && VideoEncoder::one_segment_each(&self.settings)) {
            self.end(coding)?;
        }
        if !wanted {
            return Ok(());
        }
        // Pictures that come from elsewhere than before: another encoder goes on inside the segment.
        if let Some(encoder) = coding.encoder.take_if(|encoder| !encoder.suits(&shown.frame)) {
            encoder.finish(&mut coding.samples)?;
            self.cut(coding)?;
        }
        let encoder = match &mut coding.encoder {
            Some(encoder) => encoder,
            none => none.insert(self.open(&shown.frame)?),
        };
        encoder.push(&shown.frame, shown.pts, shown.boundary, &mut coding.samples)?;
        self.meter.advance(1, shown.since);
        self.cut(coding)
    }

    fn open(&mut self, frame: &frame::Video) -> Result<VideoEncoder> {
        let mut encoder = VideoEncoder::open(&self.settings, frame)?;
        if self.mixed {
            encoder.repeat_sets()?;
        }
        self.cutter.init(encoder.init_segment()?, self.mixed)?;
        Ok(encoder)
    }

    /// The encoder gives what it still holds, and the segment is whole.
    fn end(&mut self, coding: &mut Coding) -> Result<()> {
        let Some(encoder) = coding.encoder.take() else { return Ok(()) };
        encoder.finish(&mut coding.samples)?;
        self.cut(coding)?;
        self.cutter.finish()
    }

    fn cut(&mut self, coding: &mut Coding) -> Result<()> {
        let cut = coding.samples.made.drain(..).try_for_each(|sample| self.cutter.push(sample));
        if self.settings.hardware.is_some() { cut.map_err(Failure::blamed_on_gpu) } else { cut }
    }

    /// Only the encoder's own failures are one quality's affair; a full disk is everybody's.
    fn unless_failed(&self, coding: &mut Coding, result: Result<()>) -> Result<()> {
        use framefarm_shared::failure::ErrorClass::Encoder;
        match result {
            Err(failure) if failure.class == Encoder && !coding.failed => {
                coding.failed = true;
                coding.encoder = None;
                let quality = self.settings.quality.name.clone();
                self.reporter.say(&Report::QualityFailed {
                    quality,
                    class: failure.class,
                    message: failure.message,
                });
                Ok(())
            }
            other => other,
        }
    }
}

struct Coding {
    encoder: Option<VideoEncoder>,
    samples: Samples,
    failed: bool,
}

/// What the encoder gave; each packet is counted at once, since the last ones of an encoder can take minutes.
struct Samples {
    made: Vec<Sample>,
    meter: Arc<Meter>,
}

impl Extend<Sample> for Samples {
    fn extend<T: IntoIterator<Item = Sample>>(&mut self, packets: T) {
        self.made.extend(packets.into_iter().inspect(|_| self.meter.packet()));
    }
}
