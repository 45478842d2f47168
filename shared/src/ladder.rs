//! Which qualities a source deserves.

use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;

text_enum! {
    /// What a quality carries.
    MediaKind {
        Video = "video",
        Audio = "audio",
    }
}

text_enum! {
    /// How the picture of a quality is coded.
    VideoCodec {
        H264 = "h264",
        Hevc = "hevc",
        Av1 = "av1",
    }
}

#[expect(clippy::derivable_impls, reason = "the macro that writes the enum takes no attribute on a variant")]
impl Default for VideoCodec {
    fn default() -> Self {
        Self::H264
    }
}

/// One step of the ladder. `short_side` is the height of a landscape picture and the width of a portrait one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    pub name: &'static str,
    pub short_side: u32,
    /// Cap of the video bit rate, kbit/s.
    pub video_kbps: u32,
    pub codec: VideoCodec,
}

/// The default ladder, best first.
pub const LADDER: &[Rung] = &[
    Rung { name: "2160p", short_side: 2160, video_kbps: 15_000, codec: VideoCodec::H264 },
    Rung { name: "1440p", short_side: 1440, video_kbps: 8_000, codec: VideoCodec::H264 },
    Rung { name: "1080p", short_side: 1080, video_kbps: 5_000, codec: VideoCodec::H264 },
    Rung { name: "720p", short_side: 720, video_kbps: 2_500, codec: VideoCodec::H264 },
    Rung { name: "480p", short_side: 480, video_kbps: 1_000, codec: VideoCodec::H264 },
    Rung { name: "360p", short_side: 360, video_kbps: 600, codec: VideoCodec::H264 },
];

/// Audio bit rate of a track shared by all rungs, kbit/s, by the best rung that plays it.
fn audio_kbps(best_short_side: u32) -> u32 {
    match best_short_side {
        1080.. => 192,
        480..1080 => 128,
        _ => 96,
    }
}

/// What the ladder needs to know of a source.
#[derive(Clone, Copy, Debug)]
pub struct SourceShape {
    /// Displayed size (after rotation); `None` for sound alone.
    pub picture: Option<(u32, u32)>,
    pub audio_tracks: u32,
}

/// One quality of a plan, as the ladder decides it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PlannedQuality {
    pub name: String,
    pub kind: MediaKind,
    pub width: u32,
    pub height: u32,
    pub bitrate_kbps: u32,
    /// Of the picture; a sound is always AAC.
    #[serde(default)]
    pub codec: VideoCodec,
    /// Larger than the source: listed, never encoded.
    pub skipped: bool,
}

/// Whether `name` is a rung of the ladder.
pub fn is_rung(name: &str) -> bool {
    LADDER.iter().any(|rung| rung.name == name)
}

/// The qualities for a source: all rungs up to its size (those above are `skipped`), or the wanted ones of them,
/// and one audio rendition a track. A source below the smallest rung, or for which every wanted rung is too
/// large, gets one rung of its own size.
pub fn qualities_for(source: SourceShape, wanted: Option<&[String]>) -> Vec<PlannedQuality> {
    let mut qualities = Vec::new();
    let mut best_short_side = 0;
    if let Some((width, height)) = source.picture {
        let short_side = width.min(height);
        for rung in
            LADDER.iter().filter(|rung| wanted.is_none_or(|names| names.iter().any(|n| n == rung.name)))
        {
            qualities.push(planned(rung, (width, height)));
        }
        if qualities.iter().all(|quality| quality.skipped) {
            qualities.push(own_size((width, height)));
        }
        let encoded = qualities.iter().filter(|quality| !quality.skipped);
        best_short_side = encoded.map(|q| q.width.min(q.height)).max().unwrap_or(short_side);
    }
    for track in 0..source.audio_tracks {
        qualities.push(PlannedQuality {
            name: format!("audio{track}"),
            kind: MediaKind::Audio,
            width: 0,
            height: 0,
            bitrate_kbps: audio_kbps(best_short_side),
            codec: VideoCodec::default(),
            skipped: false,
        });
    }
    qualities
}

