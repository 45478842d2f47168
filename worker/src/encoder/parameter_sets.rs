//! Parameter sets inside the stream, for players that read the init segment of another encoder.

use framefarm_shared::ladder::VideoCodec;

use super::nal::{self, av1, h264, hevc};

/// What stands before every picture that can be begun with.
#[derive(Debug)]
pub(super) struct ParameterSets {
    codec: VideoCodec,
    units: Vec<u8>,
}

impl ParameterSets {
    /// From what an encoder says before its first picture.
    pub(super) fn new(codec: VideoCodec, extradata: &[u8]) -> Self {
        let is_set = |unit: &&[u8]| match codec {
            VideoCodec::H264 => [h264::SPS, h264::PPS].contains(&nal::h264_kind(unit)),
            VideoCodec::Hevc => [hevc::VPS, hevc::SPS, hevc::PPS].contains(&nal::hevc_kind(unit)),
            VideoCodec::Av1 => false,
        };
        let units = match codec {
            VideoCodec::Av1 => av1_header(extradata),
            _ => nal::with_lengths(nal::units(extradata).filter(is_set), extradata.len()),
        };
        Self { codec, units }
    }

    /// The picture with its sets in front, unless it brings its own.
    pub(super) fn put_before(&self, picture: Vec<u8>) -> Vec<u8> {
        match self.codec {
            VideoCodec::Av1 if nal::av1_kinds(&picture).any(|kind| kind == av1::SEQUENCE) => picture,
            VideoCodec::Av1 => [&self.units, &picture[..]].concat(),
            VideoCodec::H264 => self.put_behind_delimiter(picture, |unit| match nal::h264_kind(unit) {
                h264::DELIMITER => Unit::Delimiter,
                h264::SPS => Unit::Set,
                _ => Unit::Other,
            }),
            VideoCodec::Hevc => self.put_behind_delimiter(picture, |unit| match nal::hevc_kind(unit) {
                hevc::DELIMITER => Unit::Delimiter,
                hevc::SPS => Unit::Set,
                _ => Unit::Other,
            }),
        }
    }

    fn put_behind_delimiter(&self, picture: Vec<u8>, sort: impl Fn(&[u8]) -> Unit) -> Vec<u8> {
        let mut units = nal::sized_units(&picture, 4).map(|unit| (sort(unit), unit.len() + 4));
        let first = units.next();
        if first.iter().copied().chain(units).any(|(sort, _)| sort == Unit::Set) {
            return picture;
        }
        let at = first.filter(|(sort, _)| *sort == Unit::Delimiter).map_or(0, |(_, length)| length);
        [&picture[..at], &self.units, &picture[at..]].concat()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Delimiter,
    Set,
    Other,
}

/// Some encoders give the box of MP4, whose first four bytes are no part of the stream.
fn av1_header(extradata: &[u8]) -> Vec<u8> {
    const MARKER_AND_VERSION: u8 = 0x81;
    let boxed = extradata.first() == Some(&MARKER_AND_VERSION);
    let stream = if boxed { extradata.get(4..).unwrap_or_default() } else { extradata };
    nal::av1_without_delimiters(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTRADATA: [u8; 20] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 3, 0, 0, 1, 6, 5, 9, 0x80];

    #[test]
    fn only_parameter_sets_are_repeated_and_a_delimiter_stays_first() {
        let parameter_sets = ParameterSets::new(VideoCodec::H264, &EXTRADATA);
        let both = [0, 0, 0, 3, 0x67, 1, 2, 0, 0, 0, 2, 0x68, 3];
        let picture = vec![0, 0, 0, 2, 0x65, 7];
        assert_eq!(parameter_sets.put_before(picture.clone()), [&both[..], &picture].concat());
        let delimiter = [0, 0, 0, 2, 9, 0x10];
        let expected = [&delimiter[..], &both, &picture].concat();
        assert_eq!(parameter_sets.put_before([&delimiter[..], &picture].concat()), expected);
    }

    #[test]
    fn a_picture_that_brings_its_sets_is_left_alone() {
        let parameter_sets = ParameterSets::new(VideoCodec::H264, &EXTRADATA);
        let own = vec![0, 0, 0, 2, 0x67, 9, 0, 0, 0, 2, 0x65, 7];
        assert_eq!(parameter_sets.put_before(own.clone()), own);
        let parameter_sets = ParameterSets::new(VideoCodec::Av1, &[0x81, 0, 0, 0, 0x0a, 1, 5]);
        assert_eq!(parameter_sets.put_before(vec![0x32, 1, 7]), [0x0a, 1, 5, 0x32, 1, 7]);
        assert_eq!(parameter_sets.put_before(vec![0x0a, 1, 6, 0x32, 1, 7]), [0x0a, 1, 6, 0x32, 1, 7]);
    }
}
