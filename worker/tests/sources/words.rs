//! Subtitles inside the source become WebVTT.

use framefarm_worker::encoder::protocol::{Report, subtitle_path};

use crate::clip::{Clip, SECONDS, X264};
use crate::made::Made;

const SRT: &str = "1\n00:00:01,000 --> 00:00:03,000\nHello <i>you</i>\n\n\
                   2\n00:00:05,000 --> 00:00:06,500\nTom & Jerry\nsay: 1 < 2\n";
const ASS: &str = "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\n\
                   Style: Default,Arial,20\n\n[Events]\n\
                   Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
                   Dialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,Hello {\\i1}you{\\i0}\n\
                   Dialogue: 0,0:00:05.00,0:00:06.50,Default,,0,0,0,,Tom & Jerry\\Nsay: 1 < 2\n";
const VTT: &str = "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nHello <i>you</i>\n\n\
                   00:00:05.000 --> 00:00:06.500\nTom &amp; Jerry\nsay: 1 &lt; 2\n";

fn with_words(name: &str, words: &str, options: &str, clip: &str) -> Made {
    let source = Clip::silent().file(name, words.as_bytes()).with("-map 0 -map 1").with(X264).with(options);
    let made = source.with("-metadata:s:s:0 language=fra").save(clip).transcode();
    made.is_whole(SECONDS).shows_every_frame();
    let languages: Vec<_> =
        made.plan.source.subtitles.iter().map(|track| track.language.as_deref()).collect();
    assert_eq!(languages, [Some("fr")]);
    assert!(made.said.contains(&Report::Subtitle { track: 0 }));
    made
}

fn words_of(made: &Made) -> String {
    std::fs::read_to_string(subtitle_path(&made.output, 0)).unwrap()
}

#[test]
fn subrip_in_mkv() {
    assert_eq!(words_of(&with_words("words.srt", SRT, "-c:s srt", "clip.mkv")), VTT);
}

#[test]
fn timed_text_in_mp4() {
    assert_eq!(words_of(&with_words("words.srt", SRT, "-c:s mov_text", "clip.mp4")), VTT);
}

#[test]
fn substation_alpha_in_mkv() {
    assert_eq!(words_of(&with_words("words.ass", ASS, "-c:s ass", "clip.mkv")), VTT);
}

#[test]
fn webvtt_in_webm() {
    let options = "-c:v libvpx -deadline realtime -cpu-used 8 -c:s webvtt";
    // ffmpeg writes its signs as they are, and reads `<` as the beginning of a tag.
    let words = SRT.replace(" < 2", "");
    let made = with_words("words.srt", &words, options, "clip.webm");
    assert_eq!(words_of(&made), VTT.replace(" &lt; 2", ""));
}

#[test]
fn bold_and_underlined_words_stay_so_and_are_nested() {
    let srt = "1\n00:00:01,000 --> 00:00:03,000\n<b>all <i>both</b> slanted</i> <u>line</u> {\\an8}<font color=red>x</font>\n";
    let made = with_words("words.srt", srt, "-c:s srt", "clip.mkv");
    let cue = "<b>all <i>both</i></b> slanted <u>line</u> x";
    assert_eq!(words_of(&made), format!("WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n{cue}\n"));
}
