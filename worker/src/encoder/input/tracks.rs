//! Which audio and subtitle tracks of a source are taken, and what they are called.

use ffmpeg_next::codec::Id;
use ffmpeg_next::format::context::Input;
use ffmpeg_next::format::stream::{Disposition, Stream};
use ffmpeg_next::media;
use framefarm_shared::language;
use framefarm_shared::plan::{MAX_AUDIO_TRACKS, MAX_SUBTITLE_TRACKS, MAX_TITLE};
use framefarm_shared::source_note::{NoteCode, SourceNote};

use super::{SourceAudio, SourceSubtitles};
use crate::encoder::failure::Failure;
use crate::encoder::{decoders, ff};

pub(super) fn find_audio(input: &Input) -> Vec<SourceAudio> {
    let streams = input.streams().filter(|stream| stream.parameters().medium() == media::Type::Audio);
    streams
        .filter(opens)
        .filter_map(|stream| {
            let channels = ff::declared(&stream).channels.min(64);
            let audio = SourceAudio {
                index: stream.index(),
                time_base: stream.time_base(),
                channels,
                language: language(&stream),
                title: title(&stream),
            };
            (channels > 0).then_some(audio)
        })
        .take(MAX_AUDIO_TRACKS)
        .collect()
}

/// Whether an audio track can be decoded, as far as its head tells.
fn opens(stream: &Stream<'_>) -> bool {
    decoders::context_of(stream).is_ok_and(|context| context.decoder().audio().is_ok())
}

/// Why none of the audio tracks is taken, if that is for their codec.
pub(super) fn audio_refusal(input: &Input) -> Option<Failure> {
    let mut audio = input.streams().filter(|stream| stream.parameters().medium() == media::Type::Audio);
    audio.find(|stream| !decoders::is_allowed(stream)).map(|stream| decoders::refusal("audio", &stream))
}

/// Audio tracks that are left out.
pub(in super::super) fn unreadable_audio(input: &Input) -> Option<SourceNote> {
    let is_audio = |stream: &Stream<'_>| stream.parameters().medium() == media::Type::Audio;
    let count = input.streams().filter(|stream| is_audio(stream) && !opens(stream)).count();
    (count > 0).then(|| SourceNote::new(NoteCode::AudioTrackSkipped).counting(count))
}

/// Pictures of text (DVD, Blu-ray) would need reading; only text is taken.
pub(super) fn find_subtitles(input: &Input) -> Vec<SourceSubtitles> {
    let is_text = |stream: &Stream<'_>| {
        matches!(
            stream.parameters().id(),
            Id::SUBRIP | Id::SRT | Id::ASS | Id::SSA | Id::MOV_TEXT | Id::WEBVTT | Id::TEXT
        )
    };
    input
        .streams()
        .filter(is_text)
        .map(|stream| SourceSubtitles {
            index: stream.index(),
            time_base: stream.time_base(),
            language: language(&stream),
            title: title(&stream),
            forced: stream.disposition().contains(Disposition::FORCED),
        })
        .take(MAX_SUBTITLE_TRACKS)
        .collect()
}

/// Which subtitles are left out, if any are.
pub(in super::super) fn bitmap_subtitles(input: &Input) -> Option<SourceNote> {
    let kinds = input.streams().filter_map(|stream| match stream.parameters().id() {
        Id::HDMV_PGS_SUBTITLE => Some("PGS"),
        Id::DVD_SUBTITLE => Some("VobSub"),
        Id::DVB_SUBTITLE => Some("DVB"),
        Id::XSUB => Some("XSUB"),
        _ => None,
    });
    let kinds: Vec<&str> = kinds.collect();
    let mut names = kinds.clone();
    names.sort_unstable();
    names.dedup();
    let note = SourceNote::new(NoteCode::BitmapSubtitlesSkipped);
    (!kinds.is_empty()).then(|| note.counting(kinds.len()).because(&names.join(", ")))
}

fn language(stream: &Stream<'_>) -> Option<String> {
    language::normalized(&ff::metadata(stream, c"language")?)
}

/// What the source calls the track, on one line. In MP4 its handler may have the name.
fn title(stream: &Stream<'_>) -> Option<String> {
    let handler = || ff::metadata(stream, c"handler_name").filter(|name| !is_of_a_program(name));
    let title = ff::metadata(stream, c"title").or_else(handler)?;
    let words = title.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let title: String = words.collect::<Vec<_>>().join(" ").chars().take(MAX_TITLE).collect();
    Some(title.trim_end().to_owned()).filter(|title| !title.is_empty())
}

/// `SoundHandler`, `Core Media Audio`: programs name handlers after themselves, and after what they handle.
fn is_of_a_program(handler: &str) -> bool {
    let handler = handler.to_lowercase();
    ["handler", "media", "gpac", "mainconcept"].iter().any(|word| handler.contains(word))
}
