//! Finds where a source's clock begins anew, by looking at its packets in the order of the file.
//!
//! The picture decides: a join is where its timestamps jump, and there its next frame follows its last one. Whatever else
//! belongs to the new recording keeps its distance to that frame. Other streams may reach the new recording a little
//! earlier or later in the file.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use framefarm_shared::plan::{MAX_JOIN_POSITIONS, MAX_JOINS};

use super::failure::{Failure, Result};
use super::time::TICKS;
use super::timeline::Section;

/// How far back a packet may be from the one before it where nothing is known to jump.
const BACK: i64 = TICKS;
/// And in containers in which joined recordings are common.
const BACK_IN_STREAMS: i64 = TICKS / 5;
/// How far ahead it may be there: less is a hole.
const AHEAD_IN_STREAMS: i64 = 10 * TICKS;
/// A stream of the old recording that goes on like this is still in it.
const CONTINUOUS: std::ops::RangeInclusive<i64> = -TICKS / 50..=TICKS / 5;
/// How long a stream may be behind the picture at a join.
const LAGGING: i64 = 3 * TICKS;

/// A packet, its instant in ticks by the source's own clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) stream: usize,
    pub(super) decoded_at: i64,
    pub(super) shown_at: i64,
    pub(super) position: Option<u64>,
}

pub(super) struct JoinFinder {
    /// The stream that decides.
    leader: Option<usize>,
    back: i64,
    ahead: i64,
    sections: Vec<Section>,
    streams: HashMap<usize, State>,
    /// When the leader came to its section.
    entered_at: i64,
    /// Where streams begin that reached the next recording before the leader.
    early: BTreeMap<usize, u64>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    latest: i64,
    /// How many joins are behind it; one more than the leader has, if it reached the next recording first.
    section: usize,
    /// A packet whose timestamps jump; the next one tells whether that is a join or damage.
    doubted: Option<Seen>,
}

/// What a packet is found to be.
enum Found {
    /// One that is not believed, or not yet.
    Doubtful,
    /// In this section, which begins for its stream with the first packet, if it is another one than before.
    In { section: usize, first: Seen },
}

impl JoinFinder {
    pub(super) fn new(leader: Option<usize>, may_jump: bool) -> Self {
        let (back, ahead) = if may_jump { (BACK_IN_STREAMS, AHEAD_IN_STREAMS) } else { (BACK, i64::MAX) };
        let (streams, early) = (HashMap::new(), BTreeMap::new());
        Self { leader, back, ahead, sections: vec![], streams, entered_at: 0, early }
    }

    pub(super) fn sections(self) -> Vec<Section> {
        self.sections
    }

    /// Some clock began anew.
    pub(super) fn has_joins(&self) -> bool {
        !self.sections.is_empty()
    }

    /// What is added to the timestamps of this packet; none if they cannot be believed, or not yet. `end` is where the
    /// leader ends so far.
    pub(super) fn offset(&mut self, seen: Seen, end: i64) -> Result<Option<i64>> {
        let before = self.streams.get(&seen.stream).copied();
        let found = match before {
            None => Found::In { section: self.sections.len(), first: seen },
            Some(before) if self.leader == Some(seen.stream) => self.of_leader(before, seen, end)?,
            Some(before) => self.of_follower(before, seen),
        };
        let Found::In { section, first } = found else {
            let state = before.map(|before| State { doubted: Some(seen), ..before });
            self.streams.extend(state.map(|state| (seen.stream, state)));
            return Ok(None);
        };
        self.streams.insert(seen.stream, State { latest: seen.decoded_at, section, doubted: None });
        let Some(index) = section.checked_sub(1) else { return Ok(Some(0)) };
        let section = self.sections.get_mut(index);
        let (positions, offset) = match section {
            Some(section) => (&mut section.positions, Some(section.offset)),
            None => (&mut self.early, None),
        };
        if let Some(position) = first.position {
            positions.entry(seen.stream).or_insert(position);
        }
        Ok(offset)
    }

