//! The few numbers of H.264 headers that tell whether a frame is missing.

use super::nal;

/// What a sequence parameter set says of frame numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbering {
    /// Frame numbers have so many bits.
    bits: u32,
    /// Numbers may be left out on purpose.
    gaps_allowed: bool,
    separate_planes: bool,
}

impl Numbering {
    /// None for what cannot be read.
    pub(super) fn of(set: &[u8]) -> Option<Self> {
        let payload = without_emulation(set.get(1..)?);
        let mut bits = Bits::new(&payload);
        let profile = bits.number(8)?;
        bits.number(16)?;
        bits.golomb()?;
        let mut separate_planes = false;
        if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(&profile) {
            let chroma = bits.golomb()?;
            separate_planes = chroma == 3 && bits.number(1)? == 1;
            bits.skip_golombs(2)?;
            bits.number(1)?;
            if bits.number(1)? == 1 {
                let lists = if chroma == 3 { 12 } else { 8 };
                for list in 0..lists {
                    if bits.number(1)? == 1 {
                        bits.skip_scaling_list(if list < 6 { 16 } else { 64 })?;
                    }
                }
            }
        }
        let number_bits = bits.golomb()? + 4;
        match bits.golomb()? {
            0 => {
                bits.golomb()?;
            }
            1 => {
                bits.number(1)?;
                bits.skip_golombs(2)?;
                let cycle = bits.golomb()?.min(255);
                bits.skip_golombs(cycle)?;
            }
            _ => {}
        }
        bits.golomb()?;
        let gaps_allowed = bits.number(1)? == 1;
        (number_bits <= 16).then_some(Self { bits: number_bits, gaps_allowed, separate_planes })
    }

    /// The frame number of a slice.
    fn number(self, slice: &[u8]) -> Option<u32> {
        // The numbers stand in the first bytes.
        let payload = without_emulation(slice.get(1..slice.len().min(40))?);
        let mut bits = Bits::new(&payload);
        bits.skip_golombs(3)?;
        if self.separate_planes {
            bits.number(2)?;
        }
        bits.number(self.bits)
    }
}

/// Follows the frame numbers of a stream.
#[derive(Debug)]
pub(super) struct FrameNumbers {
    numbering: Numbering,
    latest: Option<u32>,
}

impl FrameNumbers {
    pub(super) fn new(numbering: Numbering) -> Self {
        Self { numbering, latest: None }
    }

    /// False if a frame that others refer to is missing before this slice.
    pub(super) fn follows(&mut self, slice: &[u8]) -> bool {
        let Some(number) = self.numbering.number(slice) else { return false };
        let is_reference = slice.first().is_some_and(|byte| byte & 0x60 != 0);
        let is_idr = nal::h264_kind(slice) == nal::h264::IDR;
        let latest = if is_idr { number } else { self.latest.unwrap_or(number) };
        let modulus = 1 << self.numbering.bits;
        let fits = number == latest || number == (latest + 1) % modulus;
        if is_reference || is_idr {
            self.latest = Some(number);
        }
        fits || self.numbering.gaps_allowed
    }
}

/// Encoders put a 3 where payload would look like a start code.
fn without_emulation(bytes: &[u8]) -> Vec<u8> {
    let mut zeros = 0;
    let keep = |byte: &u8| {
        let is_inserted = zeros >= 2 && *byte == 3;
        zeros = if *byte == 0 { zeros + 1 } else { 0 };
        !is_inserted
    };
    bytes.iter().copied().filter(keep).collect()
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn number(&mut self, count: u32) -> Option<u32> {
        let mut number = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            number = number << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(number)
    }

    fn golomb(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while self.number(1)? == 0 {
            zeros += 1;
            if zeros > 20 {
                return None;
            }
        }
        Some((1 << zeros) - 1 + self.number(zeros)?)
    }

    fn skip_golombs(&mut self, count: u32) -> Option<()> {
        for _ in 0..count {
            self.golomb()?;
        }
        Some(())
    }

    fn skip_scaling_list(&mut self, length: usize) -> Option<()> {
        let (mut last, mut next) = (8_i64, 8_i64);
        for _ in 0..length {
            if next != 0 {
                let coded = i64::from(self.golomb()?);
                let delta = if coded % 2 == 0 { -coded / 2 } else { (coded + 1) / 2 };
                next = (last + delta).rem_euclid(256);
            }
            last = if next == 0 { last } else { next };
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Of x264, High profile, 320x180.
    const SPS: [u8; 24] = [
        0x67, 0x64, 0x00, 0x0c, 0xac, 0xd9, 0x41, 0x41, 0xf9, 0xff, 0x01, 0x10, 0x00, 0x00, 0x03, 0x00, 0x10,
        0x00, 0x00, 0x03, 0x03, 0x20, 0xf1, 0x42,
    ];

    #[test]
    fn frame_numbers_are_read_from_a_real_header() {
        let numbering = Numbering::of(&SPS).unwrap();
        assert_eq!(numbering, Numbering { bits: 4, gaps_allowed: false, separate_planes: false });
    }

    /// A slice of a reference frame: three zeros in Golomb code (`111`), then the number in four bits.
    fn slice(header: u8, number: u8) -> [u8; 3] {
        [header, 0b1110_0000 | number << 1, 0x80]
    }

    #[test]
    fn a_missing_reference_frame_shows_in_the_numbers() {
        let mut numbers = FrameNumbers::new(Numbering::of(&SPS).unwrap());
        let (idr, reference, other) = (0x65, 0x61, 0x01);
        let stream = [(idr, 0), (reference, 1), (other, 2), (reference, 2), (reference, 3), (idr, 0)];
        assert!(stream.iter().all(|(header, number)| numbers.follows(&slice(*header, *number))));
        assert!(numbers.follows(&slice(reference, 1)));
        assert!(!numbers.follows(&slice(reference, 3)));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            if let Some(numbering) = Numbering::of(&bytes) {
                FrameNumbers::new(numbering).follows(&bytes);
            }
        }
    }
}
