//! A media segment, box by box.

use std::collections::BTreeSet;
use std::path::Path;

use framefarm_shared::ladder::VideoCodec;
use mp4_atom::{Decode as _, Moof, TrunEntry};

pub(crate) struct Segment {
    pub(crate) start: u64,
    pub(crate) samples: Vec<TrunEntry>,
    pub(crate) bytes: u64,
    first: Vec<u8>,
}

impl Segment {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let moof = Moof::decode(&mut &bytes[..]).unwrap();
        let [traf] = &moof.traf[..] else { panic!("not one track") };
        let [run] = &traf.trun[..] else { panic!("not one run") };
        let samples: Vec<_> = run.samples.iter().collect();
        let at = usize::try_from(run.data_offset.unwrap()).unwrap();
        let data: usize = samples.iter().map(|sample| sample.size.unwrap() as usize).sum();
        assert_eq!(at + data, bytes.len(), "the samples fill the segment");
        let first = bytes[at..at + samples[0].size.unwrap() as usize].to_vec();
        let start = traf.tfdt.as_ref().unwrap().base_media_decode_time;
        Self { start, samples, bytes: bytes.len() as u64, first }
    }

    pub(crate) fn duration(&self) -> u64 {
        self.samples.iter().map(|sample| u64::from(sample.duration.unwrap())).sum()
    }

    /// Its first picture is shown at its very beginning, and none before it is decoded, or together with another.
    pub(crate) fn is_in_order(&self) -> bool {
        let mut decoded = i64::try_from(self.start).unwrap();
        let mut shown = BTreeSet::new();
        for sample in &self.samples {
            let offset = sample.cts.unwrap();
            if offset < 0 || !shown.insert(decoded + offset) {
                return false;
            }
            decoded += i64::from(sample.duration.unwrap());
        }
        shown.first().and_then(|first| u64::try_from(*first).ok()) == Some(self.start)
    }

    /// Whether a player can begin here.
    pub(crate) fn begins_anew(&self, codec: VideoCodec) -> bool {
        const NON_SYNC: u32 = 0x0001_0000;
        let anew = match codec {
            VideoCodec::H264 => {
                self.units().map(|unit| unit[0] & 0x1f).find(|kind| (1..=5).contains(kind)) == Some(5)
            }
            VideoCodec::Hevc => {
                let kind = self.units().map(|unit| unit[0] >> 1 & 0x3f).find(|kind| *kind < 32);
                kind.is_some_and(|kind| (19..=21).contains(&kind))
            }
            VideoCodec::Av1 => av1_key_frame(&self.first),
        };
        anew && self.samples[0].flags.unwrap() & NON_SYNC == 0
    }

    /// Whether its first picture brings the parameter sets that a decoder needs.
    pub(crate) fn brings_sets(&self, codec: VideoCodec) -> bool {
        match codec {
            VideoCodec::H264 => self.units().any(|unit| unit[0] & 0x1f == 7),
            VideoCodec::Hevc => self.units().any(|unit| unit[0] >> 1 & 0x3f == 33),
            VideoCodec::Av1 => av1_key_frame(&self.first),
        }
    }

    /// The units of the first sample, a length of four bytes before each.
    fn units(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.first[..];
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let (unit, after) = after.split_at(u32::from_be_bytes(*length) as usize);
            rest = after;
            Some(unit)
        })
    }
}

/// A sequence header, and then a frame that is not one shown before and whose type is 0.
fn av1_key_frame(sample: &[u8]) -> bool {
    let (mut rest, mut described) = (sample, false);
    while let [header, ..] = rest {
        let kind = header >> 3 & 0x0f;
        let (length, used) = leb128(&rest[1..]);
        let payload = &rest[1 + used..1 + used + length];
        match kind {
            1 => described = true,
            3 | 6 => return described && payload[0] >> 5 == 0,
            _ => {}
        }
        rest = &rest[1 + used + length..];
    }
    false
}

fn leb128(bytes: &[u8]) -> (usize, usize) {
    let used = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let value = bytes[..used].iter().rev().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    (value, used)
}