    /// Whether a packet may come right behind one at an earlier instant.
    fn follows(&self, seen: Seen, earlier: i64) -> bool {
        (-self.back..=self.ahead).contains(&seen.decoded_at.saturating_sub(earlier))
    }

    fn of_leader(&mut self, before: State, seen: Seen, end: i64) -> Result<Found> {
        if self.follows(seen, before.latest) || self.others_went_on(before.latest, seen) {
            return Ok(Found::In { section: before.section, first: seen });
        }
        let doubted = before.doubted.filter(|doubted| self.follows(seen, doubted.decoded_at));
        let Some(first) = doubted else { return Ok(Found::Doubtful) };
        let positions = (self.sections.len() + 1) * self.streams.len();
        if self.sections.len() == MAX_JOINS || positions > MAX_JOIN_POSITIONS {
            return Err(Failure::invalid(
                "the file's timestamps jump too often. Re-encode it and upload it again",
            ));
        }
        self.entered_at = first.decoded_at;
        let offset = end.saturating_sub(first.shown_at.min(seen.shown_at));
        let positions = std::mem::take(&mut self.early);
        self.sections.push(Section { at: end, offset, positions });
        Ok(Found::In { section: self.sections.len(), first })
    }

    /// Only the leader has a hole: others came to the same instant without a jump.
    fn others_went_on(&self, latest: i64, seen: Seen) -> bool {
        if seen.decoded_at <= latest {
            return false;
        }
        let here = self.sections.len();
        let others = self.streams.iter().filter(|(stream, _)| **stream != seen.stream);
        let middle = latest + (seen.decoded_at - latest) / 2;
        others.into_iter().any(|(_, other)| other.section == here && other.latest > middle)
    }

