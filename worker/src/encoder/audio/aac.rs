//! The AAC encoder over one range.
//!
//! A decoder needs the packet before to decode the one after, and the encoder begins with an empty packet. So a range
//! is begun early and ended late, and what lies outside is thrown away: the packet at an instant holds the audio of that
//! instant, no edit list is needed, and ranges that were made apart join without a seam.

use ffmpeg_next::codec::{self, encoder};
use ffmpeg_next::format::Sample as Format;
use ffmpeg_next::format::sample::Type::Planar;
use ffmpeg_next::util::channel_layout::ChannelLayout;
use ffmpeg_next::{Dictionary, Error, Packet, frame};
use framefarm_shared::ladder::PlannedQuality;

use super::SAMPLE_BASE;
use crate::encoder::failure::{Failure, Result};
use crate::encoder::ff::{self, Planes};
use crate::encoder::segment::Sample;
use crate::encoder::time::{PACKET_SAMPLES, SAMPLES};

/// Encoded before a range, so that the encoder and every decoder are in step.
const EARLY: i64 = 4 * PACKET_SAMPLES;
/// Encoded after it: the last packet of a range overlaps the one that follows.
const LATE: i64 = 2 * PACKET_SAMPLES;
/// [`PACKET_SAMPLES`] as libav counts.
pub(super) const PACKET_FRAME: usize = 1_024;

pub(super) struct Aac {
    encoder: encoder::audio::Encoder,
    layout: ChannelLayout,
    from: i64,
    to: i64,
    /// Where the next packet's samples go.
    next: i64,
}

impl Aac {
    pub(super) fn open(quality: &PlannedQuality, channels: usize, from: i64, to: i64) -> Result<Self> {
        let failed = |error: Error| Failure::encoder(&format!("aac for {}", quality.name), error);
        let found = encoder::find_by_name("aac").ok_or_else(|| failed(Error::EncoderNotFound))?;
        let mut audio = codec::Context::new_with_codec(found).encoder().audio().map_err(failed)?;
        let layout = match channels {
            1 => ChannelLayout::MONO,
            2 => ChannelLayout::STEREO,
            // What players know as channel configuration 6; the layout with side channels would need a table of its own.
            _ => ChannelLayout::_5POINT1_BACK,
        };
        audio.set_rate(i32::try_from(SAMPLES).unwrap_or(48_000));
        audio.set_format(Format::F32(Planar));
        audio.set_channel_layout(layout);
        audio.set_time_base(SAMPLE_BASE);
        let kbps = if channels == 1 { quality.bitrate_kbps / 2 } else { quality.bitrate_kbps };
        audio.set_bit_rate(kbps as usize * 1000);
        audio.set_flags(codec::Flags::GLOBAL_HEADER | codec::Flags::BITEXACT);
        let encoder = audio.open_with(Dictionary::new()).map_err(failed)?;
        Ok(Self { encoder, layout, from, to, next: from - EARLY })
    }

    pub(super) fn init_segment(&self) -> Result<Vec<u8>> {
        let parameters = ff::parameters_of(&self.encoder).map_err(|error| Failure::encoder("aac", error))?;
        let rate = i32::try_from(SAMPLES).unwrap_or(48_000);
        ff::init_segment(&parameters, rate).map_err(|error| Failure::encoder("aac", error))
    }

    /// Where the next sample belongs that it wants.
    pub(super) fn next(&self) -> i64 {
        self.next
    }

    pub(super) fn is_full(&self) -> bool {
        self.next >= self.to + LATE
    }

    /// The samples of one packet.
    pub(super) fn push(&mut self, planes: &Planes) -> Result<Vec<Sample>> {
        let mut frame = frame::Audio::new(Format::F32(Planar), PACKET_FRAME, self.layout);
        for (index, plane) in planes.0.iter().enumerate() {
            frame.plane_mut::<f32>(index).copy_from_slice(plane);
        }
        frame.set_rate(u32::try_from(SAMPLES).unwrap_or(48_000));
        frame.set_pts(Some(self.next));
        self.next += PACKET_SAMPLES;
        self.encoder.send_frame(&frame).map_err(|error| Failure::encoder("aac", error))?;
        self.drain()
    }

    pub(super) fn finish(mut self) -> Result<Vec<Sample>> {
        self.encoder.send_eof().map_err(|error| Failure::encoder("aac", error))?;
        self.drain()
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
