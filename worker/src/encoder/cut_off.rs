//! MP4 and MOV files whose index (`moov`) is missing: a camera or a copy writes it last, so a file that was cut off has
//! none.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// More boxes than this stand at the top of no file that a camera wrote.
const MOST_BOXES: usize = 1_000;
/// What such a file may begin with.
const FIRST: [&[u8; 4]; 6] = [b"ftyp", b"mdat", b"wide", b"free", b"skip", b"pnot"];

/// Whether the file has its media and ends before its index is whole.
pub(super) fn lacks_index(path: &Path) -> bool {
    File::open(path).and_then(look).unwrap_or(false)
}

fn look(mut file: File) -> io::Result<bool> {
    let end = file.metadata()?.len();
    let (mut at, mut has_media) = (0, false);
    for number in 0..MOST_BOXES {
        let left = end.saturating_sub(at);
        let Some((kind, size)) = header(&mut file, at, left)? else { break };
        if number == 0 && !FIRST.contains(&&kind) {
            return Ok(false);
        }
        match &kind {
            b"moov" if size <= left => return Ok(false),
            b"mdat" => has_media = true,
            _ => {}
        }
        at = at.saturating_add(size);
    }
    Ok(has_media)
}

/// The kind and the size of the box that begins there; none at the end.
fn header(file: &mut File, at: u64, left: u64) -> io::Result<Option<([u8; 4], u64)>> {
    let mut head = [0; 16];
    let wanted = usize::try_from(left.min(16)).unwrap_or(16);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut head[..wanted])?;
    let [a, b, c, d, kind @ .., _, _, _, _, _, _, _, _] = head;
    let long =
        u64::from_be_bytes([head[8], head[9], head[10], head[11], head[12], head[13], head[14], head[15]]);
    let (size, least) = match u32::from_be_bytes([a, b, c, d]) {
        // To the end of the file.
        0 => (left, 8),
        1 => (long, 16),
        size => (size.into(), 8),
    };
    Ok((left >= least && size >= least).then_some((kind, size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks(parts: &[&[u8]]) -> bool {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("clip.mp4");
        std::fs::write(&path, parts.concat()).unwrap();
        lacks_index(&path)
    }

    const FTYP: &[u8] = b"\0\0\0\x10ftypisom\0\0\x02\0";
    const MOOV: &[u8] = b"\0\0\0\x0cmoovabcd";

    #[test]
    fn media_without_an_index_was_cut_off() {
        assert!(lacks(&[FTYP, b"\0\0\xff\xffmdatsome of it"]));
        assert!(lacks(&[b"\0\0\xff\xffmdatsome of it"]), "an old mov has no ftyp");
        assert!(lacks(&[FTYP, b"\0\0\0\x01mdat\0\0\0\x01\0\0\0\0some of it"]), "with a long size");
        assert!(lacks(&[FTYP, b"\0\0\0\0mdatto the end"]));
        assert!(lacks(&[FTYP, b"\0\0\0\x0cmdatabcd", &MOOV[..10]]), "the index itself is cut off");
    }

    #[test]
    fn a_whole_file_and_one_of_another_kind_were_not() {
        assert!(!lacks(&[FTYP, MOOV, b"\0\0\xff\xffmdatsome of it"]), "what is missing is media");
        assert!(!lacks(&[FTYP, b"\0\0\0\x0cmdatabcd", MOOV]));
        assert!(!lacks(&[FTYP]));
        for other in [&b""[..], b"RIFF\0\0\0\0AVI ", b"\x1a\x45\xdf\xa3", b"\0\0", &[0; 4096]] {
            assert!(!lacks(&[other]), "{other:?}");
        }
    }
}
