//! The plan of a transcode: what the source is and where its segments begin.

use serde::{Deserialize, Serialize};

use crate::ladder::SourceShape;
use crate::language;
use crate::source_note::{MAX_NOTES, SourceNote};

/// Normal length of a segment.
pub const SEGMENT_US: u64 = 6_000_000;
/// The longest video that is accepted: 24 hours.
pub const MAX_DURATION_US: u64 = 24 * 3_600 * 1_000_000;
/// The largest resolution that is accepted, in pixels (8K).
pub const MAX_PIXELS: u64 = 8192 * 4320;
pub const MAX_AUDIO_TRACKS: usize = 16;
pub const MAX_SUBTITLE_TRACKS: usize = 32;
/// The most discontinuities of a source's clock that are followed.
pub const MAX_JOINS: usize = 10_000;
/// Over all joins, one for each stream.
pub const MAX_JOIN_POSITIONS: usize = 50_000;
/// One every five seconds of the longest video.
pub const MAX_SEEK_POINTS: usize = 24 * 3_600 / 5 + 1;
/// The most streams of a source that are looked at.
pub const MAX_STREAMS: usize = 256;
/// Of a track, in characters.
pub const MAX_TITLE: usize = 100;
/// From the quickest to the one that tries hardest.
pub const PRESETS: [&str; 9] =
    ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow"];
const LONGEST_SEGMENT_US: u64 = 15_000_000;
const SHORTEST_SEGMENT_US: u64 = 1_000_000;

/// Result of probing a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceInfo {
    pub duration_us: u64,
    /// Null for an audio file.
    pub video: Option<VideoTrack>,
    /// Whether an audio file has a cover image; absent for a video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_cover: Option<bool>,
    #[serde(default)]
    pub audio: Vec<AudioTrack>,
    /// Text subtitles inside the source.
    #[serde(default)]
    pub subtitles: Vec<SubtitleTrack>,
    /// What was omitted or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<SourceNote>,
}

impl SourceInfo {
    /// With languages as BCP 47 tags; plans of before had the codes of their containers.
    pub fn with_normal_languages(mut self) -> Self {
        let audio = self.audio.iter_mut().map(|track| &mut track.language);
        for language in audio.chain(self.subtitles.iter_mut().map(|track| &mut track.language)) {
            *language = language.as_deref().and_then(language::normalized);
        }
        self
    }
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

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AudioTrack {
    /// BCP 47 tag, if the source has one.
    pub language: Option<String>,
    /// Title in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub channels: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SubtitleTrack {
    /// BCP 47 tag, if the source has one.
    pub language: Option<String>,
    /// Title in the source.
    pub title: Option<String>,
    /// Forced subtitles: only what the main audio does not explain.
    #[serde(default)]
    pub forced: bool,
}

/// The source, and the times at which every quality starts a segment. Segment `k` covers
/// `boundaries_us[k]..boundaries_us[k + 1]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Plan {
    pub source: SourceInfo,
    pub boundaries_us: Vec<u64>,
    /// The boundaries are IDR frames of the source: a quality of its size can be copied instead of encoded.
    #[serde(default)]
    pub copy: bool,
    /// The timestamps have discontinuities that `joins` does not list: a plan of an earlier version.
    #[serde(default, skip_serializing_if = "is_false")]
    pub restamp: bool,
    /// Discontinuities of the source's timestamps, as between joined recordings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joins: Vec<Join>,
    /// Where reading can start in a source without an index, in ascending order; if empty, at the first byte.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seek_points: Vec<SeekPoint>,
    /// Encoder preset, as named by x264. It affects the init segments, so all attempts use the same.
    #[serde(default)]
    pub preset: Option<String>,
}

/// A discontinuity of the source's timestamps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Join {
    /// Its time in playback.
    pub at_us: u64,
    /// Offset added to the timestamps after it.
    pub offset_us: i64,
    /// Its position in the file, for each stream.
    pub positions: Vec<StreamPosition>,
}

/// The byte position of a stream's first packet after a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StreamPosition {
    pub stream: u32,
    pub position: u64,
}

