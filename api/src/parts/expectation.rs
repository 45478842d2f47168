//! What the plan says about the part that is being delivered.

use std::sync::Arc;

/// What kind of track a quality is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackKind {
    Video,
    Audio,
}

/// What every init segment of a quality has in common, whichever encoder made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownStream {
    pub timescale: u32,
    /// As in CODECS: `avc1.64001f`.
    pub codecs: String,
}

impl KnownStream {
    /// Another encoder may choose another profile or level, but neither another codec nor another clock.
    pub(super) fn goes_on_with(&self, timescale: u32, codecs: &str) -> bool {
        let codec = |codecs: &str| codecs.split('.').next().map(str::to_owned);
        self.timescale == timescale && codec(&self.codecs) == codec(codecs)
    }
}

/// The place of one part in its video, known before its first byte is read.
#[derive(Debug, Clone)]
pub struct Expectation {
    pub quality: String,
    pub first_segment: u32,
    /// Segment `k` covers `boundaries_us[k]..boundaries_us[k + 1]`.
    pub boundaries_us: Arc<[u64]>,
    pub kind: TrackKind,
    /// What the first part of this quality was, once it was accepted.
    pub stream: Option<KnownStream>,
    /// How far a segment may start or end from its boundary: frames do not fall on every microsecond.
    pub tolerance_us: u64,
}

impl Expectation {
    /// How many segments the plan has.
    pub fn planned_segments(&self) -> u32 {
        u32::try_from(self.boundaries_us.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The instant of boundary `index`, if the plan has it.
    pub(super) fn boundary_us(&self, index: u32) -> Option<u64> {
        self.boundaries_us.get(usize::try_from(index).ok()?).copied()
    }
}
