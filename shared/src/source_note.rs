//! What a person should know about the processing of a source. Programs compare codes, people read sentences.

use serde::{Deserialize, Serialize};

/// More than these would not be read.
pub const MAX_NOTES: usize = 16;
const MAX_CODE: usize = 64;
const MAX_DETAIL: usize = 200;

/// Something that was omitted or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceNote {
    /// `bitmap_subtitles_skipped`, `audio_track_skipped`, `alpha_on_black`; later versions may send others.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "bitmap_subtitles_skipped"))]
    pub code: NoteCode,
    /// Number of tracks concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Kind or reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Code of a note. A code that this version does not know is kept unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum NoteCode {
    /// Subtitles that are bitmaps, not text.
    BitmapSubtitlesSkipped,
    /// An audio track that could not be decoded.
    AudioTrackSkipped,
    /// Transparency, composed on black.
    AlphaOnBlack,
    Other(String),
}

impl NoteCode {
    pub fn as_str(&self) -> &str {
        match self {
            Self::BitmapSubtitlesSkipped => "bitmap_subtitles_skipped",
            Self::AudioTrackSkipped => "audio_track_skipped",
            Self::AlphaOnBlack => "alpha_on_black",
            Self::Other(code) => code,
        }
    }
}

impl From<String> for NoteCode {
    fn from(code: String) -> Self {
        let known = [Self::BitmapSubtitlesSkipped, Self::AudioTrackSkipped, Self::AlphaOnBlack];
        known.into_iter().find(|known| known.as_str() == code).unwrap_or(Self::Other(code))
    }
}

impl From<NoteCode> for String {
    fn from(code: NoteCode) -> Self {
        code.as_str().to_owned()
    }
}

impl SourceNote {
    pub fn new(code: NoteCode) -> Self {
        Self { code, count: None, detail: None }
    }

    pub fn counting(self, count: usize) -> Self {
        Self { count: u32::try_from(count).ok(), ..self }
    }

    /// A few words, on one line.
    pub fn because(self, detail: &str) -> Self {
        let words: Vec<&str> = detail.split(|c: char| c.is_whitespace() || c.is_control()).collect();
        let detail: String = words.join(" ").chars().take(MAX_DETAIL).collect();
        Self { detail: Some(detail).filter(|detail| !detail.trim().is_empty()), ..self }
    }

    /// For a person.
    pub fn sentence(&self) -> String {
        let detail = self.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
        let tracks = |kind: &str| match self.count.unwrap_or(1) {
            1 => format!("1 {kind} track was skipped{detail}"),
            count => format!("{count} {kind} tracks were skipped{detail}"),
        };
        match &self.code {
            NoteCode::BitmapSubtitlesSkipped => {
                format!("{}; only text subtitles can be converted.", tracks("bitmap subtitle"))
            }
            NoteCode::AudioTrackSkipped => format!("{}.", tracks("audio")),
            NoteCode::AlphaOnBlack => format!("Transparent areas were filled with black{detail}."),
            NoteCode::Other(code) => match &self.detail {
                Some(detail) => detail.clone(),
                None => format!("Note of the worker: {}.", code.replace('_', " ")),
            },
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let code = self.code.as_str();
        let is_code = (1..=MAX_CODE).contains(&code.len())
            && code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !is_code {
            return Err(format!(
                "the code of a note must be 1 to {MAX_CODE} lower-case letters, digits and underscores"
            ));
        }
        let fits =
            |detail: &String| detail.chars().count() <= MAX_DETAIL && !detail.chars().any(char::is_control);
        if !self.detail.as_ref().is_none_or(fits) {
            return Err(format!(
                "a note's detail must have at most {MAX_DETAIL} characters, no control characters"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_what_was_left_out() {
        let one = SourceNote::new(NoteCode::BitmapSubtitlesSkipped).counting(1).because("PGS");
        assert_eq!(
            one.sentence(),
            "1 bitmap subtitle track was skipped (PGS); only text subtitles can be converted."
        );
        let two = SourceNote::new(NoteCode::BitmapSubtitlesSkipped).counting(2).because("PGS, VobSub");
        assert_eq!(
            two.sentence(),
            "2 bitmap subtitle tracks were skipped (PGS, VobSub); only text subtitles can be converted."
        );
        assert_eq!(SourceNote::new(NoteCode::AudioTrackSkipped).sentence(), "1 audio track was skipped.");
    }

    #[test]
    fn a_code_of_a_later_version_is_kept_as_it_is() {
        let text = r#"{"code":"subtitles_guessed","count":2,"confidence":0.5}"#;
        let note: SourceNote = serde_json::from_str(text).unwrap();
        assert_eq!(note.code, NoteCode::Other("subtitles_guessed".to_owned()));
        assert_eq!(note.check(), Ok(()));
        assert_eq!(serde_json::to_string(&note).unwrap(), r#"{"code":"subtitles_guessed","count":2}"#);
        assert_eq!(note.sentence(), "Note of the worker: subtitles guessed.");
    }

    #[test]
    fn a_detail_is_one_short_line() {
        let note = SourceNote::new(NoteCode::AudioTrackSkipped).because(&"a\nb\u{1b}".repeat(100));
        assert_eq!(note.check(), Ok(()));
        let strange = SourceNote { detail: Some("a\nb".to_owned()), ..note };
        assert!(strange.check().is_err());
        assert!(SourceNote::new(NoteCode::Other("No Code".to_owned())).check().is_err());
    }
}
