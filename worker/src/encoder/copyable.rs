//! Whether H.264 can be copied as it is: one set of parameters, closed groups of pictures, nothing missing.

use std::collections::HashSet;

use ffmpeg_next::Packet;
use ffmpeg_next::codec::Parameters;

use super::ff;
use super::h264::{FrameNumbers, Numbering};
use super::nal::{self, h264};

/// More frames between IDR frames than any segment may have.
const LONGEST_GROUP: usize = 10_000;

/// How the units of this H.264 are told apart, and the parameter sets that stand for all of it.
pub(super) struct Units {
    /// Bytes of a length; none with start codes.
    length_size: Option<usize>,
    parameter_sets: Vec<Vec<u8>>,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Idr,
    Other,
    /// Damaged, or with parameter sets of its own.
    Unfit,
}

impl Units {
    pub(super) fn of(parameters: &Parameters) -> Self {
        match ff::extradata(parameters) {
            [1, _, _, _, size, rest @ ..] => {
                Self { length_size: Some(usize::from(size & 3) + 1), parameter_sets: listed_sets(rest) }
            }
            extradata => Self {
                length_size: None,
                parameter_sets: nal::units(extradata).map(<[u8]>::to_vec).collect(),
            },
        }
    }

    /// Units have lengths in front, as in MP4.
    pub(super) fn have_lengths(&self) -> bool {
        self.length_size.is_some()
    }

    pub(super) fn kind(&self, packet: &Packet) -> Kind {
        self.judge(packet, |_| true)
    }

    fn judge(&self, packet: &Packet, mut follows: impl FnMut(&[u8]) -> bool) -> Kind {
        let data = packet.data().unwrap_or_default();
        let is_cut = self.length_size.is_some_and(|size| !nal::are_whole(data, size));
        if packet.is_corrupt() || ff::brings_new_settings(packet) || is_cut {
            return Kind::Unfit;
        }
        match self.length_size {
            Some(size) => self.judge_units(nal::sized_units(data, size), &mut follows),
            None => self.judge_units(nal::units(data), &mut follows),
        }
    }

    fn judge_units<'a>(
        &self,
        units: impl Iterator<Item = &'a [u8]>,
        follows: &mut impl FnMut(&[u8]) -> bool,
    ) -> Kind {
        let is_known = |unit: &[u8]| self.parameter_sets.iter().any(|set| set == unit);
        for unit in units {
            match nal::h264_kind(unit) {
                h264::IDR if follows(unit) => return Kind::Idr,
                h264::SLICE if follows(unit) => return Kind::Other,
                h264::IDR | h264::SLICE => return Kind::Unfit,
                h264::SPS | h264::PPS if !is_known(unit) => return Kind::Unfit,
                _ => {}
            }
        }
        Kind::Unfit
    }

    fn numbering(&self) -> Option<Numbering> {
        let mut parameter_sets = self.parameter_sets.iter().filter(|set| nal::h264_kind(set) == h264::SPS);
        parameter_sets.next().and_then(|set| Numbering::of(set))
    }
}

/// Looks at every packet until one is unfit.
pub(super) struct Copyable {
    units: Units,
    numbers: FrameNumbers,
    /// Instants of the IDR frames, rising.
    idr_frames: Vec<i64>,
    /// The frames since the last of them.
    group: HashSet<i64>,
}

impl Copyable {
    /// None if it can be told already that it cannot be copied.
    pub(super) fn new(parameters: &Parameters) -> Option<Self> {
        let units = Units::of(parameters);
        let numbers = FrameNumbers::new(units.numbering()?);
        Some(Self { units, numbers, idr_frames: vec![], group: HashSet::new() })
    }

    /// False if nothing can be copied.
    pub(super) fn accepts(&mut self, at: i64, packet: &Packet) -> bool {
        let numbers = &mut self.numbers;
        let kind = self.units.judge(packet, |slice| numbers.follows(slice));
        let latest = self.idr_frames.last().copied();
        let rises = match kind {
            Kind::Idr => {
                self.idr_frames.push(at);
                self.group.clear();
                latest.is_none_or(|latest| latest < at)
            }
            Kind::Other => latest.is_some_and(|latest| latest < at),
            Kind::Unfit => false,
        };
        // Two frames of one instant cannot both be shown.
        rises && self.group.insert(at) && self.group.len() <= LONGEST_GROUP
    }

    pub(super) fn idr_frames(self) -> Vec<i64> {
        self.idr_frames
    }
}

/// SPS and PPS of an `avcC`: a count, then a length and the set, twice.
fn listed_sets(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let mut parameter_sets = Vec::new();
    for mask in [0x1f, 0xff] {
        let Some((count, after)) = rest.split_first() else { break };
        rest = after;
        for _ in 0..count & mask {
            let Some((length, after)) = rest.split_first_chunk::<2>() else { return parameter_sets };
            let Some((set, after)) = after.split_at_checked(usize::from(u16::from_be_bytes(*length))) else {
                return parameter_sets;
            };
            parameter_sets.push(set.to_vec());
            rest = after;
        }
    }
    parameter_sets
}
