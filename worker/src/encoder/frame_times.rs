//! When decoded frames are shown, where not every one of them says so.
//!
//! Frames leave a decoder in the order they are shown, packets enter it in the order they are decoded. So the n-th frame is
//! shown at the n-th smallest decoding time, later by a lead that frames with both times tell.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::time::TICKS;

/// How far behind the frame before a frame's time may be, where times are guessed.
const SLIP: i64 = TICKS / 2;

#[derive(Debug, Default)]
pub(super) struct FrameTimes {
    /// The container has a time for some frames only, and libav counts on from those. Its count slips at times, by the frames
    /// that a new group of pictures is shown behind.
    guessed: bool,
    /// The decoding times of packets whose frames did not come yet.
    waiting: BinaryHeap<Reverse<i64>>,
    lead: i64,
    /// Behind the last frame.
    next: Option<i64>,
}

impl FrameTimes {
    pub(super) fn new(guessed: bool) -> Self {
        Self { guessed, ..Self::default() }
    }

    /// A packet went into the decoder, which may hold so many.
    pub(super) fn sent(&mut self, decoded_at: Option<i64>, depth: usize) {
        self.waiting.extend(decoded_at.map(Reverse));
        // A packet without a frame must not delay all that follow.
        while self.waiting.len() > depth {
            self.waiting.pop();
        }
    }

    /// A frame came out: when it is shown. `length` is how long a frame lasts where nothing tells.
    pub(super) fn received(&mut self, shown_at: Option<i64>, length: i64) -> i64 {
        let earliest = self.waiting.pop().map(|Reverse(at)| at);
        let at = match (shown_at, earliest) {
            (Some(shown_at), earliest) => {
                self.lead = earliest.map_or(self.lead, |earliest| shown_at - earliest);
                shown_at
            }
            (None, Some(earliest)) => earliest + self.lead,
            (None, None) => self.next.unwrap_or(0),
        };
        let slipped = |next: &i64| self.guessed && (0..SLIP).contains(&(next - length - at));
        let at = self.next.filter(slipped).unwrap_or(at);
        self.next = Some(at + length);
        at
    }

    /// Where the next frame is expected.
    pub(super) fn next(&self) -> Option<i64> {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decoding times only, and a decoder that holds two frames back.
    #[test]
    fn frames_without_times_are_shown_at_the_decoding_times_in_order() {
        let mut times = FrameTimes::default();
        let mut shown = vec![];
        for packet in 0..10 {
            times.sent(Some(packet * 100), 4);
            if packet >= 2 {
                shown.push(times.received(None, 100));
            }
        }
        shown.extend([times.received(None, 100), times.received(None, 100)]);
        assert_eq!(shown, (0..10).map(|frame| frame * 100).collect::<Vec<_>>());
    }

    #[test]
    fn a_frame_without_a_time_is_as_far_from_its_decoding_time_as_its_neighbours() {
        let mut times = FrameTimes::default();
        times.sent(Some(0), 8);
        times.sent(Some(100), 8);
        assert_eq!(times.received(Some(200), 100), 200);
        assert_eq!(times.received(None, 100), 300);
        assert_eq!(times.received(None, 100), 400);
    }

    #[test]
    fn a_guess_that_slips_back_costs_no_frame() {
        let slipped = [0, 100, 200, 300, 200, 300, 400, 700, 800];
        let times = |guessed| {
            let mut times = FrameTimes::new(guessed);
            slipped.map(|at| times.received(Some(at), 100))
        };
        assert_eq!(times(true), [0, 100, 200, 300, 400, 500, 600, 700, 800]);
        assert_eq!(times(false), slipped);
    }

    #[test]
    fn packets_that_give_no_frame_delay_nothing_for_long() {
        let mut times = FrameTimes::default();
        (0..50).for_each(|packet| times.sent(Some(packet * 100), 2));
        assert_eq!(times.received(None, 100), 4800);
    }
}
