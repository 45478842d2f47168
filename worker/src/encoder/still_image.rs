//! Recognises images by their first bytes, so that refusing them can say what they are.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::failure::Failure;

/// Brands of ISO files that hold an image.
const BRANDS: [&[u8]; 6] = [b"avif", b"heic", b"heix", b"heim", b"mif1", b"jxl "];
/// In the flags of an extended WebP file.
const WEBP_ANIMATION: u8 = 2;

/// Why a file that cannot be opened as a video is refused, if it is an image.
pub(super) fn refusal(path: &Path) -> Option<Failure> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(32).read_to_end(&mut head).ok()?;
    match kind(&head)? {
        Kind::Still => Some(refused()),
        Kind::AnimatedWebp => Some(Failure::invalid(
            "animated WebP is not accepted. Convert the file to MP4, GIF or APNG and upload it again",
        )),
    }
}

pub(super) fn refused() -> Failure {
    Failure::invalid("the file is a still image; only videos and audio are accepted")
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Still,
    AnimatedWebp,
}

fn kind(head: &[u8]) -> Option<Kind> {
    let at = |place: usize, bytes: &[u8]| head.get(place..).is_some_and(|rest| rest.starts_with(bytes));
    if at(0, b"RIFF") && at(8, b"WEBP") {
        let is_animated = at(12, b"VP8X") && head.get(20).is_some_and(|flags| flags & WEBP_ANIMATION != 0);
        return Some(if is_animated { Kind::AnimatedWebp } else { Kind::Still });
    }
    let is_still = at(0, b"\x89PNG\r\n\x1a\n")
        || at(0, b"\xff\xd8\xff")
        || at(0, b"GIF8")
        || at(0, b"II*\0")
        || at(0, b"MM\0*")
        || at(0, b"BM") && at(6, &[0; 4])
        || at(4, b"ftyp") && BRANDS.iter().any(|brand| at(8, brand))
        || at(0, b"\0\0\0\x0cJXL ");
    is_still.then_some(Kind::Still)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_first_bytes() {
        let webp = |flags: u8| [b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0", &[flags, 0, 0, 0][..]].concat();
        assert_eq!(kind(&webp(0x10)), Some(Kind::Still));
        assert_eq!(kind(&webp(0x12)), Some(Kind::AnimatedWebp));
        for still in [
            &b"\x89PNG\r\n\x1a\n\0\0"[..],
            b"\xff\xd8\xff\xe0\0\x10JFIF",
            b"II*\0\x08\0\0\0",
            b"MM\0*\0\0\0\x08",
            b"BM\x36\x01\0\0\0\0\0\0\x36",
            b"\0\0\0\x18ftypheic",
            b"RIFF\0\0\0\0WEBPVP8 ",
        ] {
            assert_eq!(kind(still), Some(Kind::Still), "{still:?}");
        }
        for other in [&b""[..], b"RIFF\0\0\0\0AVI LIST", b"\0\0\0\x18ftypisom", b"BMW is a brand", b"#EXTM3U"]
        {
            assert_eq!(kind(other), None, "{other:?}");
        }
    }
}
