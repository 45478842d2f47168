//! Subtitles: the text of the source as WebVTT.

use std::fmt::Write as _;

use ffmpeg_next::codec;
use ffmpeg_next::codec::subtitle::{Rect, Subtitle};
use ffmpeg_next::{Error, Packet};

use super::cutter::{Desk, put};
use super::failure::{Failure, Result};
use super::ff;
use super::film::Ended;
use super::input::{Source, Text};
use super::protocol::{Report, subtitle_path};
use super::report::Orders;
use super::time::{TICKS, rescale};

/// Every word of a long film is far less.
const MAX_BYTES: usize = 4 << 20;

/// Writes one file a track; a track that cannot be read is left out with a warning.
pub(super) fn write_all(source: &mut Source, desk: &Desk, orders: &Orders, end: i64) -> Result<Ended> {
    let texts = source.texts.clone();
    for (track, text) in (0..).zip(&texts) {
        if orders.abort() || orders.stop() {
            return Ok(Ended::Stopped);
        }
        match track_of(source, text, end) {
            Ok(vtt) => {
                let path = subtitle_path(&desk.output, track);
                if let Some(directory) = path.parent() {
                    std::fs::create_dir_all(directory)
                        .map_err(|error| Failure::storage(directory, &error))?;
                }
                put(&path, vtt.as_bytes())?;
                desk.reporter.say(&Report::Subtitle { track });
            }
            Err(error) => {
                desk.reporter.warn(format!("subtitle track {} could not be read: {error}", track + 1));
            }
        }
    }
    Ok(Ended::Whole)
}

fn track_of(source: &mut Source, text: &Text, end: i64) -> Result<String, Error> {
    ff::keep_only(&mut source.input, &[text.index]);
    source.go_to(text.index, text.time_base, 0)?;
    let parameters = source.input.stream(text.index).ok_or(Error::StreamNotFound)?.parameters();
    let mut decoder = codec::Context::from_parameters(parameters)?.decoder();
    decoder.set_packet_time_base(text.time_base);
    let mut decoder = decoder.subtitle()?;
    let mut cues = Vec::new();
    let mut size = 0;
    let mut packet = Packet::empty();
    while source.read(&mut packet) {
        let Some(at) = packet.pts().filter(|_| packet.stream() == text.index) else { continue };
        let mut subtitle = Subtitle::new();
        if !decoder.decode(&packet, &mut subtitle).unwrap_or(false) {
            continue;
        }
        let words = words_of(&subtitle);
        size += words.len();
        let start = source.ticks(at, text.time_base) + i64::from(subtitle.start()) * TICKS / 1000;
        let length = match packet.duration() {
            duration @ 1.. => rescale(duration, text.time_base, super::time::TICK_BASE),
            _ => i64::from(subtitle.end().saturating_sub(subtitle.start())) * TICKS / 1000,
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

fn words_of(subtitle: &Subtitle) -> String {
    let lines = subtitle.rects().filter_map(|rect| match rect {
        Rect::Text(text) => Some(escaped(text.get())),
        Rect::Ass(ass) => Some(escaped(&plain(ass.get()))),
        _ => None,
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The last of the nine fields of an ASS event, without its `{\commands}`.
fn plain(event: &str) -> String {
    let text = event.splitn(9, ',').nth(8).unwrap_or(event);
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.replace("\\N", "\n").replace("\\n", "\n").replace("\\h", " ")
}

/// A cue ends at an empty line, and `-->` would begin another.
fn escaped(text: &str) -> String {
    let text = text.replace('\r', "").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

pub(super) fn stamp(ticks: i64) -> String {
    let ms = ticks * 1000 / TICKS;
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_subtitle_are_not_shown_and_signs_are_escaped() {
        let event = "0,0,Default,,0,0,0,,{\\i1}Tom & Jerry{\\i0}\\N<-->, again";
        assert_eq!(escaped(&plain(event)), "Tom &amp; Jerry\n&lt;--&gt;, again");
    }

    #[test]
    fn times_are_written_as_webvtt_wants_them() {
        assert_eq!(stamp(90 * 3_723_004), "01:02:03.004");
    }
}
