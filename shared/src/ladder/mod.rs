//! Which qualities a source is encoded to.

mod audio;
mod text;

use serde::{Deserialize, Serialize};

pub use self::audio::{AudioName, SURROUND_CHANNELS, with_surround};
use crate::gpu::Abilities;
use crate::text_enum::text_enum;

text_enum! {
    /// What a quality carries.
    MediaKind {
        Video = "video",
        Audio = "audio",
    }
}

text_enum! {
    /// Video codec of a quality.
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

/// One step of the ladder. `short_side` is the height of a landscape video and the width of a portrait one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rung {
    pub short_side: u32,
    /// Cap of the video bitrate, kbit/s.
    pub video_kbps: u32,
    pub codec: VideoCodec,
}

impl Rung {
    /// `1080p`, and with its codec where that is not H.264: `1080phevc`. Two codecs of one size are two qualities.
    pub fn name(&self) -> String {
        match self.codec {
            VideoCodec::H264 => format!("{}p", self.short_side),
            other => format!("{}p{other}", self.short_side),
        }
    }
}

/// What a GPU must be able to do to help with these; nothing if there is no video to encode.
pub fn needs_of(qualities: &[PlannedQuality]) -> Abilities {
    let pictures = qualities.iter().filter(|quality| quality.kind == MediaKind::Video && !quality.skipped);
    let need = |quality: &PlannedQuality| Abilities::needed_for(quality.codec, quality.width, quality.height);
    pictures.map(need).fold(Abilities::default(), Abilities::and)
}

/// The qualities that sources are encoded to, best first. Written as `1080p:5000,720p:2500:hevc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder(Vec<Rung>);

/// Short side and kbit/s of the default ladder, best first.
const DEFAULT: [(u32, u32); 6] =
    [(2160, 15_000), (1440, 8_000), (1080, 5_000), (720, 2_500), (480, 1_000), (360, 600)];
/// For a source that is smaller than every rung.
const SMALLEST_KBPS: u32 = 600;

/// Audio bitrate of a track shared by all rungs, kbit/s, by the best rung that plays it.
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
    /// Displayed size (after rotation); `None` for an audio file.
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
    /// Video codec; audio is always AAC.
    #[serde(default)]
    pub codec: VideoCodec,
    /// Larger than the source: listed but never encoded.
    pub skipped: bool,
}

impl Default for Ladder {
    fn default() -> Self {
        let rung = |(short_side, video_kbps)| Rung { short_side, video_kbps, codec: VideoCodec::H264 };
        Self(DEFAULT.map(rung).to_vec())
    }
}

impl Ladder {
    /// What a GPU must be able to do to help with a source that was not probed yet.
    pub fn needs(&self) -> Abilities {
        let small = |rung: &Rung| Abilities::needed_for(rung.codec, 0, 0);
        self.0.iter().map(small).fold(Abilities::default(), Abilities::and)
    }

    /// Whether `name` is a rung of the ladder.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|rung| rung.name() == name)
    }

    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(Rung::name).collect()
    }

    /// The qualities for a source: all rungs up to its size (those above are `skipped`), or the wanted ones of them,
    /// and one audio rendition a track. A source below the smallest rung, or for which every wanted rung is too
    /// large, gets one rung of its own size.
    pub fn qualities_for(&self, source: SourceShape, wanted: Option<&[String]>) -> Vec<PlannedQuality> {
        let mut qualities = Vec::new();
        let mut best_short_side = 0;
        if let Some(picture) = source.picture {
            qualities.extend(self.chosen(wanted).map(|rung| planned(rung, picture)));
            if qualities.iter().all(|quality| quality.skipped) {
                qualities.push(self.own_size(picture));
            }
            let encoded = qualities.iter().filter(|quality| !quality.skipped);
            best_short_side = encoded.map(|q| q.width.min(q.height)).max().unwrap_or_default();
        }
        qualities.extend((0..source.audio_tracks as usize).map(|track| sound(track, best_short_side)));
        qualities
    }

    /// All rungs if none of the wanted ones is there any more: the ladder may have changed since they were asked for.
    fn chosen(&self, wanted: Option<&[String]>) -> impl Iterator<Item = &Rung> {
        let wanted = wanted.filter(|names| names.iter().any(|name| self.has(name)));
        self.0.iter().filter(move |rung| wanted.is_none_or(|names| names.contains(&rung.name())))
    }

    fn own_size(&self, (width, height): (u32, u32)) -> PlannedQuality {
        let short_side = even(width.min(height));
        let next = self.0.iter().rfind(|rung| rung.short_side >= short_side);
        PlannedQuality {
            name: format!("{short_side}p"),
            kind: MediaKind::Video,
            width: even(width),
            height: even(height),
            bitrate_kbps: next.map_or(SMALLEST_KBPS, |rung| rung.video_kbps),
            codec: VideoCodec::default(),
            skipped: false,
        }
    }
}

