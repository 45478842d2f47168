//! What the numbers of a picture mean as colours: in the source, and in what is written.

use ffmpeg_next::codec::{Id, decoder};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::frame;
use ffmpeg_next::util::color::{Primaries, Range, Space, TransferCharacteristic as Transfer};

use super::ff;

/// Written into every stream; the range is always limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colors {
    pub(super) primaries: Primaries,
    pub(super) transfer: Transfer,
    pub(super) space: Space,
}

impl Colors {
    pub(super) const BT709: Self =
        Self { primaries: Primaries::BT709, transfer: Transfer::BT709, space: Space::BT709 };
    /// BT.601 with 525 lines.
    const NTSC: Self =
        Self { primaries: Primaries::SMPTE170M, transfer: Transfer::SMPTE170M, space: Space::SMPTE170M };
    /// BT.601 with 625 lines.
    const PAL: Self =
        Self { primaries: Primaries::BT470BG, transfer: Transfer::SMPTE170M, space: Space::BT470BG };

    /// What players take an untagged picture of this size for.
    fn usual((width, height): (u32, u32)) -> Self {
        match (width, height) {
            (1280.., _) | (_, 577..) => Self::BT709,
            (_, 288 | 576) => Self::PAL,
            _ => Self::NTSC,
        }
    }

    /// What the source says, and where it says nothing, what a picture of its size usually is.
    pub(super) fn of_source(decoder: &decoder::Video, size: (u32, u32)) -> Self {
        let said = Self {
            primaries: decoder.color_primaries(),
            transfer: decoder.color_transfer_characteristic(),
            space: decoder.color_space(),
        };
        said.completed(if is_rgb(decoder.format()) { Self::BT709 } else { Self::usual(size) })
    }

    fn completed(self, usual: Self) -> Self {
        let primaries = match self.primaries {
            Primaries::Unspecified | Primaries::Reserved | Primaries::Reserved0 => usual.primaries,
            said => said,
        };
        let transfer = match self.transfer {
            Transfer::Unspecified | Transfer::Reserved | Transfer::Reserved0 => usual.transfer,
            said => said,
        };
        let space = match self.space {
            Space::Unspecified | Space::Reserved | Space::RGB => match self.primaries {
                Primaries::BT709 => Space::BT709,
                Primaries::BT470BG => Space::BT470BG,
                Primaries::SMPTE170M => Space::SMPTE170M,
                Primaries::BT2020 => Space::BT2020NCL,
                _ => usual.space,
            },
            said => said,
        };
        Self { primaries, transfer, space }
    }

    /// Eight bits of H.264 in BT.2020 are shown right by few players, so that is converted. Everything else stays what
    /// it is; RGB has no matrix until we give it one.
    pub(super) fn written(self, format: Pixel) -> Self {
        match (self.is_wide(), is_rgb(format)) {
            (true, _) => Self::BT709,
            (false, true) => Self { space: Space::BT709, ..self },
            (false, false) => self,
        }
    }

    /// Colours that BT.709 does not have.
    pub(super) fn is_wide(self) -> bool {
        self.primaries == Primaries::BT2020 || matches!(self.space, Space::BT2020NCL | Space::BT2020CL)
    }
}

/// How the numbers of one frame are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) rgb: bool,
    /// Of no meaning in RGB.
    pub(super) space: Space,
    /// Black is 0 and white is 255.
    pub(super) full: bool,
}

impl Reading {
    /// What a frame does not say is as the source has it.
    pub(super) fn of(frame: &frame::Video, source: Colors, codec: Id) -> Self {
        let space = match frame.color_space() {
            Space::Unspecified | Space::Reserved | Space::RGB => source.space,
            said => said,
        };
        let full = match (frame.color_range(), frame.format()) {
            (Range::JPEG, _) | (_, Pixel::YUVJ420P | Pixel::YUVJ422P | Pixel::YUVJ444P) => true,
            (Range::MPEG, _) => false,
            (Range::Unspecified, format) => is_gray(format) && !has_limited_gray(codec),
        };
        Self { rgb: is_rgb(frame.format()), space, full }
    }

    /// Nothing has to be done to write it in this space.
    pub(super) fn is_written_as(self, space: Space) -> bool {
        !self.rgb && !self.full && matrix(self.space) == matrix(space)
    }
}

/// The name of a matrix in the filters of ffmpeg: those of BT.601 are one. None if they do not know it.
pub(super) fn matrix(space: Space) -> Option<&'static str> {
    Some(match space {
        Space::BT709 => "bt709",
        Space::BT470BG | Space::SMPTE170M => "bt601",
        Space::FCC => "fcc",
        Space::SMPTE240M => "smpte240m",
        Space::BT2020NCL | Space::BT2020CL => "bt2020",
        _ => return None,
    })
}

/// Red, green and blue, or a palette of them.
pub(super) fn is_rgb(format: Pixel) -> bool {
    ff::has_flag(format, ff::PixelFlag::Rgb) || ff::has_flag(format, ff::PixelFlag::Palette)
}

pub(super) fn has_alpha(format: Pixel) -> bool {
    ff::has_flag(format, ff::PixelFlag::Alpha)
}

fn is_gray(format: Pixel) -> bool {
    !is_rgb(format) && format.descriptor().is_some_and(|descriptor| descriptor.nb_components() <= 2)
}

/// Video codecs count brightness from 16 to 235 in gray as well; codecs of images and archives do not.
fn has_limited_gray(codec: Id) -> bool {
    matches!(codec, Id::H264 | Id::HEVC | Id::AV1 | Id::VP9 | Id::MPEG2VIDEO | Id::DIRAC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untagged_picture_is_what_its_size_usually_is() {
        let expected = [
            ((720, 480), Colors::NTSC),
            ((640, 360), Colors::NTSC),
            ((720, 576), Colors::PAL),
            ((352, 288), Colors::PAL),
            ((1280, 534), Colors::BT709),
            ((960, 720), Colors::BT709),
            ((608, 1080), Colors::BT709),
        ];
        for (size, colors) in expected {
            assert_eq!(Colors::usual(size), colors, "{size:?}");
        }
    }

    #[test]
    fn what_is_said_counts_and_the_rest_is_completed() {
        let nothing = Colors {
            primaries: Primaries::Unspecified,
            transfer: Transfer::Unspecified,
            space: Space::Unspecified,
        };
        assert_eq!(nothing.completed(Colors::PAL), Colors::PAL);
        let matrix_alone = Colors { space: Space::BT470BG, ..nothing };
        assert_eq!(matrix_alone.completed(Colors::BT709), Colors { space: Space::BT470BG, ..Colors::BT709 });
        let primaries_alone = Colors { primaries: Primaries::BT2020, ..nothing };
        assert_eq!(primaries_alone.completed(Colors::BT709).space, Space::BT2020NCL);
    }

    #[test]
    fn the_kind_of_a_format_is_not_guessed_from_its_name() {
        for format in [Pixel::RGB24, Pixel::BGRA, Pixel::GBRP, Pixel::PAL8, Pixel::X2RGB10LE] {
            assert!(is_rgb(format), "{format:?}");
        }
        for format in [Pixel::YUV420P, Pixel::GRAY8, Pixel::YUVA444P, Pixel::NV12, Pixel::YUVJ420P] {
            assert!(!is_rgb(format), "{format:?}");
        }
        assert!(has_alpha(Pixel::YUVA444P) && has_alpha(Pixel::RGBA) && !has_alpha(Pixel::RGB24));
    }
}
