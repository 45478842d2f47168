//! Decoding on an NVIDIA GPU, for sources whose pictures are coded there as they are.

use ffmpeg_next::codec::{Id, decoder, threading};
use ffmpeg_next::util::color;
use ffmpeg_next::{Codec, frame};

use super::decoders;
use super::ff;
use super::gpu_scaler::is_on_gpu;
use super::input::{Source, SourceVideo};

/// Nothing has to be done to the picture but scaling.
pub(super) fn suits(video: &SourceVideo) -> bool {
    let SourceVideo { square, interlaced, hdr, plain, source_colors, colors, .. } = video;
    video.is_upright() && *square && !interlaced && hdr.is_none() && *plain && source_colors == colors
}

/// None if the GPU cannot; software then decodes, and nobody has to hear of it.
pub(super) fn decoder(source: &Source, video: &SourceVideo, gpu: &ff::Device) -> Option<decoder::Video> {
    let codec = codec_of(video.codec)?;
    let stream = source.input.stream(video.index)?;
    let mut context = decoders::context_of(&stream).ok()?;
    context.set_threading(threading::Config {
        kind: threading::Type::None,
        count: 1,
        ..threading::Config::default()
    });
    gpu.give_to(&mut context).ok()?;
    let mut decoder = context.decoder();
    decoder.set_packet_time_base(video.time_base);
    decoder.open_as(codec).and_then(decoder::Opened::video).ok()
}

/// The decoder of libav's own: that of another library knows no GPUs.
fn codec_of(id: Id) -> Option<Codec> {
    let own = if id == Id::AV1 { decoder::find_by_name("av1") } else { decoder::find(id) };
    own.filter(|codec| ff::decodes_on_gpu(*codec))
}

/// What the source says of itself may not hold for every frame.
pub(super) fn can_stay(frame: &frame::Video, video: &SourceVideo) -> bool {
    is_on_gpu(frame)
        && !frame.is_interlaced()
        && frame.color_range() != color::Range::JPEG
        && (frame.width(), frame.height()) == video.size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codecs_that_a_gpu_may_know_are_asked_of_ffmpeg() {
        ffmpeg_next::init().unwrap();
        for id in [Id::H264, Id::HEVC, Id::VP9, Id::AV1, Id::MPEG2VIDEO] {
            assert!(codec_of(id).is_some(), "{id:?}");
        }
        for id in [Id::PRORES, Id::THEORA, Id::GIF] {
            assert!(codec_of(id).is_none(), "{id:?}");
        }
    }
}
