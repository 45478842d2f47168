//! The video track that is shown: which one it is, and what has to be done to its pictures.

use ffmpeg_next::codec::Id;
use ffmpeg_next::format::context::Input;
use ffmpeg_next::format::stream::{Disposition, Stream};
use ffmpeg_next::util::color::TransferCharacteristic;
use ffmpeg_next::{Rational, format, media, packet};
use framefarm_shared::plan::MAX_PIXELS;

use crate::encoder::alpha::Alpha;
use crate::encoder::colors::Colors;
use crate::encoder::decoders;
use crate::encoder::failure::{Failure, Result};
use crate::encoder::ff;
use crate::encoder::still_image;
use crate::encoder::time::{TICK_BASE, rescale};

/// The largest picture that is accepted; others may have as many pixels.
const MAX_PICTURE: (u32, u32) = (8192, 4320);
/// Pixels that are wider or narrower than this are a mistake.
const STRETCH: std::ops::RangeInclusive<f64> = 0.1..=10.0;
/// What an encoder takes.
const WIDEST: u32 = 16_384;

/// The stream that is shown.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own about the picture")]
pub(in crate::encoder) struct SourceVideo {
    pub(in crate::encoder) index: usize,
    pub(in crate::encoder) time_base: Rational,
    pub(in crate::encoder) codec: Id,
    /// As coded.
    pub(in crate::encoder) size: (u32, u32),
    /// As displayed: square pixels, upright.
    pub(in crate::encoder) shown: (u32, u32),
    /// Quarter turns clockwise, after mirroring.
    pub(in crate::encoder) turns: u8,
    /// Top and bottom change places before the turns.
    pub(in crate::encoder) mirrored: bool,
    pub(in crate::encoder) square: bool,
    pub(in crate::encoder) interlaced: bool,
    pub(in crate::encoder) hdr: Option<Hdr>,
    /// Eight bits, 4:2:0, as every player shows it.
    pub(in crate::encoder) plain: bool,
    pub(in crate::encoder) rate: Rational,
    /// Of this stream, or of the whole file if that is all that is known.
    pub(in crate::encoder) kbps: u64,
    /// As decoded.
    pub(in crate::encoder) source_colors: Colors,
    /// As written, into every quality.
    pub(in crate::encoder) colors: Colors,
    pub(in crate::encoder) alpha: Alpha,
}

impl SourceVideo {
    /// As it is coded, so it is shown.
    pub(in crate::encoder) fn is_upright(&self) -> bool {
        self.turns == 0 && !self.mirrored
    }

    /// How long a frame lasts where nothing tells.
    pub(in crate::encoder) fn frame_ticks(&self) -> i64 {
        let rate = if (1.0..=240.0).contains(&f64::from(self.rate)) { self.rate } else { Rational(25, 1) };
        rescale(1, rate.invert(), TICK_BASE).max(1)
    }

    /// Larger than full HD, upright or not.
    pub(in crate::encoder) fn is_large(&self) -> bool {
        u64::from(self.size.0) * u64::from(self.size.1) > 1920 * 1088
    }
}

/// The curve of a high dynamic range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::encoder) enum Hdr {
    Pq,
    Hlg,
}

/// Pictures that are attached (covers) are no video.
fn is_picture(stream: &Stream<'_>, attached: bool) -> bool {
    stream.parameters().medium() == media::Type::Video
        && stream.disposition().contains(Disposition::ATTACHED_PIC) == attached
        && stream.parameters().id() != Id::None
}

/// The first attached picture that can be decoded.
pub(super) fn find_cover(input: &Input) -> Option<SourceVideo> {
    let mut attached = input.streams().filter(|stream| is_picture(stream, true));
    attached.find_map(|stream| video_of(&stream, 0).ok())
}

pub(super) fn find_video(input: &Input) -> Result<Option<SourceVideo>> {
    let pixels = |stream: &Stream<'_>| {
        let declared = ff::declared(stream);
        let area = i64::from(declared.width) * i64::from(declared.height);
        (area, stream.disposition().contains(Disposition::DEFAULT))
    };
    // The largest, of equals the default one, and then the first.
    let pictures = || input.streams().filter(|stream| is_picture(stream, false));
    let best = pictures()
        .filter(decoders::is_allowed)
        .reduce(|best, next| if pixels(&next) > pixels(&best) { next } else { best });
    let Some(stream) = best else {
        return pictures().next().map_or(Ok(None), |stream| Err(decoders::refusal("video", &stream)));
    };
    let rates = [stream.parameters().bit_rate(), input.bit_rate()];
    let kbps = rates.into_iter().find(|rate| *rate > 0).map_or(u64::MAX, |rate| rate.unsigned_abs() / 1000);
    video_of(&stream, kbps).map(Some)
}

