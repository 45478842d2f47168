//! The master playlist: which renditions a video has and what each asks of the network and the decoder.

use std::cmp::Reverse;
use std::collections::HashMap;

use m3u8_rs::{MasterPlaylist, QuotedOrUnquoted, Resolution, VariantStream};

use super::VERSION;
use super::audio::{AudioRendition, alternatives};
use super::subtitles::{self, SubtitleRendition};
use super::text::{codecs, quotable, uri, written};

/// A player starts with the first variant that is listed; above this it would start with what few screens show.
const FIRST_AT_MOST_LINES: u32 = 1080;

#[derive(Debug, Clone, Default)]
pub struct MasterInput {
    /// Empty for an audio file: the audio groups become the variants.
    pub variants: Vec<Variant>,
    pub audio: Vec<AudioRendition>,
    /// Played with every variant, if the viewer wants them.
    pub subtitles: Vec<SubtitleRendition>,
    pub independent: bool,
}

/// A video rendition. The bit rates are its own, without audio.
#[derive(Debug, Clone, Default)]
pub struct Variant {
    pub uri: String,
    pub bandwidth: u64,
    pub average_bandwidth: u64,
    pub codecs: String,
    /// Width and height; none for a variant of audio alone.
    pub resolution: Option<(u32, u32)>,
    pub frame_rate: Option<f64>,
    /// The [`AudioRendition::group`] that is played with it.
    pub audio_group: Option<String>,
}

pub fn master_playlist(input: &MasterInput) -> String {
    let mut variants: Vec<VariantStream> = if input.variants.is_empty() {
        groups(&input.audio).into_iter().filter_map(|group| audio_only(group, &input.audio)).collect()
    } else {
        input.variants.iter().map(|variant| with_audio(variant, &input.audio)).collect()
    };
    put_default_first(&mut variants, &groups(&input.audio));
    if !input.subtitles.is_empty() {
        for variant in &mut variants {
            variant.subtitles = Some(subtitles::GROUP.to_owned());
        }
    }
    let mut media = alternatives(&input.audio);
    media.extend(subtitles::alternatives(&input.subtitles));
    let playlist = MasterPlaylist {
        version: Some(VERSION),
        independent_segments: input.independent,
        alternatives: media,
        variants,
        ..MasterPlaylist::default()
    };
    written(|out| playlist.write_to(out))
}

fn with_audio(variant: &Variant, audio: &[AudioRendition]) -> VariantStream {
    let members = || audio.iter().filter(|a| Some(&a.group) == variant.audio_group.as_ref());
    let peak = members().map(|a| a.bandwidth).max();
    let average = members().map(|a| a.average_bandwidth).max();
    VariantStream {
        uri: uri(&variant.uri),
        bandwidth: variant.bandwidth.saturating_add(peak.unwrap_or(0)),
        average_bandwidth: Some(variant.average_bandwidth.saturating_add(average.unwrap_or(0))),
        codecs: codecs([variant.codecs.as_str()].into_iter().chain(members().map(|a| a.codecs.as_str()))),
        resolution: variant
            .resolution
            .map(|(width, height)| Resolution { width: width.into(), height: height.into() }),
        other_attributes: variant.frame_rate.and_then(frame_rate),
        audio: members().next().map(|a| quotable(&a.group)),
        ..VariantStream::default()
    }
}

/// m3u8-rs prints its own `frame_rate` as the shortest decimal, `30` or all digits of 30000/1001.
fn frame_rate(rate: f64) -> Option<HashMap<String, QuotedOrUnquoted>> {
    let value = (rate.is_finite() && rate > 0.0).then(|| QuotedOrUnquoted::Unquoted(format!("{rate:.3}")))?;
    Some(HashMap::from([("FRAME-RATE".to_owned(), value)]))
}

fn audio_only(group: &str, audio: &[AudioRendition]) -> Option<VariantStream> {
    let members = || audio.iter().filter(|a| a.group == group);
    let main = members().find(|a| a.default).or_else(|| members().next())?;
    let silent = Variant { uri: main.uri.clone(), audio_group: Some(group.to_owned()), ..Variant::default() };
    Some(with_audio(&silent, audio))
}

fn groups(audio: &[AudioRendition]) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for rendition in audio {
        if !groups.contains(&rendition.group.as_str()) {
            groups.push(&rendition.group);
        }
    }
    groups
}

/// Those of the first audio group come first, since simple players take what they find first. Within a group the largest
/// picture comes first, of equal ones the one with the most bits, except that the best one of at most 1080 lines is the very
/// first of all.
fn put_default_first(variants: &mut [VariantStream], groups: &[&str]) {
    let group = |v: &VariantStream| {
        groups.iter().position(|group| v.audio.as_deref() == Some(quotable(group).as_str())).unwrap_or(0)
    };
    let lines = |v: &VariantStream| v.resolution.map(|r| r.width.min(r.height));
    variants.sort_by_cached_key(|v| (group(v), Reverse(lines(v)), Reverse(v.bandwidth), v.uri.clone()));
    let fits = |v: &VariantStream| lines(v).is_some_and(|lines| lines <= FIRST_AT_MOST_LINES.into());
    if let Some(first) = variants.iter().position(fits) {
        variants[..=first].rotate_right(1);
    }
}
