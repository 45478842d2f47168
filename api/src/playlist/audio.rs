//! The audio renditions of a master playlist.

use framefarm_shared::language;
use m3u8_rs::{AlternativeMedia, AlternativeMediaType};

use super::text::{quotable, uri};

#[derive(Debug, Clone, Default)]
pub struct AudioRendition {
    pub group: String,
    pub name: String,
    pub language: Option<String>,
    pub uri: String,
    pub default: bool,
    pub channels: Option<u32>,
    pub bandwidth: u64,
    pub average_bandwidth: u64,
    pub codecs: String,
}

/// Within a group names differ, one member at most is the default, and one a language is chosen by itself
/// (RFC 8216, 4.3.4.1.1).
pub(super) fn alternatives(audio: &[AudioRendition]) -> Vec<AlternativeMedia> {
    let mut written: Vec<AlternativeMedia> = Vec::with_capacity(audio.len());
    for rendition in audio {
        let group_id = quotable(&rendition.group);
        let siblings: Vec<&AlternativeMedia> = written.iter().filter(|a| a.group_id == group_id).collect();
        let language = rendition.language.as_deref().and_then(language::normalized);
        let default = rendition.default && !siblings.iter().any(|a| a.default);
        let same_language = siblings.iter().any(|a| a.autoselect && a.language == language);
        written.push(AlternativeMedia {
            media_type: AlternativeMediaType::Audio,
            uri: Some(uri(&rendition.uri)),
            name: distinct_name(&rendition.name, "Audio", &siblings),
            autoselect: default || (language.is_some() && !same_language),
            default,
            channels: rendition.channels.map(|channels| channels.to_string()),
            language,
            group_id,
            ..AlternativeMedia::default()
        });
    }
    written
}

/// The name as it may be written, or `unnamed`; numbered if a sibling has it already.
pub(super) fn distinct_name(name: &str, unnamed: &str, siblings: &[&AlternativeMedia]) -> String {
    let name = quotable(name);
    let name = if name.is_empty() { unnamed } else { &name };
    let taken = |candidate: &String| siblings.iter().any(|a| &a.name == candidate);
    let numbered = (2..).map(|n: u32| format!("{name} {n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|candidate| !taken(candidate)).unwrap_or_default()
}
