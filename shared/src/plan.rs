//! The plan of a transcode: what the source is and where its segments begin.

use serde::{Deserialize, Serialize};

use crate::ladder::SourceShape;

/// Normal length of a segment.
pub const SEGMENT_US: u64 = 6_000_000;
/// The longest video that is accepted: 24 hours.
pub const MAX_DURATION_US: u64 = 24 * 3_600 * 1_000_000;
/// The largest picture that is accepted, in pixels (8K).
pub const MAX_PIXELS: u64 = 8192 * 4320;
pub const MAX_AUDIO_TRACKS: usize = 16;
pub const MAX_SUBTITLE_TRACKS: usize = 32;
const MAX_TITLE: usize = 100;
/// From the quickest to the one that tries hardest.
pub const PRESETS: [&str; 9] =
    ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow"];
const LONGEST_SEGMENT_US: u64 = 15_000_000;
const SHORTEST_SEGMENT_US: u64 = 1_000_000;

/// What probing found in a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceInfo {
    pub duration_us: u64,
    /// Absent for sound alone.
    pub video: Option<VideoTrack>,
    #[serde(default)]
    pub audio: Vec<AudioTrack>,
    /// Text subtitles inside the source.
    #[serde(default)]
    pub subtitles: Vec<SubtitleTrack>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VideoTrack {
    /// Displayed size, after rotation.
    pub width: u32,
    pub height: u32,
    pub frame_rate: f64,
    /// Codec name as ffmpeg gives it.
    pub codec: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AudioTrack {
    /// BCP 47 tag, if the source has one.
    pub language: Option<String>,
    pub channels: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SubtitleTrack {
    /// BCP 47 tag, if the source has one.
    pub language: Option<String>,
    /// What the source calls it.
    pub title: Option<String>,
    /// Only the words that the main audio does not explain.
    #[serde(default)]
    pub forced: bool,
}

/// The source and the instants at which every quality starts a segment. Segment `k` covers
/// `boundaries_us[k]..boundaries_us[k + 1]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Plan {
    pub source: SourceInfo,
    pub boundaries_us: Vec<u64>,
    /// The boundaries are IDR frames of the source itself: a quality of its size may be copied instead of encoded.
    #[serde(default)]
    pub copy: bool,
    /// The source's own times jump about: its frames are taken to follow each other at its frame rate.
    #[serde(default)]
    pub restamp: bool,
    /// How much the encoder tries, in x264's words: it shows in the init segments, so all attempts take the same.
    #[serde(default)]
    pub preset: Option<String>,
}

impl Plan {
    /// Segments of [`SEGMENT_US`]; a tail under a second joins the segment before it.
    pub fn regular(source: SourceInfo) -> Self {
        let mut boundaries_us = vec![0];
        let mut next = SEGMENT_US;
        while next + SHORTEST_SEGMENT_US <= source.duration_us {
            boundaries_us.push(next);
            next += SEGMENT_US;
        }
        boundaries_us.push(source.duration_us);
        Self { source, boundaries_us, copy: false, restamp: false, preset: None }
    }

    pub fn segment_count(&self) -> u32 {
        u32::try_from(self.boundaries_us.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    pub fn shape(&self) -> SourceShape {
        SourceShape {
            picture: self.source.video.as_ref().map(|video| (video.width, video.height)),
            audio_tracks: u32::try_from(self.source.audio.len()).unwrap_or(u32::MAX),
        }
    }

    /// Refuses what no honest probe would send; the text says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let source = &self.source;
        if source.video.is_none() && source.audio.is_empty() {
            return Err("the source has neither picture nor sound".to_owned());
        }
        if source.duration_us == 0 || source.duration_us > MAX_DURATION_US {
            return Err(format!("duration_us must be from 1 to {MAX_DURATION_US}"));
        }
        if let Some(video) = &source.video {
            check_video(video)?;
        }
        if source.audio.len() > MAX_AUDIO_TRACKS {
            return Err(format!("at most {MAX_AUDIO_TRACKS} audio tracks"));
        }
        for track in &source.audio {
            check_audio(track)?;
        }
        if source.subtitles.len() > MAX_SUBTITLE_TRACKS {
            return Err(format!("at most {MAX_SUBTITLE_TRACKS} subtitle tracks"));
        }
        for track in &source.subtitles {
            check_language(track.language.as_deref())?;
            if track.title.as_ref().is_some_and(|title| title.chars().count() > MAX_TITLE) {
                return Err(format!("a subtitle's title has at most {MAX_TITLE} characters"));
            }
        }
        if self.preset.as_ref().is_some_and(|preset| !PRESETS.contains(&preset.as_str())) {
            return Err(format!("preset must be one of {}", PRESETS.join(", ")));
        }
        self.check_boundaries()
    }

    fn check_boundaries(&self) -> Result<(), String> {
        let ends_right = self.boundaries_us.first() == Some(&0)
            && self.boundaries_us.last() == Some(&self.source.duration_us);
        if self.boundaries_us.len() < 2 || !ends_right {
            return Err("boundaries_us must begin with 0 and end with duration_us".to_owned());
        }
        let last = self.boundaries_us.len() - 2;
        for (index, pair) in self.boundaries_us.windows(2).enumerate() {
            let length = pair[1].saturating_sub(pair[0]);
            let shortest = if index == last { 1 } else { SHORTEST_SEGMENT_US };
            if length < shortest || length > LONGEST_SEGMENT_US {
                return Err(format!(
                    "segment {index} is {length} us long; segments are from {SHORTEST_SEGMENT_US} to \
                     {LONGEST_SEGMENT_US} us, in rising order (the last may be shorter)"
                ));
            }
        }
        Ok(())
    }
}

fn check_video(video: &VideoTrack) -> Result<(), String> {
    if video.width < 2 || video.height < 2 || u64::from(video.width) * u64::from(video.height) > MAX_PIXELS {
        return Err(format!("the picture is {}x{}; at most {MAX_PIXELS} pixels", video.width, video.height));
    }
    if !(video.frame_rate > 0.0 && video.frame_rate <= 1000.0) {
        return Err("frame_rate must be above 0 and at most 1000".to_owned());
    }
    if video.codec.len() > 32 {
        return Err("codec must be at most 32 characters".to_owned());
    }
    Ok(())
}

fn check_audio(track: &AudioTrack) -> Result<(), String> {
    check_language(track.language.as_deref())?;
    if track.channels == 0 || track.channels > 64 {
        return Err("channels must be from 1 to 64".to_owned());
    }
    Ok(())
}

fn check_language(tag: Option<&str>) -> Result<(), String> {
    let fits = |tag: &str| tag.len() <= 35 && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if tag.is_none_or(fits) { Ok(()) } else { Err("language must be a BCP 47 tag".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn source(duration_us: u64) -> SourceInfo {
        let video = VideoTrack { width: 1280, height: 720, frame_rate: 25.0, codec: "h264".to_owned() };
        SourceInfo { duration_us, video: Some(video), audio: vec![], subtitles: vec![] }
    }

    #[test]
    fn a_short_tail_joins_the_last_segment() {
        assert_eq!(Plan::regular(source(12_500_000)).boundaries_us, [0, 6_000_000, 12_500_000]);
        assert_eq!(Plan::regular(source(13_000_000)).boundaries_us, [0, 6_000_000, 12_000_000, 13_000_000]);
    }

    #[test]
    fn boundaries_out_of_order_are_refused() {
        let mut plan = Plan::regular(source(18_000_000));
        plan.boundaries_us.swap(1, 2);
        assert!(plan.check().unwrap_err().contains("segment 1"));
    }

    proptest! {
        #[test]
        fn a_regular_plan_is_always_legal(duration in 1u64..=MAX_DURATION_US) {
            prop_assert_eq!(Plan::regular(source(duration)).check(), Ok(()));
        }
    }
}