fn sound(track: usize, best_short_side: u32) -> PlannedQuality {
    PlannedQuality {
        name: AudioName { track, surround: false }.to_string(),
        kind: MediaKind::Audio,
        width: 0,
        height: 0,
        bitrate_kbps: audio_kbps(best_short_side),
        codec: VideoCodec::default(),
        skipped: false,
    }
}

fn planned(rung: &Rung, (width, height): (u32, u32)) -> PlannedQuality {
    let (w, h) = fit(rung.short_side, width, height);
    PlannedQuality {
        name: rung.name(),
        kind: MediaKind::Video,
        width: w,
        height: h,
        bitrate_kbps: rung.video_kbps,
        codec: rung.codec,
        skipped: rung.short_side > width.min(height),
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
            Ladder::default().qualities_for(shape, wanted).into_iter().partition(|q| q.skipped);
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
        let kept: Vec<_> =
            Ladder::default().qualities_for(shape, None).into_iter().filter(|q| !q.skipped).collect();
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
    fn wanted_rungs_that_the_ladder_has_no_more_mean_the_whole_ladder() {
        let (kept, _) = names((640, 360), Some(&["1000p".to_owned()]));
        assert_eq!(kept, ["360p", "audio0"]);
    }

    #[test]
    fn a_rung_brings_its_codec() {
        let ladder: Ladder = "720p:1500:hevc,720p:2500".parse().unwrap();
        let shape = SourceShape { picture: Some((1280, 720)), audio_tracks: 0 };
        let planned = ladder.qualities_for(shape, None);
        let told: Vec<_> = planned.iter().map(|q| (q.name.as_str(), q.bitrate_kbps, q.codec)).collect();
        assert_eq!(told, [("720phevc", 1_500, VideoCodec::Hevc), ("720p", 2_500, VideoCodec::H264)]);
    }

    #[test]
    fn an_8k_source_gets_every_rung_best_first_in_whatever_order_the_ladder_is_written() {
        let shape = SourceShape { picture: Some((7680, 4320)), audio_tracks: 1 };
        let sizes = |ladder: &Ladder, wanted: Option<&[String]>| -> Vec<(String, u32, u32, bool)> {
            let planned = ladder.qualities_for(shape, wanted);
            planned.into_iter().map(|q| (q.name, q.width, q.height, q.skipped)).collect()
        };
        let rung = |name: &str, width, height| (name.to_owned(), width, height, false);
        let usual = [
            rung("2160p", 3840, 2160),
            rung("1440p", 2560, 1440),
            rung("1080p", 1920, 1080),
            rung("720p", 1280, 720),
            rung("480p", 852, 480),
            rung("360p", 640, 360),
            rung("audio0", 0, 0),
        ];
        assert_eq!(sizes(&Ladder::default(), None), usual);
        let own: Ladder = "360p:600,4320p:40000:hevc,1080p:5000,2160p:15000".parse().unwrap();
        let best_first = [
            rung("4320phevc", 7680, 4320),
            rung("2160p", 3840, 2160),
            rung("1080p", 1920, 1080),
            rung("360p", 640, 360),
            rung("audio0", 0, 0),
        ];
        assert_eq!(sizes(&own, None), best_first);
        let wanted = ["1080p", "4320phevc"].map(str::to_owned);
        assert_eq!(
            sizes(&own, Some(&wanted)),
            [best_first[0].clone(), best_first[2].clone(), best_first[4].clone()]
        );
    }

    #[test]
    fn the_rung_of_the_sources_own_size_comes_behind_the_larger_ones() {
        let shape = SourceShape { picture: Some((7680, 4318)), audio_tracks: 1 };
        let ladder: Ladder = "4320p:30000,360p:600,4320p:40000:hevc".parse().unwrap();
        let wanted = ["4320phevc", "4320p"].map(str::to_owned);
        let planned = ladder.qualities_for(shape, Some(&wanted));
        let told: Vec<_> = planned.iter().map(|q| (q.name.as_str(), q.skipped)).collect();
        assert_eq!(told, [("4320p", true), ("4320phevc", true), ("4318p", false), ("audio0", false)]);
    }

    #[test]
    fn sound_alone_gets_audio_renditions() {
        let qualities = Ladder::default().qualities_for(SourceShape { picture: None, audio_tracks: 2 }, None);
        let names: Vec<_> = qualities.iter().map(|q| q.name.as_str()).collect();
        assert_eq!(names, ["audio0", "audio1"]);
    }

    #[test]
    fn every_ladder_combination_yields_even_sizes_within_the_source() {
        for width in (2..4200).step_by(37) {
            for height in (2..2400).step_by(41) {
                let shape = SourceShape { picture: Some((width, height)), audio_tracks: 0 };
                let kept: Vec<_> =
                    Ladder::default().qualities_for(shape, None).into_iter().filter(|q| !q.skipped).collect();
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
