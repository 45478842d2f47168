//! Audio renditions and their names: `audio0` is the first track in stereo (or mono), `audio0surround` the same in 5.1.

use std::fmt;

use super::{MediaKind, PlannedQuality};
use crate::plan::AudioTrack;

/// Of a surround rendition: 5.1.
pub const SURROUND_CHANNELS: u32 = 6;
const SURROUND_KBPS: u32 = 384;
const PREFIX: &str = "audio";
const SUFFIX: &str = "surround";

/// What the name of an audio rendition says. No other column or field says it, so rows and plans of before need none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioName {
    /// The number of the source's track.
    pub track: usize,
    pub surround: bool,
}

impl AudioName {
    pub fn parse(quality: &str) -> Option<Self> {
        let number = quality.strip_prefix(PREFIX)?;
        let track = number.strip_suffix(SUFFIX).unwrap_or(number).parse().ok()?;
        let name = Self { track, surround: number.ends_with(SUFFIX) };
        // One name per rendition: `audio00` is not another spelling of `audio0`.
        (name.to_string() == quality).then_some(name)
    }

    /// How many channels the rendition of a track with so many has.
    pub fn channels(self, track_channels: u32) -> u32 {
        if self.surround { SURROUND_CHANNELS } else { track_channels.clamp(1, 2) }
    }
}

impl fmt::Display for AudioName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = if self.surround { SUFFIX } else { "" };
        write!(f, "{PREFIX}{}{suffix}", self.track)
    }
}

/// Adds a 5.1 rendition behind the stereo one of each track that has six channels or more.
pub fn with_surround(qualities: Vec<PlannedQuality>, tracks: &[AudioTrack]) -> Vec<PlannedQuality> {
    let surround_of = |stereo: &PlannedQuality| {
        let name = AudioName::parse(&stereo.name).filter(|_| stereo.kind == MediaKind::Audio)?;
        let has_surround = tracks.get(name.track)?.channels >= SURROUND_CHANNELS;
        has_surround.then(|| PlannedQuality {
            name: AudioName { surround: true, ..name }.to_string(),
            bitrate_kbps: SURROUND_KBPS,
            ..stereo.clone()
        })
    };
    let with_its_surround = |stereo: PlannedQuality| {
        let surround = surround_of(&stereo);
        std::iter::once(stereo).chain(surround)
    };
    qualities.into_iter().flat_map(with_its_surround).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::{Ladder, SourceShape};
    use crate::object_key::is_quality_name;
    use crate::plan::MAX_AUDIO_TRACKS;

    fn planned(channels: &[u32]) -> Vec<PlannedQuality> {
        let track = |channels: &u32| AudioTrack { channels: *channels, ..AudioTrack::default() };
        let tracks: Vec<_> = channels.iter().map(track).collect();
        let audio_tracks = u32::try_from(tracks.len()).unwrap();
        let shape = SourceShape { picture: Some((640, 360)), audio_tracks };
        let qualities = Ladder::default().qualities_for(shape, Some(&["360p".to_owned()]));
        with_surround(qualities, &tracks)
    }

    #[test]
    fn tracks_of_six_channels_or_more_get_a_surround_rendition_beside_the_stereo_one() {
        let planned = planned(&[2, 6, 5, 8, 1]);
        let told: Vec<_> = planned.iter().map(|q| (q.name.as_str(), q.bitrate_kbps)).collect();
        let expected = [
            ("360p", 600),
            ("audio0", 96),
            ("audio1", 96),
            ("audio1surround", 384),
            ("audio2", 96),
            ("audio3", 96),
            ("audio3surround", 384),
            ("audio4", 96),
        ];
        assert_eq!(told, expected);
        assert!(planned[1..].iter().all(|q| q.kind == MediaKind::Audio && !q.skipped));
    }

    #[test]
    fn without_surround_in_the_source_nothing_is_added() {
        let names: Vec<_> = planned(&[1, 2, 5]).into_iter().map(|q| q.name).collect();
        assert_eq!(names, ["360p", "audio0", "audio1", "audio2"]);
    }

    #[test]
    fn names_read_back_and_fit_the_grammar_of_qualities() {
        for track in 0..MAX_AUDIO_TRACKS {
            for surround in [false, true] {
                let name = AudioName { track, surround };
                assert_eq!(AudioName::parse(&name.to_string()), Some(name));
                assert!(is_quality_name(&name.to_string()), "{name}");
            }
        }
        for other in ["", "audio", "audiosurround", "audio01", "audio+1", "audio0surround1", "720p"] {
            assert_eq!(AudioName::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_name_says_how_many_channels_there_are() {
        let channels = |name: &str, of: u32| AudioName::parse(name).unwrap().channels(of);
        assert_eq!([1, 2, 6, 8].map(|of| channels("audio0", of)), [1, 2, 2, 2]);
        assert_eq!([6, 7, 8].map(|of| channels("audio0surround", of)), [6, 6, 6]);
    }
}
