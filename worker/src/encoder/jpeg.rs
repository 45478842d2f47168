//! Pictures as JPEG.

use ffmpeg_next::codec::{self, Context, encoder};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::util::color;
use ffmpeg_next::{Error, Packet, frame};

use super::{colors, filters};

/// libav's lambda for quality 3 of 31, hardly to be told from the original.
const QUALITY: i32 = 118 * 3;

/// The picture in the colours of JPEG (BT.601 in full range), as large as fits into a square of `side`. It is in this
/// space, in limited range.
pub(super) fn shrunk(picture: &frame::Video, space: color::Space, side: u32) -> Result<frame::Video, Error> {
    let (width, height) = fitted((picture.width(), picture.height()), side);
    let matrices = colors::matrix(space)
        .map_or_else(String::new, |from| format!(":in_color_matrix={from}:out_color_matrix=bt601"));
    let scale = format!("scale={width}:{height}:flags=area+accurate_rnd{matrices}:in_range=tv:out_range=pc");
    filters::once(picture, &format!("{scale},format=yuvj420p"))
}

/// A picture that has the colours of JPEG already, as large as fits into a square of `side`.
pub(super) fn smaller(picture: &frame::Video, side: u32) -> Result<frame::Video, Error> {
    let (width, height) = fitted((picture.width(), picture.height()), side);
    filters::once(
        picture,
        &format!("scale={width}:{height}:flags=area:in_range=pc:out_range=pc,format=yuvj420p"),
    )
}

pub(super) fn fitted((width, height): (u32, u32), side: u32) -> (u32, u32) {
    let long = width.max(height).max(1);
    let part = |length: u32| {
        let scaled =
            if long > side { u64::from(length) * u64::from(side) / u64::from(long) } else { length.into() };
        (u32::try_from(scaled).unwrap_or(side) & !1).max(2)
    };
    (part(width), part(height))
}

pub(super) fn encode(picture: &frame::Video) -> Result<Vec<u8>, Error> {
    let found = encoder::find(codec::Id::MJPEG).ok_or(Error::EncoderNotFound)?;
    let mut video = Context::new_with_codec(found).encoder().video()?;
    video.set_width(picture.width());
    video.set_height(picture.height());
    video.set_format(Pixel::YUVJ420P);
    video.set_color_range(color::Range::JPEG);
    video.set_time_base((1, 25));
    video.set_flags(codec::Flags::QSCALE);
    video.set_global_quality(QUALITY);
    let mut opened = video.open()?;
    opened.send_frame(picture)?;
    opened.send_eof()?;
    let mut packet = Packet::empty();
    opened.receive_packet(&mut packet)?;
    Ok(packet.data().unwrap_or_default().to_vec())
}

/// Tiles in rows of `columns`; all have the size of the first.
pub(super) fn sheet(tiles: &[&frame::Video], columns: usize) -> Option<frame::Video> {
    let first = tiles.first()?;
    let (width, height) = (first.width() as usize, first.height() as usize);
    let (across, down) = (columns.min(tiles.len()), tiles.len().div_ceil(columns));
    let size = (u32::try_from(across * width).ok()?, u32::try_from(down * height).ok()?);
    let mut sheet = frame::Video::new(Pixel::YUVJ420P, size.0, size.1);
    for plane in 0..3 {
        let blank = if plane == 0 { 0 } else { 128 };
        sheet.data_mut(plane).fill(blank);
        let divide = if plane == 0 { 1 } else { 2 };
        let (width, height, stride) = (width / divide, height / divide, sheet.stride(plane));
        for (number, tile) in tiles.iter().enumerate() {
            let (left, top) = (number % columns * width, number / columns * height);
            let (from, from_stride) = (tile.data(plane), tile.stride(plane));
            let to = sheet.data_mut(plane);
            for row in 0..height {
                let (source, target) = (row * from_stride, (top + row) * stride + left);
                to.get_mut(target..target + width)?.copy_from_slice(from.get(source..source + width)?);
            }
        }
    }
    Some(sheet)
}