fn planned(rung: &Rung, (width, height): (u32, u32)) -> PlannedQuality {
    let (w, h) = fit(rung.short_side, width, height);
    PlannedQuality {
        name: rung.name.to_owned(),
        kind: MediaKind::Video,
        width: w,
        height: h,
        bitrate_kbps: rung.video_kbps,
        codec: rung.codec,
        skipped: rung.short_side > width.min(height),
    }
}

fn own_size((width, height): (u32, u32)) -> PlannedQuality {
    let short_side = even(width.min(height));
    let cap = LADDER.iter().rfind(|rung| rung.short_side >= short_side).map_or(600, |rung| rung.video_kbps);
    PlannedQuality {
        name: format!("{short_side}p"),
        kind: MediaKind::Video,
        width: even(width),
        height: even(height),
        bitrate_kbps: cap,
        codec: VideoCodec::default(),
        skipped: false,
    }
}

/// The size with this short side and the source's shape; encoders want even numbers.
fn fit(short_side: u32, width: u32, height: u32) -> (u32, u32) {
    let long = |long_side: u32, source_short: u32| {
        let scaled = u64::from(short_side) * u64::from(long_side) / u64::from(source_short.max(1));
        even(u32::try_from(scaled).unwrap_or(u32::MAX))
    };
    if width >= height { (long(width, height), short_side) } else { (short_side, long(height, width)) }
}

fn even(side: u32) -> u32 {
    (side & !1).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: (u32, u32), wanted: Option<&[String]>) -> (Vec<String>, Vec<String>) {
        let shape = SourceShape { picture: Some(source), audio_tracks: 1 };
        let (skipped, kept): (Vec<_>, Vec<_>) =
            qualities_for(shape, wanted).into_iter().partition(|q| q.skipped);
        let name = |list: Vec<PlannedQuality>| list.into_iter().map(|q| q.name).collect();
        (name(kept), name(skipped))
    }

    #[test]
    fn qualities_above_the_source_are_skipped() {
        let (kept, skipped) = names((1920, 1080), None);
        assert_eq!(kept, ["1080p", "720p", "480p", "360p", "audio0"]);
        assert_eq!(skipped, ["2160p", "1440p"]);
    }

    #[test]
    fn a_portrait_source_is_measured_by_its_shorter_side() {
        let shape = SourceShape { picture: Some((1080, 1920)), audio_tracks: 0 };
        let kept: Vec<_> = qualities_for(shape, None).into_iter().filter(|q| !q.skipped).collect();
        assert_eq!((kept[0].width, kept[0].height), (1080, 1920));
        assert_eq!((kept[1].width, kept[1].height), (720, 1280));
    }

    #[test]
    fn a_tiny_source_gets_one_rung_of_its_own_size() {
        let (kept, skipped) = names((321, 241), None);
        assert_eq!(kept, ["240p", "audio0"]);
        assert_eq!(skipped.len(), 6);
    }

    #[test]
    fn wanted_rungs_that_are_all_too_large_fall_back_to_the_source_size() {
        let (kept, _) = names((1280, 720), Some(&["2160p".to_owned()]));
        assert_eq!(kept, ["720p", "audio0"]);
    }

    #[test]
    fn sound_alone_gets_audio_renditions() {
        let qualities = qualities_for(SourceShape { picture: None, audio_tracks: 2 }, None);
        let names: Vec<_> = qualities.iter().map(|q| q.name.as_str()).collect();
        assert_eq!(names, ["audio0", "audio1"]);
    }

    #[test]
    fn every_ladder_combination_yields_even_sizes_within_the_source() {
        for width in (2..4200).step_by(37) {
            for height in (2..2400).step_by(41) {
                let shape = SourceShape { picture: Some((width, height)), audio_tracks: 0 };
                let kept: Vec<_> = qualities_for(shape, None).into_iter().filter(|q| !q.skipped).collect();
                assert!(!kept.is_empty());
                for quality in kept {
                    assert_eq!((quality.width % 2, quality.height % 2), (0, 0));
                    assert!(
                        quality.width <= width && quality.height <= height,
                        "{quality:?} of {width}x{height}"
                    );
                }
            }
        }
    }
}
