//! What is told of tracks: languages, titles, and those that are left out.

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::source_note::NoteCode;
use framefarm_worker::encoder::protocol::Report;

use crate::clip::{Clip, SECONDS, X264};

/// One composition of a Blu-ray subtitle, and its end.
fn pgs() -> Vec<u8> {
    let segment = |kind: u8, body: &[u8]| {
        let size = u16::try_from(body.len()).unwrap().to_be_bytes();
        [b"PG", &90_000u32.to_be_bytes()[..], &[0; 4], &[kind], &size, body].concat()
    };
    let composition = [0, 192, 0, 108, 0x10, 0, 0, 0x80, 0, 0, 0];
    [segment(0x16, &composition), segment(0x80, &[])].concat()
}

#[test]
fn titles_and_languages_of_tracks_are_told() {
    let clip = Clip::silent().sound(SECONDS).sound(SECONDS).sound(SECONDS).sound(SECONDS).with(X264);
    let clip = clip.with("-map 0 -map 1 -map 2 -map 3 -map 4 -c:a aac");
    let clip = clip.with("-metadata:s:a:0 language=ger -metadata:s:a:0 title=Kommentar");
    let clip = clip.with("-metadata:s:a:1 language=pt-BR -metadata:s:a:2 language=und");
    let clip = clip.with("-metadata:s:a:3 language=zxx");
    let plan = clip.save("clip.mkv").plan(false);
    let told: Vec<_> =
        plan.source.audio.iter().map(|track| (track.language.as_deref(), track.title.as_deref())).collect();
    assert_eq!(told, [(Some("de"), Some("Kommentar")), (Some("pt-BR"), None), (None, None), (None, None)]);
    assert!(plan.source.notes.is_empty());
}

#[test]
fn the_name_of_a_handler_is_a_title_unless_a_program_is_named() {
    for (handler, title) in [("Kommentar", Some("Kommentar")), ("SoundHandler", None)] {
        let clip = Clip::usual().with(X264).with("-c:a aac -metadata:s:a:0 language=fre");
        let clip = clip.with(&format!("-metadata:s:a:0 handler_name={handler}")).save("clip.mp4");
        let track = &clip.plan(false).source.audio[0];
        assert_eq!((track.language.as_deref(), track.title.as_deref()), (Some("fr"), title));
    }
}

#[test]
fn a_title_that_is_not_utf8_is_read_all_the_same() {
    let clip = Clip::usual().with(X264).with("-c:a aac -metadata:s:a:0 title=Kommentar_eins");
    let clip = clip.with("-metadata:s:a:0 language=ger").save("clip.mkv");
    let broken = clip.changed(|bytes| {
        let at = bytes.windows(9).position(|part| part == b"Kommentar").unwrap();
        let mut bytes = bytes;
        // A lone byte of Latin-1, and the first bytes of characters that do not go on.
        bytes[at + 2..at + 5].copy_from_slice(&[0xfc, 0xff, 0xf0]);
        bytes[at + 13] = 0xc3;
        bytes
    });
    let plan = broken.plan(false);
    let title = plan.source.audio[0].title.as_deref();
    assert_eq!(title, Some("Ko\u{fffd}\u{fffd}\u{fffd}ntar_ein\u{fffd}"));
}

#[test]
fn subtitles_that_are_pictures_are_noted() {
    let clip = Clip::silent().file("one.sup", &pgs()).file("two.sup", &pgs()).with(X264);
    let plan = clip.with("-map 0 -map 1 -map 2 -c:s copy").save("clip.mkv").plan(false);
    assert!(plan.source.subtitles.is_empty());
    let [note] = &plan.source.notes[..] else { panic!("{:?}", plan.source.notes) };
    assert_eq!((&note.code, note.count), (&NoteCode::BitmapSubtitlesSkipped, Some(2)));
    assert_eq!(
        note.sentence(),
        "2 bitmap subtitle tracks were skipped (PGS); only text subtitles can be converted."
    );
}

/// Silence of 16 bits.
fn silence(rate: u32, channels: u16, seconds: u32) -> Vec<u8> {
    let frame = channels * 2;
    let size = rate * u32::from(frame) * seconds;
    let [format, channels, frame, bits] = [1, channels, frame, 16].map(u16::to_le_bytes);
    let bytes_a_second = (size / seconds).to_le_bytes();
    let head =
        [b"RIFF", &(36 + size).to_le_bytes()[..], b"WAVEfmt ", &16u32.to_le_bytes(), &format, &channels];
    let rest = [&rate.to_le_bytes()[..], &bytes_a_second, &frame, &bits, b"data", &size.to_le_bytes()];
    [head.concat(), rest.concat(), vec![0; size as usize]].concat()
}

/// With a second track that is copied from this file.
fn fails_alone(second: &[u8]) {
    let clip = Clip::usual().file("second.wav", second).with("-map 0 -map 1 -map 2").with(X264);
    let made = clip.with("-c:a:0 aac -c:a:1 copy").save("clip.mkv").transcode();
    let failed: Vec<_> = made
        .said
        .iter()
        .filter_map(|report| match report {
            Report::QualityFailed { quality, class, .. } => Some((quality.as_str(), *class)),
            _ => None,
        })
        .collect();
    assert_eq!(failed, [("audio1", ErrorClass::InputInvalid)]);
    let segments = |name: &str| {
        let is_of = |report: &&Report| matches!(report, Report::Segment { quality, .. } if quality == name);
        made.said.iter().filter(is_of).count()
    };
    assert_eq!((segments("108p"), segments("audio0"), segments("audio1")), (2, 2, 0));
}

#[test]
fn a_track_of_too_many_channels_fails_alone() {
    fails_alone(&silence(8_000, 65, 7));
}

#[test]
fn a_track_of_an_absurd_rate_fails_alone() {
    fails_alone(&silence(500, 2, 7));
}
