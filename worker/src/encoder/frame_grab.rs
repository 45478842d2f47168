//! Single frames of a source, by keyframe, or the first that can be had.

use ffmpeg_next::codec::{decoder, discard::Discard};
use ffmpeg_next::{Error, Packet, frame};

use super::decoders;
use super::failure::{Failure, Result};
use super::ff;
use super::input::{Source, SourceVideo};
use super::prepare::FramePreparer;
use super::report::Orders;

/// A damaged stretch is given up after so many packets.
const PATIENCE: usize = 2_000;

pub(super) struct FrameGrabber {
    source: Source,
    video: SourceVideo,
    decoder: decoder::Video,
    prepare: FramePreparer,
}

impl FrameGrabber {
    /// Of the stream that is shown.
    pub(super) fn open(source: Source, size: (u32, u32)) -> Result<Self> {
        let video = source.video.clone().ok_or_else(|| undecodable(Error::StreamNotFound))?;
        Self::of(source, video, size, Discard::NonKey)
    }

    /// Of this stream.
    pub(super) fn of(
        mut source: Source,
        video: SourceVideo,
        size: (u32, u32),
        skipped: Discard,
    ) -> Result<Self> {
        ff::keep_only(&mut source.input, &[video.index]);
        let stream = source.input.stream(video.index);
        let stream = stream.ok_or_else(|| undecodable(Error::StreamNotFound))?;
        let context = decoders::context_of(&stream).map_err(undecodable)?;
        let mut decoder = context.decoder();
        decoder.set_packet_time_base(video.time_base);
        decoder.skip_frame(skipped);
        let decoder = decoder.video().map_err(undecodable)?;
        let prepare = FramePreparer::new(&video, ((size.0 & !1).max(2), (size.1 & !1).max(2)));
        Ok(Self { source, video, decoder, prepare })
    }

    /// The keyframe at or before an instant.
    pub(super) fn at(&mut self, ticks: i64) -> Result<Option<frame::Video>> {
        self.decoder.flush();
        self.prepare.forget();
        self.source.go_to(self.video.index, self.video.time_base, ticks)?;
        self.next(PATIENCE, || false)
    }

    /// The first frame of a source that was not read yet, damaged or not.
    pub(super) fn first(&mut self, orders: &Orders) -> Result<Option<frame::Video>> {
        self.next(usize::MAX, || orders.abort() || orders.stop())
    }

    fn next(&mut self, patience: usize, gives_up: impl Fn() -> bool) -> Result<Option<frame::Video>> {
        let mut packet = Packet::empty();
        for _ in 0..patience {
            if gives_up() || !self.source.read(&mut packet)? {
                break;
            }
            if packet.stream() == self.video.index
                && self.decoder.send_packet(&packet).is_ok()
                && let Some(found) = self.receive()?
            {
                return Ok(Some(found));
            }
        }
        let _told = self.decoder.send_eof();
        self.receive()
    }

    fn receive(&mut self) -> Result<Option<frame::Video>> {
        let mut frame = frame::Video::empty();
        if self.decoder.receive_frame(&mut frame).is_err() {
            return Ok(None);
        }
        frame.set_pts(Some(0));
        let mut out = Vec::new();
        self.prepare.push(frame, &mut out)?;
        self.prepare.finish(&mut out)?;
        Ok(out.into_iter().next())
    }
}

fn undecodable(error: Error) -> Failure {
    Failure::invalid(format!("the video codec cannot be decoded: {error}"))
}
