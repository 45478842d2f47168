//! The init segment: one track of the right kind, and the defaults its fragments rely on.

use mp4_atom::{Ftyp, Hdlr, Mdhd, Tkhd, Trex};

use super::boxes::{FileBox, children, leaf, only, only_leaf, shown};
use super::codec::{SampleEntry, describe};
use super::file_error::FileError;
use super::unpack::Unpacked;
use super::{TrackKind, VerifiedInit};

/// The one track of a quality, as its init segment describes it.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) id: u32,
    pub(super) kind: TrackKind,
    pub(super) timescale: u32,
    /// What a fragment means where it says nothing.
    pub(super) defaults: Trex,
    entry: SampleEntry,
}

impl Track {
    /// For the `CODECS` attribute of the playlist.
    pub(super) fn codecs(&self) -> &str {
        &self.entry.codecs
    }

    pub(super) fn into_verified(self, unpacked: Unpacked) -> VerifiedInit {
        VerifiedInit {
            sha256: unpacked.sha256,
            size: unpacked.size,
            path: unpacked.path,
            kind: self.kind,
            timescale: self.timescale,
            codecs: self.entry.codecs,
            width: self.entry.width,
            height: self.entry.height,
            channels: self.entry.channels,
        }
    }
}

/// Reads the init segment. Its size was capped before it was unpacked.
pub(super) fn inspect(unpacked: &Unpacked, kind: TrackKind) -> Result<Track, FileError> {
    let moov = read_moov(unpacked)?;
    let trak = only(&moov, *b"trak")?;
    let header: Tkhd = only_leaf(trak)?;
    let mdia = only(trak, *b"mdia")?;
    let clock: Mdhd = only_leaf(mdia)?;
    if clock.timescale == 0 {
        return Err(FileError::media("the timescale is 0"));
    }
    check_handler(&only_leaf(mdia)?, kind)?;
    let stbl = only(only(mdia, *b"minf")?, *b"stbl")?;
    let entry = describe(only(stbl, *b"stsd")?, kind)?;
    let defaults: Trex = only_leaf(only(&moov, *b"mvex")?)?;
    if defaults.track_id != header.track_id {
        return Err(FileError::media("trex is for another track"));
    }
    Ok(Track { id: header.track_id, kind, timescale: clock.timescale, defaults, entry })
}

/// `ftyp`, then `moov`; free space may stand between and behind.
fn read_moov(unpacked: &Unpacked) -> Result<Vec<u8>, FileError> {
    let limit = usize::try_from(unpacked.size).unwrap_or(usize::MAX);
    let whole = FileBox::whole(unpacked).read(unpacked, limit)?;
    let mut moov = None;
    for (place, child) in children(&whole).enumerate() {
        let (kind, body) = child?;
        let kind: [u8; 4] = kind.into();
        match &kind {
            b"ftyp" if place == 0 => drop(leaf::<Ftyp>(body)?),
            _ if place == 0 => return Err(FileError::media("it does not start with ftyp")),
            b"moov" if moov.is_none() => moov = Some(body.to_vec()),
            b"free" | b"skip" => {}
            other => {
                let kind = shown((*other).into());
                return Err(FileError::media(format!("unexpected box {kind}")));
            }
        }
    }
    moov.ok_or_else(|| FileError::media("there is no moov"))
}

fn check_handler(handler: &Hdlr, kind: TrackKind) -> Result<(), FileError> {
    let expected = match kind {
        TrackKind::Video => b"vide",
        TrackKind::Audio => b"soun",
    };
    if handler.handler.as_ref() == expected {
        Ok(())
    } else {
        Err(FileError::media(format!(
            "the track is {}, but this quality is {kind:?}",
            shown(handler.handler)
        )))
    }
}
