//! Placed samples become the segments of the ranges that are wanted: holes are filled with silence, overlaps cut off.

use std::sync::Arc;

use framefarm_shared::ladder::PlannedQuality;

use super::aac::{Aac, PACKET_FRAME};
use super::aligner::Placed;
use crate::encoder::cutter::Cutter;
use crate::encoder::failure::Result;
use crate::encoder::ff::Planes;
use crate::encoder::meter::Meter;
use crate::encoder::segment::Sample;
use crate::encoder::time::PACKET_SAMPLES;

pub(super) struct Output {
    quality: PlannedQuality,
    channels: usize,
    cutter: Cutter,
    meter: Arc<Meter>,
    /// Those to come, the last first.
    ranges: Vec<(i64, i64)>,
    encoder: Option<Aac>,
    /// Less than a packet, waiting for the rest of it.
    pending: Planes,
}

impl Output {
    /// `ranges` rise, in samples, and lie a segment or more apart.
    pub(super) fn new(
        quality: PlannedQuality,
        channels: usize,
        cutter: Cutter,
        meter: Arc<Meter>,
        mut ranges: Vec<(i64, i64)>,
    ) -> Result<Self> {
        ranges.reverse();
        let pending = Planes::new(channels);
        let mut output = Self { quality, channels, cutter, meter, ranges, encoder: None, pending };
        output.begin_range()?;
        Ok(output)
    }

    /// Everything that is wanted was made.
    pub(super) fn is_full(&self) -> bool {
        self.encoder.is_none()
    }

    pub(super) fn put(&mut self, placed: &Placed) -> Result<()> {
        self.fill_until(placed.at)?;
        let end = placed.at + signed(placed.planes.len());
        while let Some(position) = self.position().filter(|position| *position < end) {
            let skipped = usize::try_from(position - placed.at).unwrap_or(0);
            let count = (placed.planes.len() - skipped).min(self.room());
            for (plane, samples) in self.pending.0.iter_mut().zip(&placed.planes.0) {
                plane.extend_from_slice(&samples[skipped..skipped + count]);
            }
            self.encode_if_whole()?;
        }
        Ok(())
    }

    /// A track that ends before the video ends in silence.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.fill_until(i64::MAX)
    }

    fn fill_until(&mut self, until: i64) -> Result<()> {
        while let Some(position) = self.position().filter(|position| *position < until) {
            let missing = usize::try_from(until - position).unwrap_or(usize::MAX);
            let length = self.pending.len() + missing.min(self.room());
            self.pending.0.iter_mut().for_each(|plane| plane.resize(length, 0.0));
            self.encode_if_whole()?;
        }
        Ok(())
    }

    /// Where the next sample goes; none if no more are wanted. Samples between two ranges are before it.
    fn position(&self) -> Option<i64> {
        self.encoder.as_ref().map(|encoder| encoder.next() + signed(self.pending.len()))
    }

    fn room(&self) -> usize {
        PACKET_FRAME - self.pending.len()
    }

    fn encode_if_whole(&mut self) -> Result<()> {
        let Some(encoder) = self.encoder.as_mut().filter(|_| self.pending.len() == PACKET_FRAME) else {
            return Ok(());
        };
        let samples = encoder.push(&self.pending)?;
        self.pending = Planes::new(self.channels);
        let is_full = encoder.is_full();
        self.cut(samples)?;
        if is_full { self.end_range() } else { Ok(()) }
    }

    fn begin_range(&mut self) -> Result<()> {
        let Some((from, to)) = self.ranges.pop() else { return Ok(()) };
        let encoder = Aac::open(&self.quality, self.channels, from, to)?;
        self.cutter.init(encoder.init_segment()?, false)?;
        self.encoder = Some(encoder);
        Ok(())
    }

    fn end_range(&mut self) -> Result<()> {
        if let Some(encoder) = self.encoder.take() {
            self.cut(encoder.finish()?)?;
            self.cutter.finish()?;
        }
        self.begin_range()
    }

    fn cut(&mut self, samples: Vec<Sample>) -> Result<()> {
        for sample in samples {
            self.meter.advance(0, PACKET_SAMPLES);
            self.cutter.push(sample)?;
        }
        Ok(())
    }
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
