//! The best quality without encoding: the source's own pictures, cut at its own IDR frames.

use std::sync::Arc;

use ffmpeg_next::Packet;
use framefarm_shared::ladder::{PlannedQuality, VideoCodec};
use framefarm_shared::plan::Plan;

use super::copyable::{Kind, Units};
use super::cutter::Cutter;
use super::decode_pass::Ended;
use super::failure::{Failure, Result};
use super::ff;
use super::input::{Source, SourceVideo};
use super::meter::Meter;
use super::nal::{self, h264};
use super::report::Orders;
use super::segment::Sample;
use super::time::{TICK_BASE, segment_at};
use super::wanted::Wanted;

/// A source may be a little above the cap that encoding would keep.
const OVER_CAP_PERCENT: u64 = 110;

/// Whether this quality is what the source already is. Every worker must come to the same answer.
pub(super) fn is_copy(plan: &Plan, quality: &PlannedQuality, video: &SourceVideo) -> bool {
    let cap = u64::from(quality.bitrate_kbps) * OVER_CAP_PERCENT / 100;
    plan.copy
        && quality.codec == VideoCodec::H264
        && (quality.width, quality.height) == video.size
        && video.kbps <= cap
}

pub(super) struct Copy<'a> {
    pub(super) source: Source,
    pub(super) video: SourceVideo,
    pub(super) starts: Arc<[i64]>,
    pub(super) cutter: Cutter,
    pub(super) meter: Arc<Meter>,
    pub(super) orders: &'a Orders,
}

/// How far copying came.
pub(super) enum Copied {
    Ended(Ended),
    /// From this segment on the source is not fit to be copied. What was copied stays, with its init segment.
    UnfitFrom(usize, Cutter),
}

impl Copy<'_> {
    pub(super) fn run(mut self, wanted: &Wanted) -> Result<Copied> {
        ff::keep_only(&mut self.source.input, &[self.video.index]);
        let stream = self.source.input.stream(self.video.index);
        let parameters =
            stream.ok_or_else(|| Failure::invalid("the file no longer has a video track"))?.parameters();
        let units = Units::of(&parameters);
        let init = ff::init_segment(&parameters, TICK_BASE.1);
        self.cutter.init(init.map_err(|error| Failure::encoder("copying the video track", error))?, false)?;
        for (first, last) in wanted.ranges() {
            match self.range(first, last, &units)? {
                Range::Ended(Ended::Whole) => {}
                Range::Ended(Ended::Stopped) => return Ok(Copied::Ended(Ended::Stopped)),
                Range::UnfitAt(segment) => {
                    self.cutter.forget();
                    return Ok(Copied::UnfitFrom(segment, self.cutter));
                }
            }
        }
        Ok(Copied::Ended(Ended::Whole))
    }

    fn range(&mut self, first: usize, last: usize, units: &Units) -> Result<Range> {
        let (from, to) = (self.starts[first], self.starts[last + 1]);
        self.source.go_to(self.video.index, self.video.time_base, from)?;
        let mut packet = Packet::empty();
        let (mut segment, mut before) = (None, from);
        while self.source.read(&mut packet)? {
            if self.orders.abort() {
                return Ok(Range::Ended(Ended::Stopped));
            }
            if packet.stream() != self.video.index {
                continue;
            }
            let Some(at) = packet.pts().or(packet.dts()) else { continue };
            let at = self.source.ticks(at, self.video.time_base);
            let kind = units.kind(&packet);
            let is_boundary = kind == Kind::Idr && self.starts.contains(&at);
            if segment.is_none() && (at < from || kind != Kind::Idr) {
                continue;
            }
            if kind == Kind::Unfit {
                break;
            }
            let now = segment_at(&self.starts, at);
            // The frame that the range begins with is not there, or not fit.
            if segment.is_none() && now != Some(first) {
                break;
            }
            if at >= to && kind == Kind::Idr {
                self.cutter.finish()?;
                return Ok(Range::Ended(Ended::Whole));
            }
            if is_boundary && self.orders.stop() {
                self.cutter.finish()?;
                return Ok(Range::Ended(Ended::Stopped));
            }
            // A segment that begins with another frame than planned is not the one that was planned.
            if now != segment && !is_boundary {
                break;
            }
            segment = now;
            let data = packet.data().unwrap_or_default();
            let data = if units.have_lengths() { data.to_vec() } else { without_sets(data) };
            self.meter.advance(1, (at - before).max(0));
            before = before.max(at);
            self.cutter.push(Sample { pts: at, key: kind == Kind::Idr, data })?;
        }
        match segment {
            Some(segment) if segment == last && self.is_last(segment) && !packet_is_left(&packet) => {
                self.cutter.finish()?;
                Ok(Range::Ended(Ended::Whole))
            }
            segment => Ok(Range::UnfitAt(segment.unwrap_or(first))),
        }
    }

    fn is_last(&self, segment: usize) -> bool {
        segment + 2 == self.starts.len()
    }
}

enum Range {
    Ended(Ended),
    UnfitAt(usize),
}

/// Reading stopped at this packet and not at the end of the file.
fn packet_is_left(packet: &Packet) -> bool {
    packet.data().is_some()
}

/// In `avc1` the parameter sets stand in the init segment alone.
fn without_sets(stream: &[u8]) -> Vec<u8> {
    let dropped = [h264::SPS, h264::PPS, h264::DELIMITER, h264::FILLER];
    let kept = nal::units(stream).filter(|unit| !dropped.contains(&nal::h264_kind(unit)));
    nal::with_lengths(kept, stream.len())
}
