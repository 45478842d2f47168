//! The best quality without encoding: the source's own pictures, cut at its own IDR frames.

use std::sync::Arc;

use ffmpeg_next::{Packet, packet};
use framefarm_shared::ladder::{PlannedQuality, VideoCodec};
use framefarm_shared::plan::Plan;

use super::cutter::Cutter;
use super::failure::{Failure, Result};
use super::ff;
use super::film::Ended;
use super::gauge::Gauge;
use super::input::{Picture, Source};
use super::nal::{self, h264};
use super::report::Orders;
use super::segment::Sample;
use super::time::{TICK_BASE, segment_at};
use super::wanted::Wanted;

/// A source may be a little above the cap that encoding would keep.
const OVER_CAP_PERCENT: u64 = 110;

/// Whether this quality is what the source already is. Every worker must come to the same answer.
pub(super) fn is_copy(plan: &Plan, quality: &PlannedQuality, picture: &Picture) -> bool {
    let cap = u64::from(quality.bitrate_kbps) * OVER_CAP_PERCENT / 100;
    plan.copy
        && quality.codec == VideoCodec::H264
        && (quality.width, quality.height) == picture.size
        && picture.kbps <= cap
}

pub(super) struct Copy<'a> {
    pub(super) source: Source,
    pub(super) picture: Picture,
    pub(super) starts: Arc<[i64]>,
    pub(super) cutter: Cutter,
    pub(super) gauge: Arc<Gauge>,
    pub(super) orders: &'a Orders,
}

impl Copy<'_> {
    pub(super) fn run(mut self, wanted: &Wanted) -> Result<Ended> {
        ff::keep_only(&mut self.source.input, &[self.picture.index]);
        let stream = self.source.input.stream(self.picture.index);
        let parameters = stream.ok_or_else(|| Failure::invalid("the picture is gone"))?.parameters();
        let has_lengths = ff::extradata(&parameters).first() == Some(&1);
        let init = ff::init_segment(&parameters, TICK_BASE.1);
        self.cutter.init(init.map_err(|error| Failure::encoder("copying the picture", error))?, false)?;
        for (first, last) in wanted.ranges() {
            if self.range(first, last, has_lengths)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Whole)
    }

    fn range(&mut self, first: usize, last: usize, has_lengths: bool) -> Result<Ended> {
        let (from, to) = (self.starts[first], self.starts[last + 1]);
        self.source
            .go_to(self.picture.index, self.picture.time_base, from)
            .map_err(|error| Failure::invalid(format!("the file cannot be read from its middle: {error}")))?;
        let mut packet = Packet::empty();
        let (mut begun, mut before) = (false, from);
        while self.source.read(&mut packet) {
            if self.orders.abort() {
                return Ok(Ended::Stopped);
            }
            if packet.stream() != self.picture.index {
                continue;
            }
            let Some(at) = packet.pts().or(packet.dts()) else { continue };
            let at = self.source.ticks(at, self.picture.time_base);
            let key = packet.flags().contains(packet::Flags::KEY);
            begun |= key && at >= from;
            if !begun {
                continue;
            }
            if at >= to && key {
                break;
            }
            if self.orders.stop()
                && key
                && segment_at(&self.starts, at).is_some_and(|now| self.starts[now] == at)
            {
                self.cutter.finish()?;
                return Ok(Ended::Stopped);
            }
            let data = packet.data().unwrap_or_default();
            let data = if has_lengths { data.to_vec() } else { without_sets(data) };
            self.gauge.advance(1, (at - before).max(0));
            before = before.max(at);
            self.cutter.push(Sample { pts: at, key, data })?;
        }
        self.cutter.finish()?;
        Ok(Ended::Whole)
    }
}

/// In `avc1` the parameter sets stand in the init segment alone.
fn without_sets(stream: &[u8]) -> Vec<u8> {
    let dropped = [h264::SPS, h264::PPS, h264::DELIMITER, h264::FILLER];
    let kept = nal::units(stream).filter(|unit| !dropped.contains(&nal::h264_kind(unit)));
    nal::with_lengths(kept, stream.len())
}
