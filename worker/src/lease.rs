//! The worker's own view of one lease.
//!
//! Only elapsed time and a definite no count: a hundred failed renewals lose nothing while the last successful one
//! still holds. The time runs from the moment the renewing request was *sent*, since the farm renewed at some
//! moment after that, and ends a tenth early, so that the worker has stopped before anyone else may start.

use std::time::Duration;

use tokio::time::Instant;

/// A lease that was granted once. What is lost stays lost.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    length: Duration,
    renewed_at: Instant,
    denied: bool,
}

impl Lease {
    pub fn granted(sent_at: Instant, length: Duration) -> Self {
        Self { length, renewed_at: sent_at, denied: false }
    }

    /// Takes note of a successful renewal. A reply that names no length leaves the length as it was; a reply that
    /// was overtaken by a later one changes nothing.
    pub fn renewed(&mut self, sent_at: Instant, length: Option<Duration>) {
        if sent_at < self.renewed_at {
            return;
        }
        self.renewed_at = sent_at;
        self.length = length.unwrap_or(self.length);
    }

    /// The farm said that the claim is gone.
    pub fn deny(&mut self) {
        self.denied = true;
    }

    pub fn is_lost(&self, now: Instant) -> bool {
        self.denied || now >= self.runs_out_at()
    }

    /// When the lease is lost unless it is renewed before.
    pub fn runs_out_at(&self) -> Instant {
        self.renewed_at + self.length.mul_f64(0.9)
    }

    pub fn length(&self) -> Duration {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(100);

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn a_lease_is_lost_a_tenth_before_its_end() {
        let sent = Instant::now();
        let lease = Lease::granted(sent, LENGTH);
        assert!(!lease.is_lost(sent + seconds(89)));
        assert!(lease.is_lost(sent + seconds(90)));
    }

    #[test]
    fn a_renewal_just_in_time_saves_the_lease_however_many_failed_before() {
        let sent = Instant::now();
        let mut lease = Lease::granted(sent, LENGTH);
        lease.renewed(sent + seconds(89), Some(LENGTH));
        assert!(!lease.is_lost(sent + seconds(89 + 89)));
        assert!(lease.is_lost(sent + seconds(89 + 90)));
    }

    #[test]
    fn a_definite_no_loses_it_at_once_and_no_renewal_brings_it_back() {
        let sent = Instant::now();
        let mut lease = Lease::granted(sent, LENGTH);
        lease.deny();
        assert!(lease.is_lost(sent));
        lease.renewed(sent + seconds(1), Some(LENGTH));
        assert!(lease.is_lost(sent + seconds(1)));
    }

    #[test]
    fn a_reply_without_a_length_keeps_the_old_one() {
        let sent = Instant::now();
        let mut lease = Lease::granted(sent, LENGTH);
        lease.renewed(sent + seconds(50), None);
        assert!(!lease.is_lost(sent + seconds(50 + 89)));
        lease.renewed(sent + seconds(60), Some(seconds(10)));
        assert!(lease.is_lost(sent + seconds(69)));
    }

    #[test]
    fn an_overtaken_reply_does_not_shorten_the_lease() {
        let sent = Instant::now();
        let mut lease = Lease::granted(sent, LENGTH);
        lease.renewed(sent + seconds(50), None);
        lease.renewed(sent + seconds(20), None);
        assert_eq!(lease.runs_out_at(), sent + seconds(50 + 90));
    }
}
