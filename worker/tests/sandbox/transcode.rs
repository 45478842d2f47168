//! The real libraries, inside: a clip is decoded and encoded again.

use std::io;
use std::process::Command;

use ffmpeg_next as ffmpeg;
use ffmpeg_next::codec::{Context, Flags};
use ffmpeg_next::format::context::Output;
use ffmpeg_next::{Packet, Rational, encoder, format, frame, media};

use crate::yard::Yard;

pub(crate) const NAME: &str = "ffmpeg_decodes_and_encodes_inside_the_sandbox";

/// Replaces the source by a second of picture.
pub(crate) fn prepare(yard: &Yard) {
    let mut command = Command::new("ffmpeg");
    command.args([
        "-v",
        "error",
        "-nostdin",
        "-f",
        "lavfi",
        "-i",
        "testsrc2=size=320x180:rate=25:duration=1",
    ]);
    command.args(["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-f", "mp4", "-y"]);
    assert!(command.arg(yard.source()).status().unwrap().success());
}

pub(crate) fn inside(yard: &Yard) -> io::Result<()> {
    let frames = transcode(yard).map_err(io::Error::other)?;
    assert_eq!(frames, 25);
    let made = format::input(&yard.scratch().join("out.mp4")).map_err(io::Error::other)?;
    assert_eq!(made.streams().best(media::Type::Video).unwrap().frames(), 25);
    Ok(())
}

fn transcode(yard: &Yard) -> Result<u32, ffmpeg::Error> {
    ffmpeg::init()?;
    let mut input = format::input(&yard.source())?;
    let stream = input.streams().best(media::Type::Video).unwrap();
    let (index, time_base) = (stream.index(), stream.time_base());
    let mut decoder = Context::from_parameters(stream.parameters())?.decoder().video()?;
    let mut output = format::output(&yard.scratch().join("out.mp4"))?;
    let mut encoder = open_encoder(&decoder, time_base, &mut output)?;
    output.write_header()?;
    let mut count = 0;
    let mut pass_on =
        |decoder: &mut ffmpeg::decoder::Video, encoder: &mut encoder::Video, output: &mut Output| {
            let mut frame = frame::Video::empty();
            while decoder.receive_frame(&mut frame).is_ok() {
                count += 1;
                let at = frame.timestamp();
                frame.set_pts(at);
                frame.set_kind(ffmpeg::picture::Type::None);
                encoder.send_frame(&frame)?;
                write(encoder, time_base, output)?;
            }
            Ok::<_, ffmpeg::Error>(())
        };
    for (_, packet) in input.packets().filter(|(stream, _)| stream.index() == index) {
        decoder.send_packet(&packet)?;
        pass_on(&mut decoder, &mut encoder, &mut output)?;
    }
    decoder.send_eof()?;
    pass_on(&mut decoder, &mut encoder, &mut output)?;
    encoder.send_eof()?;
    write(&mut encoder, time_base, &mut output)?;
    output.write_trailer()?;
    Ok(count)
}

fn open_encoder(
    decoder: &ffmpeg::decoder::Video,
    time_base: Rational,
    output: &mut Output,
) -> Result<encoder::Video, ffmpeg::Error> {
    let codec = encoder::find_by_name("libx264").ok_or(ffmpeg::Error::EncoderNotFound)?;
    let mut video = Context::new_with_codec(codec).encoder().video()?;
    video.set_width(decoder.width());
    video.set_height(decoder.height());
    video.set_format(decoder.format());
    video.set_time_base(time_base);
    video.set_flags(Flags::GLOBAL_HEADER);
    let video = video.open()?;
    output.add_stream(codec)?.set_parameters(&video);
    Ok(video)
}

fn write(
    encoder: &mut encoder::Video,
    time_base: Rational,
    output: &mut Output,
) -> Result<(), ffmpeg::Error> {
    let mut packet = Packet::empty();
    while encoder.receive_packet(&mut packet).is_ok() {
        packet.set_stream(0);
        let to = output.stream(0).map_or(time_base, |stream| stream.time_base());
        packet.rescale_ts(time_base, to);
        packet.write_interleaved(output)?;
    }
    Ok(())
}
