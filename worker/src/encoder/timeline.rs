//! One clock for a source whose own begins anew on the way, as it does where transport streams were joined.

use std::collections::BTreeMap;

use framefarm_shared::plan::{Join, Plan, SeekPoint, StreamPosition};

use super::time::{ticks_of_signed_us, ticks_of_us, us_of_signed_ticks, us_of_ticks};

/// Where the source's clock begins anew and by how much it is corrected from there on; and where reading may begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    /// Behind each join one section; before the first one nothing is corrected.
    sections: Vec<Section>,
    seek_points: Vec<(i64, u64)>,
}

/// What lies between two joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// When it begins, in ticks of the video.
    pub(super) at: i64,
    /// What is added to the ticks of its timestamps.
    pub(super) offset: i64,
    /// The byte position of the first packet of each stream.
    pub(super) positions: BTreeMap<usize, u64>,
}

impl Timeline {
    pub(super) fn new(sections: Vec<Section>, seek_points: Vec<(i64, u64)>) -> Self {
        Self { sections, seek_points }
    }

    pub(super) fn of(plan: &Plan) -> Self {
        let section = |join: &Join| Section {
            at: ticks_of_us(join.at_us),
            offset: ticks_of_signed_us(join.offset_us),
            positions: join.positions.iter().map(|at| (at.stream as usize, at.position)).collect(),
        };
        let point = |point: &SeekPoint| (ticks_of_us(point.at_us), point.position);
        Self::new(plan.joins.iter().map(section).collect(), plan.seek_points.iter().map(point).collect())
    }

    pub(super) fn joins(&self) -> Vec<Join> {
        let positions = |section: &Section| {
            let streams = section.positions.iter();
            let known = streams.filter_map(|(stream, at)| Some((u32::try_from(*stream).ok()?, *at)));
            known.map(|(stream, position)| StreamPosition { stream, position }).collect()
        };
        let join = |section: &Section| Join {
            at_us: us_of_ticks(section.at),
            offset_us: us_of_signed_ticks(section.offset),
            positions: positions(section),
        };
        self.sections.iter().map(join).collect()
    }

    pub(super) fn seek_points(&self) -> Vec<SeekPoint> {
        let points = self.seek_points.iter();
        points.map(|(at, position)| SeekPoint { at_us: us_of_ticks(*at), position: *position }).collect()
    }

    /// Nothing is corrected.
    pub(super) fn is_plain(&self) -> bool {
        self.sections.is_empty()
    }

    /// What is added to the timestamps of a packet at this position, and where its section ends.
    pub(super) fn correction(&self, stream: usize, position: u64) -> (i64, Option<i64>) {
        // Subtitles are not looked at by the scan: they belong to what lies around them.
        let is_known = self.sections.iter().any(|section| section.positions.contains_key(&stream));
        let begins = |section: &Section| {
            let positions = &section.positions;
            if is_known { positions.get(&stream).copied() } else { positions.values().min().copied() }
        };
        let is_before = |section: &Section| begins(section).is_none_or(|at| at > position);
        let section = self.sections.iter().rposition(|section| !is_before(section));
        let offset = section.map_or(0, |section| self.sections[section].offset);
        let next = self.sections.get(section.map_or(0, |section| section + 1));
        (offset, next.map(|next| next.at))
    }

    /// The last place from which everything from an instant on can be decoded.
    pub(super) fn seek_point(&self, ticks: i64) -> Option<u64> {
        let after = self.seek_points.partition_point(|(at, _)| *at <= ticks);
        after.checked_sub(1).map(|index| self.seek_points[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_belongs_to_the_section_that_its_stream_is_in() {
        let section = |at, offset, video, audio| Section {
            at,
            offset,
            positions: BTreeMap::from([(0, video), (1, audio)]),
        };
        let timeline =
            Timeline::new(vec![section(100, 90, 1000, 900), section(200, 180, 2000, 2100)], vec![]);
        assert_eq!(timeline.correction(0, 999), (0, Some(100)));
        assert_eq!(timeline.correction(1, 950), (90, Some(200)));
        assert_eq!(timeline.correction(1, 2050), (90, Some(200)));
        assert_eq!(timeline.correction(0, 2000), (180, None));
        // Of a stream that nobody looked at.
        assert_eq!(timeline.correction(2, 899), (0, Some(100)));
        assert_eq!(timeline.correction(2, 2000), (180, None));
    }

    #[test]
    fn a_timeline_survives_its_way_through_the_plan() {
        let section = Section { at: 360_007, offset: -90_001, positions: BTreeMap::from([(3, 188)]) };
        let timeline = Timeline::new(vec![section.clone()], vec![(0, 564), (450_001, 99_999)]);
        let joins = timeline.joins();
        let points = timeline.seek_points();
        assert_eq!(ticks_of_us(joins[0].at_us), section.at);
        assert_eq!(ticks_of_signed_us(joins[0].offset_us), section.offset);
        assert_eq!(points.iter().map(|point| point.position).collect::<Vec<_>>(), [564, 99_999]);
        assert_eq!(timeline.seek_point(450_000), Some(564));
        assert_eq!(timeline.seek_point(450_001), Some(99_999));
    }
}
