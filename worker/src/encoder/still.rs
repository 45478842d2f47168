//! Single frames of a source, by keyframe.

use ffmpeg_next::codec::{self, decoder, discard::Discard};
use ffmpeg_next::{Error, Packet, frame};

use super::failure::{Failure, Result};
use super::ff;
use super::front::Front;
use super::input::{Picture, Source};

/// A damaged stretch is given up after so many packets.
const PATIENCE: usize = 2_000;

pub(super) struct Stills {
    source: Source,
    picture: Picture,
    decoder: decoder::Video,
    front: Front,
}

impl Stills {
    pub(super) fn open(mut source: Source, size: (u32, u32)) -> Result<Self> {
        let failed =
            |error: Error| Failure::invalid(format!("the picture's codec cannot be decoded: {error}"));
        let picture = source.picture.clone().ok_or_else(|| failed(Error::StreamNotFound))?;
        ff::keep_only(&mut source.input, &[picture.index]);
        let stream = source.input.stream(picture.index).ok_or_else(|| failed(Error::StreamNotFound))?;
        let context = codec::Context::from_parameters(stream.parameters()).map_err(failed)?;
        let mut decoder = context.decoder();
        decoder.set_packet_time_base(picture.time_base);
        decoder.skip_frame(Discard::NonKey);
        let decoder = decoder.video().map_err(failed)?;
        let size = (size.0 & !1, size.1 & !1);
        let front = Front::new(&picture, size);
        Ok(Self { source, picture, decoder, front })
    }

    /// The keyframe at or before an instant.
    pub(super) fn at(&mut self, ticks: i64) -> Result<Option<frame::Video>> {
        self.decoder.flush();
        self.front.forget();
        if self.source.go_to(self.picture.index, self.picture.time_base, ticks).is_err() {
            return Ok(None);
        }
        let mut packet = Packet::empty();
        for _ in 0..PATIENCE {
            if !self.source.read(&mut packet) {
                break;
            }
            if packet.stream() == self.picture.index
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
        self.front.push(frame, &mut out)?;
        self.front.finish(&mut out)?;
        Ok(out.into_iter().next())
    }
}
