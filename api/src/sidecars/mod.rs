//! Images and subtitles, checked before they count: pure functions over bytes.

mod storyboard;

use framefarm_shared::extra_file::{ExtraFile, ImageName};

pub use storyboard::with_stored_names;

/// Why a file is not what its name says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("The file is empty.")]
    Empty,
    #[error("The image is not a complete JPEG: it must start with FF D8 FF and end with FF D9.")]
    NotJpeg,
    #[error("The text must be UTF-8 and start with a `WEBVTT` line.")]
    NotVtt,
    #[error("Line {0} of the storyboard is not a sprite reference like `sprite_000.jpg#xywh=0,0,160,90`.")]
    NotStoryboard(usize),
}

impl FileError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty_file",
            Self::NotJpeg => "not_jpeg",
            Self::NotVtt => "not_vtt",
            Self::NotStoryboard(_) => "bad_storyboard",
        }
    }
}

pub fn check(file: ExtraFile, bytes: &[u8]) -> Result<(), FileError> {
    if bytes.is_empty() {
        return Err(FileError::Empty);
    }
    match file {
        ExtraFile::Image(ImageName::Storyboard) => storyboard::check(check_vtt(bytes)?),
        ExtraFile::Image(_) => check_jpeg(bytes),
        ExtraFile::Subtitle(_) => check_vtt(bytes).map(drop),
    }
}

fn check_jpeg(bytes: &[u8]) -> Result<(), FileError> {
    const START: [u8; 3] = [0xff, 0xd8, 0xff];
    const END: [u8; 2] = [0xff, 0xd9];
    let whole = bytes.len() > START.len() + END.len() && bytes.starts_with(&START) && bytes.ends_with(&END);
    if whole { Ok(()) } else { Err(FileError::NotJpeg) }
}

/// The signature of WebVTT is a word of its own; a text may follow it on the same line.
fn check_vtt(bytes: &[u8]) -> Result<&str, FileError> {
    let text = std::str::from_utf8(bytes).map_err(|_| FileError::NotVtt)?;
    let rest = text.strip_prefix("WEBVTT").ok_or(FileError::NotVtt)?;
    if rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']) {
        Ok(text)
    } else {
        Err(FileError::NotVtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTER: ExtraFile = ExtraFile::Image(ImageName::Poster);

    #[test]
    fn a_jpeg_has_a_beginning_and_an_end() {
        assert_eq!(check(POSTER, b"\xff\xd8\xff\xe0 pixels \xff\xd9"), Ok(()));
        for bytes in
            [&b"\xff\xd8\xff\xd9"[..], b"\xff\xd8\xff\xe0 cut", b"\x89PNG\r\n", b"<svg/>", b"\xff\xd9"]
        {
            assert_eq!(check(POSTER, bytes), Err(FileError::NotJpeg), "{bytes:?}");
        }
        assert_eq!(check(POSTER, b""), Err(FileError::Empty));
    }

    #[test]
    fn a_subtitle_is_utf8_and_says_what_it_is() {
        let track = ExtraFile::Subtitle(0);
        for text in
            ["WEBVTT", "WEBVTT\n\n", "WEBVTT - Türkçe\r\n", "WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\n"]
        {
            assert_eq!(check(track, text.as_bytes()), Ok(()), "{text}");
        }
        for bytes in
            [&b"1\n00:00:01,000 --> 00:00:02,000\nHi"[..], b"WEBVTTX", b"webvtt", b"WEBVTT\n\xff", b" WEBVTT"]
        {
            assert_eq!(check(track, bytes), Err(FileError::NotVtt), "{bytes:?}");
        }
    }
}
