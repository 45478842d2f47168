//! The master playlist of a finished generation: each video rendition once with each audio group.

use framefarm_shared::ladder::{AudioName, MediaKind};
use framefarm_shared::object_key::{MediaFile, public_name};
use framefarm_shared::plan::Plan;

use super::media::Rendition;
use super::sidecars::PublishedSidecars;
use crate::playlist::{AudioRendition, MasterInput, Variant, master_playlist};

const STEREO_GROUP: &str = "audio";
const SURROUND_GROUP: &str = "audio-surround";

pub(super) fn master_text(
    generation: i32,
    plan: &Plan,
    renditions: &[Rendition],
    sidecars: &PublishedSidecars,
) -> String {
    let audio = AudioTracks::of(plan, renditions);
    let groups = audio.groups();
    let with_each_group = |rendition: &Rendition| {
        let silent = variant(generation, plan, rendition);
        let with = |group: &&str| Variant { audio_group: Some((*group).to_owned()), ..silent.clone() };
        if groups.is_empty() { vec![silent] } else { groups.iter().map(with).collect() }
    };
    let video = renditions.iter().filter(|rendition| rendition.row.kind == MediaKind::Video);
    master_playlist(&MasterInput {
        variants: video.flat_map(with_each_group).collect(),
        audio: groups.iter().flat_map(|group| audio.members(generation, group)).collect(),
        subtitles: sidecars.subtitle_renditions(generation),
        independent: true,
    })
}

fn uri(generation: i32, rendition: &Rendition) -> String {
    public_name(generation, &MediaFile::Playlist { quality: rendition.row.name.clone() })
}

fn variant(generation: i32, plan: &Plan, rendition: &Rendition) -> Variant {
    let side = |value: i32| u32::try_from(value).unwrap_or(0);
    Variant {
        uri: uri(generation, rendition),
        bandwidth: rendition.rates.peak,
        average_bandwidth: rendition.rates.average,
        codecs: rendition.row.codecs.clone().unwrap_or_default(),
        resolution: Some((side(rendition.row.width), side(rendition.row.height))),
        frame_rate: plan.source.video.as_ref().map(|video| video.frame_rate),
        audio_group: None,
    }
}

/// The audio renditions of a generation, with the tracks of the source that they are of.
struct AudioTracks<'a> {
    plan: &'a Plan,
    renditions: Vec<(AudioName, &'a Rendition)>,
}

impl<'a> AudioTracks<'a> {
    fn of(plan: &'a Plan, renditions: &'a [Rendition]) -> Self {
        let audio = renditions.iter().filter(|rendition| rendition.row.kind == MediaKind::Audio);
        let named = audio.enumerate().map(|(index, rendition)| {
            let unknown = AudioName { track: index, surround: false };
            (AudioName::parse(&rendition.row.name).unwrap_or(unknown), rendition)
        });
        Self { plan, renditions: named.collect() }
    }

    /// Stereo first.
    fn groups(&self) -> Vec<&'static str> {
        let stereo = (!self.renditions.is_empty()).then_some(STEREO_GROUP);
        let surround = self.renditions.iter().any(|(name, _)| name.surround).then_some(SURROUND_GROUP);
        stereo.into_iter().chain(surround).collect()
    }

    /// Every track once in each group, as RFC 8216 (4.3.4.1.1) wants it: players find a viewer's choice again when they
    /// change the group. A track without the group's kind of rendition is there with its other one.
    fn members(&self, generation: i32, group: &str) -> Vec<AudioRendition> {
        let surround = group == SURROUND_GROUP;
        let mut numbers: Vec<usize> = self.renditions.iter().map(|(name, _)| name.track).collect();
        numbers.dedup();
        let of_track = |number: usize| self.renditions.iter().filter(move |(name, _)| name.track == number);
        let chosen = |number: usize| {
            let of_group = of_track(number).find(|(name, _)| name.surround == surround);
            of_group.or_else(|| of_track(number).next())
        };
        let chosen = numbers.into_iter().filter_map(chosen).enumerate();
        chosen
            .map(|(index, (name, rendition))| {
                self.member(*name, rendition, uri(generation, rendition), group, index == 0)
            })
            .collect()
    }

    fn member(
        &self,
        name: AudioName,
        rendition: &Rendition,
        uri: String,
        group: &str,
        default: bool,
    ) -> AudioRendition {
        // A track that could not be made has no rendition, and those behind it keep their numbers.
        let track = self.plan.source.audio.get(name.track);
        let language = track.and_then(|track| track.language.clone());
        let title = track.and_then(|track| track.title.clone());
        AudioRendition {
            group: group.to_owned(),
            name: title.or_else(|| language.clone()).unwrap_or_else(|| format!("Track {}", name.track + 1)),
            language,
            uri,
            default,
            channels: track.map(|track| name.channels(track.channels)),
            bandwidth: rendition.rates.peak,
            average_bandwidth: rendition.rates.average,
            codecs: rendition.row.codecs.clone().unwrap_or_default(),
        }
    }
}