    fn of_follower(&self, before: State, seen: Seen) -> Found {
        let leader = self.leader.and_then(|leader| self.streams.get(&leader));
        let (Some(leader), here) = (leader, self.sections.len()) else {
            return Found::In { section: before.section, first: seen };
        };
        let step = seen.decoded_at.saturating_sub(before.latest);
        let (goes_on, next) = match before.section.cmp(&here) {
            Ordering::Less => {
                let lags = leader.latest.saturating_sub(self.entered_at) < LAGGING;
                (CONTINUOUS.contains(&step) && lags, here)
            }
            Ordering::Equal => {
                // A hole, if the leader is there as well.
                let apart = |at: i64| at.saturating_sub(leader.latest).saturating_abs();
                let is_hole = apart(seen.decoded_at) <= apart(before.latest);
                (step >= -self.back && (step <= self.ahead || is_hole), here + 1)
            }
            Ordering::Greater => (true, before.section),
        };
        if goes_on {
            return Found::In { section: before.section, first: seen };
        }
        match before.doubted.filter(|doubted| self.follows(seen, doubted.decoded_at)) {
            Some(first) => Found::In { section: next, first },
            None => Found::Doubtful,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIDEO: usize = 0;
    const AUDIO: usize = 1;

    /// Packets as (stream, seconds); gives the offset of each in seconds.
    fn offsets(packets: &[(usize, f64)]) -> Vec<Option<f64>> {
        found(packets).0
    }

    /// And the numbers of the packets with which streams begin behind the first join.
    fn found(packets: &[(usize, f64)]) -> (Vec<Option<f64>>, BTreeMap<usize, u64>) {
        let mut finder = JoinFinder::new(Some(VIDEO), true);
        let mut end = 0;
        let offset = |(position, (stream, seconds)): (usize, &(usize, f64))| {
            #[expect(clippy::cast_possible_truncation, reason = "a few seconds")]
            let at = (seconds * 90_000.0) as i64;
            let position = Some(position as u64);
            let seen = Seen { stream: *stream, decoded_at: at, shown_at: at, position };
            let offset = finder.offset(seen, end).unwrap();
            if let Some(offset) = offset.filter(|_| *stream == VIDEO) {
                end = at + offset + TICKS;
            }
            #[expect(clippy::cast_precision_loss, reason = "a few seconds")]
            offset.map(|offset| offset as f64 / 90_000.0)
        };
        let offsets = packets.iter().enumerate().map(offset).collect();
        let first = finder.sections().into_iter().next();
        (offsets, first.map(|section| section.positions).unwrap_or_default())
    }

    #[test]
    fn the_sound_of_the_next_recording_may_come_before_or_behind_its_picture() {
        let both = [(VIDEO, 50.0), (AUDIO, 50.0), (VIDEO, 51.0), (AUDIO, 51.0)];
        let next = [(VIDEO, 10.0), (VIDEO, 11.0)];
        let picture_first = [&both[..], &next, &[(AUDIO, 51.1), (AUDIO, 10.0), (AUDIO, 10.1)]].concat();
        let (offsets, begins) = found(&picture_first);
        assert_eq!(offsets[4..], [None, Some(42.0), Some(0.0), None, Some(42.0)]);
        assert_eq!(begins, BTreeMap::from([(VIDEO, 4), (AUDIO, 7)]));
        for early in 1..5 {
            let sound: Vec<_> = (0..early).map(|number| (AUDIO, 10.0 + 0.1 * f64::from(number))).collect();
            let (offsets, begins) =
                found(&[&both[..], &sound, &next, &[(AUDIO, 10.5), (AUDIO, 10.6)]].concat());
            assert!(offsets[4..].iter().flatten().all(|offset| (*offset - 42.0).abs() < 1e-9), "{offsets:?}");
            assert_eq!(
                begins,
                BTreeMap::from([(VIDEO, 4 + sound.len() as u64), (AUDIO, 4)]),
                "{early} early"
            );
        }
    }

    #[test]
    fn a_single_packet_of_sound_that_jumps_belongs_to_no_other_recording() {
        let both = [(VIDEO, 50.0), (AUDIO, 50.0), (VIDEO, 51.0), (AUDIO, 51.0)];
        let damaged = [(AUDIO, 3.0), (AUDIO, 51.1), (VIDEO, 52.0)];
        let next = [(VIDEO, 10.0), (VIDEO, 11.0), (AUDIO, 10.0), (AUDIO, 10.1)];
        let (offsets, begins) = found(&[&both[..], &damaged, &next].concat());
        assert_eq!(offsets[4..], [None, Some(0.0), Some(0.0), None, Some(43.0), None, Some(43.0)]);
        assert_eq!(begins, BTreeMap::from([(VIDEO, 7), (AUDIO, 9)]));
    }

    #[test]
    fn a_single_packet_that_jumps_is_damage_and_no_join() {
        let packets = [(VIDEO, 1.0), (VIDEO, 9000.0), (VIDEO, 3.0), (VIDEO, 0.1), (VIDEO, 5.0)];
        assert_eq!(offsets(&packets), [Some(0.0), None, Some(0.0), None, Some(0.0)]);
    }

    #[test]
    fn a_long_hole_of_one_stream_alone_is_no_join_and_one_of_both_is() {
        let both = [(VIDEO, 1.0), (AUDIO, 1.0), (VIDEO, 14.0), (VIDEO, 15.0), (AUDIO, 14.0), (AUDIO, 14.1)];
        assert_eq!(offsets(&both)[2..], [None, Some(-12.0), None, Some(-12.0)]);
        let picture: Vec<_> = [(VIDEO, 1.0), (AUDIO, 1.0)]
            .into_iter()
            .chain((2..14).map(|second| (AUDIO, f64::from(second))))
            .chain([(VIDEO, 14.0)])
            .collect();
        assert!(offsets(&picture).iter().all(|offset| *offset == Some(0.0)));
        let audio: Vec<_> = [(VIDEO, 1.0), (AUDIO, 1.0)]
            .into_iter()
            .chain((2..14).map(|second| (VIDEO, f64::from(second))))
            .chain([(AUDIO, 13.5)])
            .collect();
        assert!(offsets(&audio).iter().all(|offset| *offset == Some(0.0)));
    }
}
