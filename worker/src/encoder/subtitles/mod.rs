//! Subtitles: the text of the source as WebVTT.

mod markup;

use std::fmt::Write as _;

use ffmpeg_next::{Error, Packet};
use framefarm_shared::failure::ErrorClass;

use super::cutter::{Shared, put};
use super::decode_pass::Ended;
use super::decoders;
use super::failure::{Failure, Result};
use super::ff::{DecodedSubtitle, SubtitleText};
use super::input::{Source, SourceSubtitles};
use super::protocol::{Report, subtitle_path};
use super::report::Orders;
use super::time::{TICKS, rescale};

/// Every word of a long video is far less.
const MAX_BYTES: usize = 4 << 20;

/// Writes one file a track; a track that cannot be read is left out with a warning.
pub(super) fn write_all(source: &mut Source, shared: &Shared, orders: &Orders, end: i64) -> Result<Ended> {
    let subtitles = source.subtitles.clone();
    for (track, subtitles) in (0..).zip(&subtitles) {
        if orders.abort() || orders.stop() {
            return Ok(Ended::Stopped);
        }
        match track_of(source, subtitles, end) {
            Ok(vtt) => {
                let path = subtitle_path(&shared.output, track);
                if let Some(directory) = path.parent() {
                    std::fs::create_dir_all(directory)
                        .map_err(|error| Failure::storage(directory, &error))?;
                }
                put(&path, vtt.as_bytes())?;
                shared.reporter.say(&Report::Subtitle { track });
            }
            Err(failure) if failure.class == ErrorClass::Storage => return Err(failure),
            Err(error) => {
                shared.reporter.warn(format!("subtitle track {} could not be read: {error}", track + 1));
            }
        }
    }
    Ok(Ended::Whole)
}

fn track_of(source: &mut Source, track: &SourceSubtitles, end: i64) -> Result<String> {
    let unknown = |error: Error| Failure::invalid(format!("the codec cannot be decoded: {error}"));
    source.rewind(track.index)?;
    let stream = source.input.stream(track.index).ok_or_else(|| unknown(Error::StreamNotFound))?;
    let mut decoder = decoders::context_of(&stream).map_err(unknown)?.decoder();
    decoder.set_packet_time_base(track.time_base);
    let mut decoder = decoder.subtitle().map_err(unknown)?;
    let mut cues = Vec::new();
    let mut size = 0;
    let mut packet = Packet::empty();
    while source.read(&mut packet)? {
        let Some(at) = packet.pts().filter(|_| packet.stream() == track.index) else { continue };
        let Ok(Some(subtitle)) = DecodedSubtitle::decode(&mut decoder, &packet) else { continue };
        let words = text_of(&subtitle);
        size += words.len();
        let start = source.ticks(at, track.time_base) + i64::from(subtitle.start_ms()) * TICKS / 1000;
        let length = match packet.duration() {
            duration @ 1.. => rescale(duration, track.time_base, super::time::TICK_BASE),
            _ => i64::from(subtitle.end_ms().saturating_sub(subtitle.start_ms())) * TICKS / 1000,
        };
        let cue = (start.max(0), start.saturating_add(length).min(end), words);
        if cue.0 < cue.1 && !cue.2.is_empty() && size <= MAX_BYTES {
            cues.push(cue);
        }
    }
    cues.sort_by_key(|(start, ..)| *start);
    let mut vtt = "WEBVTT\n".to_owned();
    for (start, end, words) in cues {
        let _ = write!(vtt, "\n{} --> {}\n{words}\n", stamp(start), stamp(end));
    }
    Ok(vtt)
}

fn text_of(subtitle: &DecodedSubtitle) -> String {
    let texts = subtitle.texts().into_iter().map(|text| match text {
        SubtitleText::Ass(event) => markup::of_ass(&event),
        SubtitleText::Plain(text) => markup::of_plain(&text),
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

pub(super) fn stamp(ticks: i64) -> String {
    let ms = ticks * 1000 / TICKS;
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_webvtt_wants_them() {
        assert_eq!(stamp(90 * 3_723_004), "01:02:03.004");
    }
}
