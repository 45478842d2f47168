//! The sample entry: the codec of the track, as a string for players (RFC 6381).

use std::fmt::Write as _;

use mp4_atom::{Audio, Av1c, Avcc, Decode, Esds, Hvcc, Visual};

use super::TrackKind;
use super::boxes::{children, only, only_leaf, shown};
use super::file_error::FileError;

/// Descriptors nest, and their decoder recurses; an AAC `esds` is about 50 bytes.
const MAX_ESDS_BYTES: usize = 256;

#[derive(Debug)]
pub(super) struct SampleEntry {
    pub(super) codecs: String,
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) channels: u16,
}

/// Reads the body of an `stsd` with one entry.
pub(super) fn describe(stsd: &[u8], kind: TrackKind) -> Result<SampleEntry, FileError> {
    let one_entry = || FileError::media("stsd must have exactly one sample entry");
    let (_version, rest) = stsd.split_first_chunk::<4>().ok_or_else(one_entry)?;
    let (count, entries) = rest.split_first_chunk::<4>().ok_or_else(one_entry)?;
    let mut entries = children(entries);
    let (coding, body) = entries.next().ok_or_else(one_entry)??;
    if u32::from_be_bytes(*count) != 1 || entries.next().is_some() {
        return Err(one_entry());
    }
    let coding: [u8; 4] = coding.into();
    match (kind, &coding) {
        (TrackKind::Video, b"avc1") => video(body, avc),
        (TrackKind::Video, b"hvc1") => video(body, |config| hevc("hvc1", config)),
        (TrackKind::Video, b"hev1") => video(body, |config| hevc("hev1", config)),
        (TrackKind::Video, b"av01") => video(body, av1),
        (TrackKind::Audio, b"mp4a") => audio(body),
        _ => Err(FileError::media(format!(
            "the sample entry {} is not one of avc1, hvc1, hev1, av01, mp4a",
            shown(coding.into())
        ))),
    }
}

fn video(
    mut body: &[u8],
    codecs: impl FnOnce(&[u8]) -> Result<String, FileError>,
) -> Result<SampleEntry, FileError> {
    let visual = Visual::decode(&mut body)
        .map_err(|error| FileError::media(format!("the sample entry cannot be read: {error}")))?;
    if visual.width == 0 || visual.height == 0 {
        return Err(FileError::media("the width or height is 0"));
    }
    Ok(SampleEntry { codecs: codecs(body)?, width: visual.width, height: visual.height, channels: 0 })
}

fn avc(config: &[u8]) -> Result<String, FileError> {
    let avcc: Avcc = only_leaf(config)?;
    Ok(format!(
        "avc1.{:02x}{:02x}{:02x}",
        avcc.avc_profile_indication, avcc.profile_compatibility, avcc.avc_level_indication
    ))
}

/// ISO/IEC 14496-15, annex E.3: the compatibility flags are written in reverse bit order, trailing zero bytes of the
/// constraints are left out.
fn hevc(coding: &str, config: &[u8]) -> Result<String, FileError> {
    let hvcc: Hvcc = only_leaf(config)?;
    let space = match hvcc.general_profile_space {
        1 => "A",
        2 => "B",
        3 => "C",
        _ => "",
    };
    let compatibility = u32::from_be_bytes(hvcc.general_profile_compatibility_flags).reverse_bits();
    let tier = if hvcc.general_tier_flag { 'H' } else { 'L' };
    let mut codecs = format!(
        "{coding}.{space}{}.{compatibility:X}.{tier}{}",
        hvcc.general_profile_idc, hvcc.general_level_idc
    );
    let constraints = &hvcc.general_constraint_indicator_flags;
    let used = constraints.iter().rposition(|byte| *byte != 0).map_or(0, |last| last.saturating_add(1));
    for byte in constraints.iter().take(used) {
        write!(codecs, ".{byte:X}").map_err(|error| FileError::media(error.to_string()))?;
    }
    Ok(codecs)
}

fn av1(config: &[u8]) -> Result<String, FileError> {
    let av1c: Av1c = only_leaf(config)?;
    let tier = if av1c.seq_tier_0 { 'H' } else { 'M' };
    let depth = match (av1c.high_bitdepth, av1c.twelve_bit) {
        (false, _) => 8,
        (true, false) => 10,
        (true, true) => 12,
    };
    Ok(format!("av01.{}.{:02}{tier}.{depth:02}", av1c.seq_profile, av1c.seq_level_idx_0))
}

fn audio(mut body: &[u8]) -> Result<SampleEntry, FileError> {
    const MPEG4_AUDIO: u8 = 0x40;
    let audio = Audio::decode(&mut body)
        .map_err(|error| FileError::media(format!("the sample entry cannot be read: {error}")))?;
    if only(body, *b"esds")?.len() > MAX_ESDS_BYTES {
        return Err(FileError::media(format!("esds exceeds {MAX_ESDS_BYTES} bytes")));
    }
    let config = only_leaf::<Esds>(body)?.es_desc.dec_config;
    let object_type = config.dec_specific.map_or(0, |specific| specific.profile);
    if config.object_type_indication != MPEG4_AUDIO || object_type == 0 {
        return Err(FileError::media("the audio is not AAC with a decoder configuration"));
    }
    Ok(SampleEntry {
        codecs: format!("mp4a.40.{object_type}"),
        width: 0,
        height: 0,
        channels: audio.channel_count,
    })
}
