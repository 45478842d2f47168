//! Which segments of a quality are to be made.

use framefarm_shared::wire::worker_api::SegmentRange;

/// Rising inclusive ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted(Vec<(usize, usize)>);

impl Wanted {
    pub(super) fn new(ranges: &[SegmentRange], total: usize) -> Self {
        let number = |value: i32| usize::try_from(value).unwrap_or(0);
        let inside =
            ranges.iter().map(|range| (number(range.first), number(range.last).min(total.saturating_sub(1))));
        Self::joined(inside.filter(|(first, last)| first <= last).collect())
    }

    /// Everything that any of these wants.
    pub(super) fn all<'a>(many: impl Iterator<Item = &'a Self>) -> Self {
        Self::joined(many.flat_map(|wanted| wanted.0.iter().copied()).collect())
    }

    fn joined(mut ranges: Vec<(usize, usize)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (first, last) in ranges {
            match joined.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        Self(joined)
    }

    /// What of it is at or behind a segment.
    pub(super) fn behind(&self, segment: usize) -> Self {
        let rest = self.ranges().filter(|(_, last)| *last >= segment);
        Self(rest.map(|(first, last)| (first.max(segment), last)).collect())
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.iter().copied()
    }

    pub(super) fn has(&self, segment: usize) -> bool {
        self.ranges().any(|(first, last)| (first..=last).contains(&segment))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How much of the track this is, in its own ticks.
    pub(super) fn length(&self, starts: &[i64]) -> i64 {
        self.ranges().map(|(first, last)| starts[last + 1] - starts[first]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_want_is_joined() {
        let wanted = |list: &[(i32, i32)]| {
            let ranges: Vec<_> =
                list.iter().map(|(first, last)| SegmentRange { first: *first, last: *last }).collect();
            Wanted::new(&ranges, 10)
        };
        let all = Wanted::all([wanted(&[(0, 1), (7, 99)]), wanted(&[(2, 4)])].iter());
        assert_eq!(all.ranges().collect::<Vec<_>>(), [(0, 4), (7, 9)]);
        assert!(all.has(3) && !all.has(5));
        assert_eq!(all.behind(3).ranges().collect::<Vec<_>>(), [(3, 4), (7, 9)]);
        assert_eq!(all.length(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 8);
    }
}
