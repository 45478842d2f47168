//! Whether enough of a file comes. A server that sends a byte a minute would hold a place among those fetched at once for
//! ever.

use std::time::{Duration, Instant};

/// Long enough for a server that fetches the file from a tape first.
pub(super) const WINDOW: Duration = Duration::from_mins(5);

/// Looks at one window after the other.
#[derive(Debug)]
pub(super) struct Pace {
    bytes_a_second: u64,
    since: Instant,
    came: u64,
}

impl Pace {
    pub(super) fn start(bytes_a_second: u64, now: Instant) -> Self {
        Self { bytes_a_second, since: now, came: 0 }
    }

    /// More came. `false` if it was too little in the window that ended with it.
    pub(super) fn is_kept_with(&mut self, bytes: usize, now: Instant) -> bool {
        self.came = self.came.saturating_add(bytes as u64);
        let elapsed = now.saturating_duration_since(self.since);
        if elapsed < WINDOW {
            return true;
        }
        let kept = self.came >= self.bytes_a_second.saturating_mul(elapsed.as_secs());
        (self.since, self.came) = (now, 0);
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    /// How many minutes a sender of so many bytes a minute is borne, up to an hour.
    fn borne(bytes_a_minute: usize) -> u32 {
        let start = Instant::now();
        let mut pace = Pace::start(1000, start);
        let is_last = |minute: &u32| !pace.is_kept_with(bytes_a_minute, start + *minute * MINUTE);
        (1..60).find(is_last).unwrap_or(60)
    }

    #[test]
    fn who_sends_too_little_in_a_window_is_given_up() {
        assert_eq!(borne(1), 5);
        assert_eq!(borne(59_999), 5);
        assert_eq!(borne(60_000), 60);
    }

    #[test]
    fn a_pause_within_a_window_is_fine_and_one_good_window_excuses_no_other() {
        let start = Instant::now();
        let mut pace = Pace::start(1000, start);
        assert!(pace.is_kept_with(0, start + 4 * MINUTE));
        assert!(pace.is_kept_with(10_000_000, start + 5 * MINUTE));
        assert!(!pace.is_kept_with(1, start + 10 * MINUTE));
    }
}
