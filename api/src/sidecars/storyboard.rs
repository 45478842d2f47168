//! The storyboard: a WebVTT file whose cues point into sprites, `sprite_000.jpg#xywh=0,0,160,90`.
//!
//! A worker names sprites as it delivers them. Stored, they carry their digest, so the storyboard that players get is
//! written anew with those names. It lies beside the sprites.

use std::fmt::Write as _;

use framefarm_shared::extra_file::ImageName;

use super::FileError;

/// Every cue points into a sprite and nowhere else.
pub(super) fn check(text: &str) -> Result<(), FileError> {
    for (number, line) in (1..).zip(lines(text)) {
        if let Line::Payload(payload) = line
            && parse(payload).is_none()
        {
            return Err(FileError::NotStoryboard(number));
        }
    }
    Ok(())
}

/// The same cues with the names that `stored` gives their sprites; a cue whose sprite it does not know is left out.
pub fn with_stored_names(text: &str, stored: impl Fn(ImageName) -> Option<String>) -> String {
    let mut written = String::from("WEBVTT\n");
    let mut timing = "";
    for line in lines(text) {
        match line {
            Line::Timing(line) => timing = line,
            Line::Payload(line) => {
                if let Some((sprite, place)) = parse(line)
                    && let Some(name) = stored(sprite)
                {
                    let _ = write!(written, "\n{timing}\n{name}#{place}\n");
                }
            }
            Line::Other => {}
        }
    }
    written
}

enum Line<'a> {
    Timing(&'a str),
    /// What a timing is followed by, up to the next empty line.
    Payload(&'a str),
    Other,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut in_cue = false;
    text.lines().map(str::trim).map(move |line| {
        if line.contains("-->") {
            in_cue = true;
            return Line::Timing(line);
        }
        in_cue &= !line.is_empty();
        if in_cue { Line::Payload(line) } else { Line::Other }
    })
}

/// The sprite and `xywh=…`.
fn parse(payload: &str) -> Option<(ImageName, &str)> {
    let (name, place) = payload.split_once('#')?;
    let sprite = name.parse().ok().filter(|name| matches!(name, ImageName::Sprite(_)))?;
    let numbers: Vec<&str> = place.strip_prefix("xywh=")?.split(',').collect();
    let is_number = |text: &&str| (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    (numbers.len() == 4 && numbers.iter().all(is_number)).then_some((sprite, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "WEBVTT\r\n\r\n1\r\n00:00.000 --> 00:05.000\r\nsprite_000.jpg#xywh=0,0,160,90\r\n\r\n\
                         00:05.000 --> 00:10.000\nsprite_001.jpg#xywh=160,0,160,90\n";

    #[test]
    fn a_cue_points_into_a_sprite_and_nowhere_else() {
        assert_eq!(check(BOARD), Ok(()));
        assert_eq!(check("WEBVTT\n\nNOTE drawn by hand\n"), Ok(()));
        for payload in [
            "https://evil.example/sprite_000.jpg#xywh=0,0,1,1",
            "poster.jpg#xywh=0,0,1,1",
            "sprite_000.jpg",
            "sprite_000.jpg#xywh=0,0,1",
            "sprite_000.jpg#xywh=0,0,1,-1",
            "sprite_000.jpg#xywh=0,0,1,1,1",
            "sprite_000.jpg#xywh=0,0,,1",
            "<b>sprite_000.jpg#xywh=0,0,1,1</b>",
        ] {
            let text = format!("WEBVTT\n\n00:00.000 --> 00:05.000\n{payload}\n");
            assert_eq!(check(&text), Err(FileError::NotStoryboard(4)), "{payload}");
        }
    }

    #[test]
    fn sprites_get_their_stored_names_and_unknown_ones_are_left_out() {
        let stored = |name| (name == ImageName::Sprite(1)).then(|| "sprite_001-abab.jpg".to_owned());
        let expected = "WEBVTT\n\n00:05.000 --> 00:10.000\nsprite_001-abab.jpg#xywh=160,0,160,90\n";
        assert_eq!(with_stored_names(BOARD, stored), expected);
    }
}
