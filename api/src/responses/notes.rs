//! What a person should know about the result: notes of the worker, and skipped qualities.

use framefarm_shared::ladder::{AudioName, MediaKind};
use framefarm_shared::plan::SourceInfo;
use framefarm_shared::source_note::SourceNote;
use framefarm_shared::state::QualityStatus;
use serde::Serialize;
use utoipa::ToSchema;

use crate::db::qualities::QualityRow;

/// Something that was omitted or done differently.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Note {
    /// `quality_larger_than_source`, `audio_track_left_out`, or the code of a note in `source.notes`. Later
    /// versions may add more.
    #[schema(example = "bitmap_subtitles_skipped")]
    pub code: String,
    /// A sentence for people.
    #[schema(example = "1 bitmap subtitle track was skipped (PGS); only text subtitles can be converted.")]
    pub text: String,
}

impl From<&SourceNote> for Note {
    fn from(note: &SourceNote) -> Self {
        Self { code: note.code.as_str().to_owned(), text: note.sentence() }
    }
}

pub(super) fn notes(source: Option<&SourceInfo>, wanted: &[String], qualities: &[QualityRow]) -> Vec<Note> {
    let noted = source.into_iter().flat_map(|source| &source.notes).map(Note::from);
    too_large(wanted, qualities).into_iter().chain(noted).collect()
}

/// Of a generation that was published: the audio that it goes without.
pub(super) fn left_out(qualities: &[QualityRow]) -> impl Iterator<Item = Note> {
    let failed = qualities.iter().filter(|row| row.status == QualityStatus::Failed);
    failed.filter_map(|row| {
        let name = AudioName::parse(&row.name)?;
        let surround = if name.surround { " in surround" } else { "" };
        let why = row.error_message.as_deref().unwrap_or("it cannot be decoded").trim_end_matches('.');
        let text = format!("Audio track {}{surround} was left out: {why}.", name.track + 1);
        Some(Note { code: "audio_track_left_out".to_owned(), text })
    })
}

fn too_large(wanted: &[String], qualities: &[QualityRow]) -> Option<Note> {
    let video = || qualities.iter().filter(|row| row.kind == MediaKind::Video);
    let is_wanted = |row: &&QualityRow| wanted.contains(&row.name);
    let is_skipped = |row: &&QualityRow| row.status == QualityStatus::Skipped;
    let names =
        |rows: Vec<&QualityRow>| rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join(", ");
    let skipped: Vec<&QualityRow> = video().filter(is_wanted).filter(is_skipped).collect();
    let instead: Vec<&QualityRow> = video().filter(|row| !is_wanted(row) && !is_skipped(row)).collect();
    let verb = match skipped.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let done =
        if instead.is_empty() { "skipped".to_owned() } else { format!("made {} instead", names(instead)) };
    let text = format!("{} {verb} larger than the source; {done}.", names(skipped));
    Some(Note { code: "quality_larger_than_source".to_owned(), text })
}
