//! A ladder as a setting writes it: `2160p:15000:hevc,1080p:5000`.

use std::fmt;
use std::str::FromStr;

use super::{Ladder, Rung, VideoCodec};

const SIDES: std::ops::RangeInclusive<u32> = 2..=4320;
const KBPS: std::ops::RangeInclusive<u32> = 50..=200_000;
const MOST_RUNGS: usize = 24;

impl FromStr for Ladder {
    type Err = String;

    /// Rungs in any order; the ladder has them best first.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut rungs: Vec<Rung> = Vec::new();
        for item in text.split(',') {
            let rung = parse_rung(item.trim())?;
            if rungs.iter().any(|other| other.name() == rung.name()) {
                return Err(format!("the ladder has `{}` twice", rung.name()));
            }
            rungs.push(rung);
        }
        if rungs.len() > MOST_RUNGS {
            return Err(format!("a ladder can have at most {MOST_RUNGS} rungs, not {}", rungs.len()));
        }
        rungs.sort_by_key(|rung| std::cmp::Reverse(rung.short_side));
        Ok(Self(rungs))
    }
}

fn parse_rung(item: &str) -> Result<Rung, String> {
    let form = || format!("`{item}` is not a rung; write one as `1080p:5000` or `1080p:5000:hevc`");
    let mut fields = item.split(':');
    let side = fields.next().and_then(|side| side.strip_suffix('p')).and_then(number).ok_or_else(form)?;
    let kbps = fields.next().and_then(number).ok_or_else(form)?;
    let codec = fields.next().map_or(Ok(VideoCodec::default()), str::parse);
    let codec = codec.map_err(|error| format!("`{item}`: {error}"))?;
    if fields.next().is_some() {
        return Err(form());
    }
    // Encoders want even numbers.
    if !SIDES.contains(&side) || side % 2 == 1 {
        return Err(format!("`{item}`: the shorter side must be an even number from 2 to 4320"));
    }
    if !KBPS.contains(&kbps) {
        return Err(format!("`{item}`: the bitrate must be from 50 to 200000 kbit/s"));
    }
    Ok(Rung { short_side: side, video_kbps: kbps, codec })
}

/// Digits alone: `+5` and `007` would be other names for the same rung.
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, rung) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}p:{}", rung.short_side, rung.video_kbps)?;
            if rung.codec != VideoCodec::default() {
                write!(f, ":{}", rung.codec)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::object_key::is_quality_name;

    #[test]
    fn the_default_ladder_is_written_as_it_is_read() {
        let text = "2160p:15000,1440p:8000,1080p:5000,720p:2500,480p:1000,360p:600";
        assert_eq!(Ladder::default().to_string(), text);
        assert_eq!(text.parse(), Ok(Ladder::default()));
    }

    #[test]
    fn rungs_come_in_any_order_and_two_codecs_of_a_size_are_two_qualities() {
        let ladder: Ladder = "720p:2500, 1080p:3000:hevc ,1080p:5000:h264,1080p:2000:av1".parse().unwrap();
        assert_eq!(ladder.names(), ["1080phevc", "1080p", "1080pav1", "720p"]);
        assert!(ladder.has("1080phevc") && !ladder.has("720phevc"));
    }

    #[test]
    fn a_ladder_that_makes_no_sense_is_refused_in_words() {
        for (text, why) in [
            ("", "is not a rung"),
            ("1080p", "is not a rung"),
            ("1080:5000", "is not a rung"),
            ("1080p:", "is not a rung"),
            ("+720p:2500", "is not a rung"),
            ("0720p:2500", "is not a rung"),
            ("720p:2500:h264:x", "is not a rung"),
            ("720p:2500,", "is not a rung"),
            ("720p:2500:vp9", "`vp9` is not one of h264, hevc, av1"),
            ("720p:2500,720p:3000:h264", "`720p` twice"),
            ("4322p:9000", "even number from 2 to 4320"),
            ("721p:2500", "even number from 2 to 4320"),
            ("720p:49", "50 to 200000"),
            ("720p:200001", "50 to 200000"),
        ] {
            let error = text.parse::<Ladder>().unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        let long: Vec<String> = (1..=25).map(|n| format!("{}p:500", 2 * n)).collect();
        assert!(long.join(",").parse::<Ladder>().unwrap_err().contains("at most 24"));
    }

    proptest! {
        #[test]
        fn every_ladder_reads_back_and_its_names_are_names_of_qualities(
            rungs in proptest::collection::vec((1_u32..=2160, 50_u32..=200_000, 0..VideoCodec::ALL.len()), 1..=24)
        ) {
            let text: Vec<String> = rungs
                .iter()
                .map(|(half, kbps, codec)| format!("{}p:{kbps}:{}", half * 2, VideoCodec::ALL[*codec]))
                .collect();
            if let Ok(ladder) = text.join(",").parse::<Ladder>() {
                prop_assert_eq!(ladder.to_string().parse(), Ok(ladder.clone()));
                prop_assert!(ladder.names().iter().all(|name| is_quality_name(name)));
            }
        }
    }
}
