//! Whether a video has transparent parts. They are shown on black, which the video's notes say.

use std::path::Path;

use ffmpeg_next::codec::{Id, decoder};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::{Error, Packet, frame};
use framefarm_shared::source_note::{NoteCode, SourceNote};

use super::colors::has_alpha;
use super::decoders;
use super::failure::{Failure, Result};
use super::ff;
use super::filters;
use super::input::{Source, SourceVideo};

/// So many packets of a picture are looked at.
const LOOKED_AT: usize = 25;

/// What the pixel format tells of transparency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alpha {
    Absent,
    /// Whoever made the source chose a format with alpha.
    Present,
    /// Every picture of this decoder has it, used or not: only the pixels tell.
    Unknown,
}

impl Alpha {
    pub(super) fn of(format: Pixel, codec: Id) -> Self {
        let always = ff::has_flag(format, ff::PixelFlag::Palette) || matches!(codec, Id::GIF | Id::DXV);
        match (has_alpha(format), always) {
            (false, _) => Self::Absent,
            (true, false) => Self::Present,
            (true, true) => Self::Unknown,
        }
    }
}

pub(super) fn note(path: &Path, video: &SourceVideo) -> Result<Option<SourceNote>> {
    let noted = match video.alpha {
        Alpha::Absent => false,
        Alpha::Present => true,
        Alpha::Unknown => begins_transparent(Source::open(path)?, video)?,
    };
    Ok(noted.then(|| SourceNote::new(NoteCode::AlphaOnBlack)))
}

/// Whether one of the first frames is transparent anywhere.
fn begins_transparent(mut source: Source, video: &SourceVideo) -> Result<bool> {
    ff::keep_only(&mut source.input, &[video.index]);
    let mut decoder = open_decoder(&source, video)
        .map_err(|error| Failure::invalid(format!("the video codec cannot be decoded: {error}")))?;
    let (mut packet, mut frame) = (Packet::empty(), frame::Video::empty());
    for _ in 0..LOOKED_AT {
        if !source.read(&mut packet)? {
            break;
        }
        // A damaged packet tells nothing.
        let _sent = decoder.send_packet(&packet);
        while decoder.receive_frame(&mut frame).is_ok() {
            if is_transparent(&frame) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn open_decoder(source: &Source, video: &SourceVideo) -> Result<decoder::Video, Error> {
    let stream = source.input.stream(video.index).ok_or(Error::StreamNotFound)?;
    decoders::context_of(&stream)?.decoder().video()
}

/// Whether any pixel is. Formats that no decoder has without a choice are not looked into.
fn is_transparent(frame: &frame::Video) -> bool {
    // Some are stored from the last line to the first, which no slice can be.
    if isize::try_from(frame.stride(0)).is_err() {
        return filters::once(frame, "format=bgra").is_ok_and(|upright| is_transparent(&upright));
    }
    if let Some(palette) = ff::palette(frame) {
        return rows(frame, 1).flatten().any(|index| palette[usize::from(*index)] >> 24 < 0xff);
    }
    let alpha = match frame.format() {
        Pixel::BGRA | Pixel::RGBA => 3,
        Pixel::ARGB | Pixel::ABGR => 0,
        _ => return false,
    };
    rows(frame, 4).any(|row| row.iter().skip(alpha).step_by(4).any(|alpha| *alpha < 0xff))
}

/// The lines of a packed picture without what pads them.
fn rows(frame: &frame::Video, bytes_a_pixel: usize) -> impl Iterator<Item = &[u8]> {
    let length = frame.width() as usize * bytes_a_pixel;
    frame.data(0).chunks(frame.stride(0).max(1)).map(move |row| &row[..length.min(row.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_with_alpha_that_nobody_chose_says_nothing_of_transparency() {
        let cases = [
            (Pixel::RGB24, Id::PNG, Alpha::Absent),
            (Pixel::RGBA, Id::PNG, Alpha::Present),
            (Pixel::YUVA444P10LE, Id::PRORES, Alpha::Present),
            (Pixel::PAL8, Id::PNG, Alpha::Unknown),
            (Pixel::BGRA, Id::GIF, Alpha::Unknown),
        ];
        for (format, codec, alpha) in cases {
            assert_eq!(Alpha::of(format, codec), alpha, "{format:?} of {codec:?}");
        }
    }

    #[test]
    fn one_transparent_pixel_is_found_and_what_pads_a_line_is_not_looked_at() {
        let mut frame = frame::Video::new(Pixel::BGRA, 3, 2);
        let stride = frame.stride(0);
        frame.data_mut(0).fill(0);
        for row in frame.data_mut(0).chunks_mut(stride) {
            row[..12].fill(0xff);
        }
        assert!(!is_transparent(&frame));
        frame.data_mut(0)[stride + 11] = 0xfe;
        assert!(is_transparent(&frame));
    }
}
