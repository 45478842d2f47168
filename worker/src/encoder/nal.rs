//! H.264 and HEVC streams in their two dresses: start codes between the units, or a length before each.

/// The units of a stream with start codes.
pub(super) fn units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = skip_start_code(stream);
    std::iter::from_fn(move || {
        let current = rest?;
        let (unit, after) = match start_code(current) {
            Some((at, length)) => (&current[..at], Some(&current[at + length..])),
            None => (current, None),
        };
        rest = after;
        Some(trim_zeros(unit))
    })
    .filter(|unit| !unit.is_empty())
}

/// The units of a stream in which `length_size` bytes before each unit tell its length. A cut unit ends it.
pub(super) fn sized_units(stream: &[u8], length_size: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = stream;
    std::iter::from_fn(move || {
        let (length, after) = rest.split_at_checked(length_size)?;
        let length = length.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        let (unit, after) = after.split_at_checked(length)?;
        rest = after;
        Some(unit)
    })
    .filter(|unit| !unit.is_empty())
}

/// Whether such units fill the stream to its last byte.
pub(super) fn are_whole(stream: &[u8], length_size: usize) -> bool {
    let mut rest = stream;
    while !rest.is_empty() {
        let Some((length, after)) = rest.split_at_checked(length_size) else { return false };
        let length = length.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        let Some(after) = after.get(length..) else { return false };
        rest = after;
    }
    true
}

/// Start codes become lengths of four bytes.
pub(super) fn with_lengths<'a>(units: impl Iterator<Item = &'a [u8]>, capacity: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(capacity + 16);
    for unit in units {
        out.extend_from_slice(&u32::try_from(unit.len()).unwrap_or(u32::MAX).to_be_bytes());
        out.extend_from_slice(unit);
    }
    out
}

fn skip_start_code(stream: &[u8]) -> Option<&[u8]> {
    let (at, length) = start_code(stream)?;
    Some(&stream[at + length..])
}

/// Where the next `00 00 01` is.
fn start_code(stream: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    // The third byte decides how far the search may jump, so most bytes of a picture are never looked at.
    while let Some(third) = stream.get(from + 2) {
        match third {
            1 if stream[from] == 0 && stream[from + 1] == 0 => return Some((from, 3)),
            0 => from += 1,
            _ => from += 3,
        }
    }
    None
}

/// Zeros before the next start code belong to nobody.
fn trim_zeros(unit: &[u8]) -> &[u8] {
    let used = unit.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &unit[..used]
}

/// What kind a unit of H.264 is.
pub(super) fn h264_kind(unit: &[u8]) -> u8 {
    unit.first().map_or(0, |byte| byte & 0x1f)
}

pub(super) mod h264 {
    pub(in super::super) const SLICE: u8 = 1;
    pub(in super::super) const IDR: u8 = 5;
    pub(in super::super) const SPS: u8 = 7;
    pub(in super::super) const PPS: u8 = 8;
    pub(in super::super) const DELIMITER: u8 = 9;
    pub(in super::super) const FILLER: u8 = 12;
}

/// What kind a unit of HEVC is.
pub(super) fn hevc_kind(unit: &[u8]) -> u8 {
    unit.first().map_or(0, |byte| byte >> 1 & 0x3f)
}

pub(super) mod hevc {
    pub(in super::super) const VPS: u8 = 32;
    pub(in super::super) const SPS: u8 = 33;
    pub(in super::super) const PPS: u8 = 34;
    pub(in super::super) const DELIMITER: u8 = 35;
}

pub(super) mod av1 {
    pub(in super::super) const SEQUENCE: u8 = 1;
}

/// The kinds of the units of an AV1 stream.
pub(super) fn av1_kinds(stream: &[u8]) -> impl Iterator<Item = u8> {
    av1_units(stream).map(|unit| unit[0] >> 3 & 0x0f)
}

fn av1_units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = stream;
    std::iter::from_fn(move || {
        let length = obu_length(rest).filter(|length| *length <= rest.len())?;
        let (unit, after) = rest.split_at(length);
        rest = after;
        Some(unit)
    })
}

/// AV1 in MP4 has no temporal delimiters, tile lists or padding (AV1-ISOBMFF 2.4).
pub(super) fn av1_without_delimiters(stream: &[u8]) -> Vec<u8> {
    const DROPPED: [u8; 3] = [2, 8, 15];
    let mut out = Vec::with_capacity(stream.len());
    for unit in av1_units(stream).filter(|unit| !DROPPED.contains(&(unit[0] >> 3 & 0x0f))) {
        out.extend_from_slice(unit);
    }
    out
}

/// Header and payload; without a size field the unit fills what is left.
fn obu_length(stream: &[u8]) -> Option<usize> {
    let header = *stream.first()?;
    let extension = usize::from(header >> 2 & 1);
    if header & 2 == 0 {
        return Some(stream.len());
    }
    let mut size = 0_usize;
    for (index, byte) in stream.get(1 + extension..)?.iter().take(8).enumerate() {
        size |= usize::from(byte & 0x7f).checked_shl(u32::try_from(index * 7).ok()?)?;
        if byte & 0x80 == 0 {
            return size.checked_add(2 + extension + index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn start_codes_of_both_lengths_part_the_units() {
        let stream = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x65, 9, 0, 0, 0, 1, 0x41, 3, 0];
        let found: Vec<&[u8]> = units(&stream).collect();
        assert_eq!(found, [&[0x67, 1, 2][..], &[0x65, 9], &[0x41, 3]]);
        let sized = with_lengths(units(&stream), stream.len());
        assert_eq!(sized_units(&sized, 4).collect::<Vec<_>>(), found);
    }

    #[test]
    fn a_temporal_delimiter_is_dropped_and_the_frame_is_kept() {
        assert_eq!(av1_without_delimiters(&[0x12, 0, 0x32, 2, 7, 7]), [0x32, 2, 7, 7]);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, length_size in 1usize..=4) {
            let _counts = (units(&bytes).count(), sized_units(&bytes, length_size).count());
            drop(av1_without_delimiters(&bytes));
        }
    }
}
