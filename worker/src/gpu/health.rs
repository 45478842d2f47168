//! Whether a GPU may be trusted: the breaker of one GPU.

use std::time::Duration;

use tokio::time::Instant;

use super::ledger::Passed;

/// Nameless failures in a row that are one too many.
const TOO_MANY: u32 = 3;
/// A GPU whose memory was full may have room again after this.
const REST: Duration = Duration::from_mins(1);
const FIRST_PROBE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_mins(10);
/// As soon as nobody works on it.
const SOON: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Health {
    /// Since the last success.
    failures: u32,
    state: HealthState,
    last: Option<String>,
}

#[derive(Clone, Copy, Debug, Default)]
enum HealthState {
    #[default]
    Well,
    /// Nothing is wrong with it but that it is full.
    Resting { until: Instant },
    /// A probe is due then; the next pause is longer.
    Quarantined { probe_at: Instant, pause: Duration },
}

impl Health {
    pub(super) fn after_trial(passed: &Passed) -> Self {
        Self { last: passed.error.clone(), ..Self::default() }
    }

    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    pub(super) fn rest(&mut self, why: &str, now: Instant) {
        self.last = Some(why.to_owned());
        if !self.is_quarantined() {
            self.state = HealthState::Resting { until: now + REST };
        }
    }

    pub(super) fn quarantine(&mut self, why: &str, now: Instant) {
        self.last = Some(why.to_owned());
        if !self.is_quarantined() {
            self.state = HealthState::Quarantined { probe_at: now + FIRST_PROBE, pause: FIRST_PROBE };
        }
    }

    pub(super) fn count(&mut self, why: &str, now: Instant) {
        self.failures += 1;
        if self.failures >= TOO_MANY {
            self.quarantine(&format!("{why} {} times in a row", self.failures), now);
        }
    }

    pub(super) fn probe_soon(&mut self, now: Instant) {
        if let HealthState::Quarantined { probe_at, .. } = &mut self.state {
            *probe_at = (*probe_at).min(now + SOON);
        }
    }

    pub(super) fn probe_failed(&mut self, why: &str, now: Instant) {
        self.last = Some(why.to_owned());
        if let HealthState::Quarantined { probe_at, pause } = &mut self.state {
            *pause = (*pause * 2).min(LONGEST_PAUSE);
            *probe_at = now + *pause;
        }
    }

    pub(super) fn probe_is_due(&self, now: Instant) -> bool {
        matches!(self.state, HealthState::Quarantined { probe_at, .. } if now >= probe_at)
    }

    pub(super) fn is_quarantined(&self) -> bool {
        matches!(self.state, HealthState::Quarantined { .. })
    }

    /// Why it takes no work; `None` if it does.
    pub(super) fn error(&self, now: Instant) -> Option<&str> {
        let stands_apart = match self.state {
            HealthState::Well => false,
            HealthState::Resting { until } => now < until,
            HealthState::Quarantined { .. } => true,
        };
        stands_apart.then(|| self.last.as_deref().unwrap_or("unknown failure"))
    }

    /// The last thing that went wrong, however long ago.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nameless_failures_are_forgiven_by_a_success_and_not_by_time() {
        let (mut health, now) = (Health::default(), Instant::now());
        for _ in 0..2 {
            health.count("it failed", now);
        }
        health.succeeded();
        for _ in 0..2 {
            health.count("it failed", now);
        }
        assert_eq!(health.error(now), None);
        health.count("it failed", now);
        assert_eq!(health.error(now), Some("it failed 3 times in a row"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_comes_later_each_time_it_fails_and_never_more_than_ten_minutes() {
        let (mut health, mut now) = (Health::default(), Instant::now());
        health.quarantine("gone", now);
        let mut pauses = Vec::new();
        for _ in 0..7 {
            let mut pause = 0;
            while !health.probe_is_due(now) {
                now += Duration::from_secs(1);
                pause += 1;
            }
            pauses.push(pause);
            health.probe_failed("still gone", now);
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600, 600]);
        assert_eq!(health.error(now), Some("still gone"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_gpu_rests_a_minute_and_a_broken_one_does_not_come_back_by_resting() {
        let (mut health, now) = (Health::default(), Instant::now());
        health.rest("full", now);
        assert_eq!((health.error(now), health.error(now + REST)), (Some("full"), None));
        health.quarantine("gone", now);
        health.rest("full", now);
        assert!(health.error(now + REST * 60).is_some());
    }
}
