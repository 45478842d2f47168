//! Whether this process is stopping, and how soon.

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    #[default]
    Working,
    /// No new jobs; running ones come to a boundary and are handed back.
    Draining,
    /// Everything ends at once.
    Leaving,
}

/// All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Stop(watch::Sender<Phase>);

impl Stop {
    pub fn drain(&self) {
        self.reach(Phase::Draining);
    }

    pub fn leave(&self) {
        self.reach(Phase::Leaving);
    }

    /// Asked once: drain. Asked again: leave.
    pub fn further(&self) {
        let next = if self.phase() == Phase::Working { Phase::Draining } else { Phase::Leaving };
        self.reach(next);
    }

    pub(super) fn phase(&self) -> Phase {
        *self.0.borrow()
    }

    pub(super) async fn reached(&self, phase: Phase) {
        let mut now = self.0.subscribe();
        // It fails only without a sender, and we hold one.
        let _reached = now.wait_for(|now| *now >= phase).await;
    }

    fn reach(&self, phase: Phase) {
        self.0.send_if_modified(|now| {
            let is_later = phase > *now;
            *now = phase.max(*now);
            is_later
        });
    }
}
