//! Files that are no media, known by their first bytes, so that nobody uploads and waits in vain. Whatever is not known
//! for sure is left to the worker, which tries to read it. The page looks before it sends, and closer:
//! `api/web/src/uploads/fileType.ts`.

/// Text of this length is no media file. Raw YUV begins with words, too, but has frames by then.
const TEXT: usize = 512;

const SIGNATURES: &[(&[u8], &str)] = &[
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3\x00", "a database"),
    (b"{\\rtf", "a text document"),
    (b"#EXTM3U", "a playlist; upload the video itself"),
];

/// What the file is, if its beginning shows that it is no media file.
pub fn not_media(beginning: &[u8]) -> Option<&'static str> {
    let known = SIGNATURES.iter().find(|(signature, _)| beginning.starts_with(signature));
    let tags: &[&[u8]] = &[b"<!doctype html", b"<html", b"<?xml", b"<svg"];
    let is_markup =
        |tag: &&[u8]| beginning.len() >= tag.len() && beginning[..tag.len()].eq_ignore_ascii_case(tag);
    known
        .map(|(_, what)| *what)
        .or_else(|| tags.iter().any(is_markup).then_some("a web page or XML"))
        .or_else(|| is_text(beginning).then_some("a text file"))
}

fn is_text(beginning: &[u8]) -> bool {
    let Some(start) = beginning.get(..TEXT) else { return false };
    let printable = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e);
    start.iter().all(printable) && !start.starts_with(b"YUV4MPEG2") && start.contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_surely_no_media_is_told_and_nothing_else() {
        let lines = "All work and no play makes Jack a dull boy.\r\n".repeat(20);
        for (beginning, what) in [
            (&b"%PDF-1.7\n"[..], "a PDF document"),
            (b"PK\x03\x04\x14\x00", "a ZIP archive or an office document"),
            (b"\x7fELF\x02\x01", "a program"),
            (b"<!DOCTYPE HTML><html>", "a web page or XML"),
            (b"#EXTM3U\n#EXTINF:6,\n", "a playlist; upload the video itself"),
            (lines.as_bytes(), "a text file"),
        ] {
            assert_eq!(not_media(beginning), Some(what));
        }
        let raw = format!("YUV4MPEG2 W64 H48 F25:1\nFRAME\n{}", "0\n".repeat(400));
        let mostly_text = [&lines.as_bytes()[..500], &[0_u8, 1, 2, 3], &lines.as_bytes()[..200]].concat();
        for beginning in [
            &b""[..],
            b"hello",
            b"\x00\x00\x00\x18ftypmp42",
            b"\x1aE\xdf\xa3",
            b"GIF89a",
            b"\x89PNG\r\n\x1a\n",
            b"\x00\x00\x00\x01\x67",
            b"RIFF\x00\x00\x00\x00AVI ",
            raw.as_bytes(),
            &mostly_text,
        ] {
            assert_eq!(not_media(beginning), None, "{beginning:?}");
        }
    }
}
