//! Timestamps that a damaged packet made up. One that is far from those before it is believed if the next one of its
//! stream agrees, as behind a long hole; until that is read the packet is held back.

use std::collections::{HashMap, VecDeque};

use super::time::TICKS;

/// How far a packet may be from the one before it.
const NEAR: std::ops::RangeInclusive<i64> = -TICKS..=10 * TICKS;
/// So many packets wait for the verdict at most: far more than one PES packet has.
const MOST_HELD: usize = 1_000;

/// Packets on their way through.
#[derive(Debug)]
pub(super) struct Outliers<T> {
    latest: HashMap<usize, i64>,
    doubted: Option<(usize, i64)>,
    held: VecDeque<T>,
    ready: VecDeque<T>,
}

/// A packet that may have to forget its timestamps.
pub(super) trait Forgetful {
    fn forget_times(&mut self);
}

impl<T> Default for Outliers<T> {
    fn default() -> Self {
        let (held, ready) = (VecDeque::new(), VecDeque::new());
        Self { latest: HashMap::new(), doubted: None, held, ready }
    }
}

impl<T: Forgetful> Outliers<T> {
    /// The next packet of a stream, and when it is decoded if it says so itself.
    pub(super) fn push(&mut self, stream: usize, at: Option<i64>, packet: T) {
        match (at, self.doubted) {
            (None, None) => self.ready.push_back(packet),
            (Some(at), Some((doubted, doubted_at))) if doubted == stream => {
                let is_damage = self.follows(stream, at) || !NEAR.contains(&(at.saturating_sub(doubted_at)));
                if !is_damage {
                    self.latest.insert(stream, doubted_at);
                }
                self.decide(is_damage);
                self.judge(stream, at, packet);
            }
            (Some(at), None) => self.judge(stream, at, packet),
            (_, Some(_)) => self.held.push_back(packet),
        }
        if self.held.len() > MOST_HELD {
            self.decide(true);
        }
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) {
        self.decide(true);
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        self.ready.pop_front()
    }

    fn judge(&mut self, stream: usize, at: i64, packet: T) {
        if self.follows(stream, at) || !self.latest.contains_key(&stream) {
            self.latest.insert(stream, at);
            self.ready.push_back(packet);
        } else {
            self.doubted = Some((stream, at));
            self.held.push_back(packet);
        }
    }

    fn follows(&self, stream: usize, at: i64) -> bool {
        self.latest.get(&stream).is_some_and(|latest| NEAR.contains(&at.saturating_sub(*latest)))
    }

    fn decide(&mut self, is_damage: bool) {
        self.doubted = None;
        if is_damage {
            self.held.iter_mut().for_each(Forgetful::forget_times);
        }
        self.ready.append(&mut self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Forgetful for Option<i64> {
        fn forget_times(&mut self) {
            *self = None;
        }
    }

    /// Which of these seconds are believed; zero stands for a packet without a time of its own.
    fn believed(seconds: &[i64]) -> Vec<Option<i64>> {
        let mut outliers = Outliers::default();
        for second in seconds {
            let at = (*second != 0).then_some(second * TICKS);
            outliers.push(7, at, Some(*second));
        }
        outliers.finish();
        std::iter::from_fn(|| outliers.pop()).collect()
    }

    #[test]
    fn a_timestamp_far_off_is_believed_if_the_next_one_agrees() {
        assert_eq!(believed(&[1, 2, 900, 3]), [Some(1), Some(2), None, Some(3)]);
        assert_eq!(believed(&[1, 2, 900, 901, 902]), [1, 2, 900, 901, 902].map(Some));
        assert_eq!(believed(&[1, 900, 70, 71]), [Some(1), None, Some(70), Some(71)]);
        assert_eq!(believed(&[1, 900]), [Some(1), None]);
    }

    #[test]
    fn what_belongs_to_a_packet_in_doubt_waits_with_it() {
        assert_eq!(believed(&[1, 20, 0, 0, 21, 0]), [1, 20, 0, 0, 21, 0].map(Some));
        assert_eq!(believed(&[1, 900, 0, 2, 0]), [Some(1), None, None, Some(2), Some(0)]);
    }
}