/// A keyframe, and the byte position from which it can be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeekPoint {
    pub at_us: u64,
    pub position: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
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
        let (joins, seek_points) = (vec![], vec![]);
        Self { source, boundaries_us, copy: false, restamp: false, joins, seek_points, preset: None }
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
            return Err("the source has neither video nor audio".to_owned());
        }
        if source.duration_us == 0 || source.duration_us > MAX_DURATION_US {
            return Err(format!("duration_us must be from 1 to {MAX_DURATION_US}"));
        }
        if let Some(video) = &source.video {
            check_video(video)?;
        }
        if source.audio.len() > MAX_AUDIO_TRACKS {
            return Err(format!("at most {MAX_AUDIO_TRACKS} audio tracks are allowed"));
        }
        for track in &source.audio {
            check_audio(track)?;
        }
        if source.subtitles.len() > MAX_SUBTITLE_TRACKS {
            return Err(format!("at most {MAX_SUBTITLE_TRACKS} subtitle tracks are allowed"));
        }
        for track in &source.subtitles {
            check_language(track.language.as_deref())?;
            check_title(track.title.as_deref())?;
        }
        if source.notes.len() > MAX_NOTES {
            return Err(format!("at most {MAX_NOTES} notes are allowed"));
        }
        source.notes.iter().try_for_each(SourceNote::check)?;
        if self.preset.as_ref().is_some_and(|preset| !PRESETS.contains(&preset.as_str())) {
            return Err(format!("preset must be one of {}", PRESETS.join(", ")));
        }
        self.check_joins()?;
        self.check_boundaries()
    }

    fn check_joins(&self) -> Result<(), String> {
        let positions: usize = self.joins.iter().map(|join| join.positions.len()).sum();
        if self.joins.len() > MAX_JOINS || positions > MAX_JOIN_POSITIONS {
            return Err(format!("at most {MAX_JOINS} joins with {MAX_JOIN_POSITIONS} positions are allowed"));
        }
        if self.seek_points.len() > MAX_SEEK_POINTS {
            return Err(format!("at most {MAX_SEEK_POINTS} seek points are allowed"));
        }
        let joins = self.joins.windows(2).all(|pair| pair[0].at_us <= pair[1].at_us);
        let points = self.seek_points.windows(2).all(|pair| pair[0].at_us < pair[1].at_us);
        if joins && points {
            Ok(())
        } else {
            Err("joins and seek_points must be in ascending order".to_owned())
        }
    }

    fn check_boundaries(&self) -> Result<(), String> {
        let ends_right = self.boundaries_us.first() == Some(&0)
            && self.boundaries_us.last() == Some(&self.source.duration_us);
        if self.boundaries_us.len() < 2 || !ends_right {
            return Err("boundaries_us must start with 0 and end with duration_us".to_owned());
        }
        let last = self.boundaries_us.len() - 2;
        for (index, pair) in self.boundaries_us.windows(2).enumerate() {
            let length = pair[1].saturating_sub(pair[0]);
            let shortest = if index == last { 1 } else { SHORTEST_SEGMENT_US };
            if length < shortest || length > LONGEST_SEGMENT_US {
                return Err(format!(
                    "segment {index} is {length} us long; segments must be from {SHORTEST_SEGMENT_US} to \
                     {LONGEST_SEGMENT_US} us, in ascending order (the last may be shorter)"
                ));
            }
        }
        Ok(())
    }
}

fn check_video(video: &VideoTrack) -> Result<(), String> {
    if video.width < 2 || video.height < 2 || u64::from(video.width) * u64::from(video.height) > MAX_PIXELS {
        return Err(format!(
            "the video is {}x{}; at most {MAX_PIXELS} pixels are allowed",
            video.width, video.height
        ));
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
    check_title(track.title.as_deref())?;
    if track.channels == 0 || track.channels > 64 {
        return Err("channels must be from 1 to 64".to_owned());
    }
    Ok(())
}

fn check_title(title: Option<&str>) -> Result<(), String> {
    let fits = |title: &str| title.chars().count() <= MAX_TITLE;
    if title.is_none_or(fits) {
        Ok(())
    } else {
        Err(format!("a track title must have at most {MAX_TITLE} characters"))
    }
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
        SourceInfo {
            duration_us,
            video: Some(video),
            has_cover: None,
            audio: vec![],
            subtitles: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn a_short_tail_joins_the_last_segment() {
        assert_eq!(Plan::regular(source(12_500_000)).boundaries_us, [0, 6_000_000, 12_500_000]);
        assert_eq!(Plan::regular(source(13_000_000)).boundaries_us, [0, 6_000_000, 12_000_000, 13_000_000]);
    }

    #[test]
    fn a_plan_of_before_is_read_and_its_languages_become_bcp_47() {
        let old = r#"{"duration_us": 1, "video": null, "audio": [{"language": "eng", "channels": 2},
            {"language": "und", "channels": 1}],
            "subtitles": [{"language": "ger", "title": "Deutsch", "forced": false}]}"#;
        let source: SourceInfo = serde_json::from_str(old).unwrap();
        assert_eq!((source.audio[0].title.as_ref(), source.notes.len()), (None, 0));
        // A worker of before must be able to read what has nothing new in it.
        assert!(!serde_json::to_string(&source.audio).unwrap().contains("title"));
        let source = source.with_normal_languages();
        let languages: Vec<_> = source.audio.iter().map(|track| track.language.as_deref()).collect();
        assert_eq!(
            (languages, source.subtitles[0].language.as_deref()),
            (vec![Some("en"), None], Some("de"))
        );
    }

    #[test]
    fn boundaries_out_of_order_are_refused() {
        let mut plan = Plan::regular(source(18_000_000));
        plan.boundaries_us.swap(1, 2);
        assert!(plan.check().unwrap_err().contains("segment 1"));
    }

    #[test]
    fn a_plan_has_only_so_many_joins_and_seek_points() {
        let join = |positions| Join {
            at_us: 0,
            offset_us: 0,
            positions: vec![StreamPosition { stream: 0, position: 0 }; positions],
        };
        let with = |joins: Vec<Join>, points: u64| Plan {
            joins,
            seek_points: (0..points).map(|at_us| SeekPoint { at_us, position: 0 }).collect(),
            ..Plan::regular(source(18_000_000))
        };
        let most = MAX_SEEK_POINTS as u64;
        assert_eq!(with(vec![join(5); MAX_JOINS], most).check(), Ok(()));
        assert!(with(vec![join(0); MAX_JOINS + 1], 0).check().unwrap_err().contains("joins"));
        assert!(with(vec![join(MAX_JOIN_POSITIONS + 1)], 0).check().unwrap_err().contains("positions"));
        assert!(with(vec![], most + 1).check().unwrap_err().contains("seek points"));
    }

    proptest! {
        #[test]
        fn a_regular_plan_is_always_legal(duration in 1u64..=MAX_DURATION_US) {
            prop_assert_eq!(Plan::regular(source(duration)).check(), Ok(()));
        }
    }
}