fn video_of(stream: &Stream<'_>, kbps: u64) -> Result<SourceVideo> {
    if matches!(stream.parameters().id(), Id::GIF | Id::APNG) && stream.frames() == 1 {
        return Err(still_image::refused());
    }
    let declared = ff::declared(stream);
    let size = (side(declared.width)?, side(declared.height)?);
    check_size(size)?;
    let (square, wide) = squared(size, declared.aspect)?;
    let (turns, mirrored) = orientation(stream);
    let shown = if turns % 2 == 1 { (wide.1, wide.0) } else { wide };
    let rates = [stream.avg_frame_rate(), stream.rate()];
    let usable = |rate: &Rational| rate.0 > 0 && rate.1 > 0 && f64::from(*rate) <= 1000.0;
    let decoder = decoders::context_of(stream)
        .and_then(|context| context.decoder().video())
        .map_err(|error| Failure::invalid(format!("the video codec cannot be decoded: {error}")))?;
    let hdr = match decoder.color_transfer_characteristic() {
        TransferCharacteristic::SMPTE2084 => Some(Hdr::Pq),
        TransferCharacteristic::ARIB_STD_B67 => Some(Hdr::Hlg),
        _ => None,
    };
    let source_colors = Colors::of_source(&decoder, size);
    Ok(SourceVideo {
        index: stream.index(),
        time_base: stream.time_base(),
        codec: stream.parameters().id(),
        size,
        shown,
        turns,
        mirrored,
        square,
        interlaced: declared.interlaced,
        hdr,
        plain: decoder.format() == format::Pixel::YUV420P,
        rate: rates.into_iter().find(usable).unwrap_or(Rational(25, 1)),
        kbps,
        source_colors,
        colors: if hdr.is_some() { Colors::BT709 } else { source_colors.written(decoder.format()) },
        alpha: Alpha::of(decoder.format(), stream.parameters().id()),
    })
}

fn check_size((width, height): (u32, u32)) -> Result<()> {
    let (most_wide, most_high) = MAX_PICTURE;
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Failure::invalid(format!(
            "the resolution is {width} × {height}; the maximum is {most_wide} × {most_high}"
        )));
    }
    if width < 2 || height < 2 {
        return Err(Failure::invalid(format!("the resolution is {width} × {height}; the minimum is 2 × 2")));
    }
    Ok(())
}

fn side(length: i32) -> Result<u32> {
    match u32::try_from(length) {
        Ok(length @ 1..) => Ok(length),
        _ => Err(Failure::invalid("the video has no resolution; the file may be damaged")),
    }
}

/// Whether its pixels are square, and the size that the picture has on a screen.
fn squared((width, height): (u32, u32), aspect: Rational) -> Result<(bool, (u32, u32))> {
    if aspect.0 <= 0 || aspect.1 <= 0 || aspect.0 == aspect.1 {
        return Ok((true, (width, height)));
    }
    let most = f64::from(MAX_PICTURE.0) * f64::from(MAX_PICTURE.1);
    let wide = f64::from(width) * f64::from(aspect);
    let fits = wide.round() >= 2.0 && wide <= f64::from(WIDEST) && wide * f64::from(height) <= most;
    if !STRETCH.contains(&f64::from(aspect)) || !fits {
        return Err(Failure::invalid(format!(
            "the file declares a pixel aspect ratio of {}:{}, which would make the video {wide:.0} × {height}. \
             Correct its aspect ratio (for example: ffmpeg -i in.mp4 -c copy -aspect 16:9 out.mp4) and upload it again",
            aspect.0, aspect.1
        )));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 2 and WIDEST")]
    let wide = wide.round() as u32;
    Ok((false, (wide, height)))
}

/// Quarter turns clockwise, and whether the picture is mirrored before them. The display matrix's first row tells where
/// the picture's right side points, and the sign of its determinant whether it is seen from behind.
fn orientation(stream: &Stream<'_>) -> (u8, bool) {
    let is_matrix = |data: &packet::SideData<'_>| data.kind() == packet::side_data::Type::DisplayMatrix;
    let Some(matrix) = stream.side_data().find(is_matrix) else { return (0, false) };
    let number = |at: usize| {
        let bytes = matrix.data().get(at * 4..at * 4 + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0.0, |bytes| f64::from(i32::from_ne_bytes(bytes)))
    };
    let (a, b, c, d) = (number(0), number(1), number(3), number(4));
    let degrees = b.atan2(a).to_degrees();
    #[expect(clippy::cast_possible_truncation, reason = "from -2 to 2")]
    let turns = (degrees / 90.0).round() as i8;
    (u8::try_from(turns.rem_euclid(4)).unwrap_or(0), a * d - b * c < 0.0)
}
