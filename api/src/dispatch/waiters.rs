//! The claims that wait on this API, and which of them is woken.
//!
//! One hint wakes one claim, or all of them would ask the database for the same job. The woken one answers for the
//! hint: it found a job, there was none, or the job is not for it (it drains, it must leave the job to a GPU, its
//! connection ended). In the last case the next one is woken that has not looked since.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use framefarm_shared::queue::QueueType;
use tokio::sync::{Notify, mpsc, oneshot};

use super::Hint;

/// What became of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A job was claimed.
    Taken,
    /// Nothing is claimable any more.
    Nothing,
    /// Nobody who waits here can take it.
    NotHere,
}

/// What others should hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// Nobody here could take it.
    Claimable(Hint),
    /// A switch was changed: whoever waits may look again.
    LookAgain,
}

#[derive(Clone, Debug, Default)]
pub struct Waiters(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    registry: Mutex<Registry>,
    /// Notified when a claim begins to wait.
    came: Notify,
}

#[derive(Debug, Default)]
struct Registry {
    /// Counts hints and looks, so that each knows which came first.
    clock: u64,
    next_id: u64,
    all: BTreeMap<u64, Waiter>,
    outgoing: Option<mpsc::UnboundedSender<Outgoing>>,
}

#[derive(Debug)]
struct Waiter {
    kinds: Vec<QueueType>,
    /// When its last look began.
    looked: u64,
    /// It found nothing and waits.
    resting: bool,
    pending: Option<PendingHint>,
    wake: Arc<Notify>,
}

#[derive(Debug)]
struct PendingHint {
    hint: Hint,
    at: u64,
    /// `None` for a hint of this process.
    answer: Option<oneshot::Sender<Outcome>>,
}

impl Waiters {
    /// From now on, what nobody here can take is also told to `outgoing`.
    pub fn tell_others(&self, outgoing: mpsc::UnboundedSender<Outgoing>) {
        self.registry().outgoing = Some(outgoing);
    }

    /// To be called after the commit that made these jobs claimable.
    pub fn claimable(&self, hints: &[Hint]) {
        let mut registry = self.registry();
        for hint in hints {
            registry.offer(*hint, None);
        }
    }

    /// A hint from elsewhere; the answer comes when a claim has looked, or at once if nobody waits for such a job.
    pub fn hint(&self, hint: Hint) -> oneshot::Receiver<Outcome> {
        let (answer, outcome) = oneshot::channel();
        self.registry().offer(hint, Some(answer));
        outcome
    }

    /// A job of each of these kinds ended. If its queue has a limit, a job that waited for a place can go.
    pub fn freed(&self, kinds: &[QueueType]) {
        let registry = self.registry();
        for kind in kinds {
            let able = |waiter: &&Waiter| waiter.resting && waiter.kinds.contains(kind);
            if let Some(waiter) = registry.all.values().find(able) {
                waiter.wake.notify_one();
            }
        }
    }

    /// A switch was changed here: everybody looks, others too.
    pub fn switched(&self) {
        self.look_again();
        self.registry().tell(Outgoing::LookAgain);
    }

    /// Everybody who waits here looks.
    pub fn look_again(&self) {
        for waiter in self.registry().all.values() {
            waiter.wake.notify_one();
        }
    }

    /// Registers at once, so that a hint between a look at the database and the wait is not lost.
    pub fn listen(&self, kinds: &[QueueType]) -> Listening {
        let wake = Arc::new(Notify::new());
        let mut registry = self.registry();
        registry.next_id += 1;
        let id = registry.next_id;
        let waiter = Waiter {
            kinds: kinds.to_vec(),
            looked: registry.clock,
            resting: false,
            pending: None,
            wake: wake.clone(),
        };
        registry.all.insert(id, waiter);
        drop(registry);
        Listening { waiters: self.clone(), id, wake }
    }

    /// How many claims wait on this API.
    pub fn waiting(&self) -> usize {
        self.registry().all.values().filter(|waiter| waiter.resting).count()
    }

    /// Ends when at least one claim waits.
    pub async fn somebody_waits(&self) {
        loop {
            let came = self.0.came.notified();
            if self.waiting() > 0 {
                return;
            }
            came.await;
        }
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.0.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    fn offer(&mut self, hint: Hint, answer: Option<oneshot::Sender<Outcome>>) {
        self.clock += 1;
        let at = self.clock;
        self.wake_one(PendingHint { hint, at, answer });
    }

    /// Wakes the first who has not looked since; those who rest before those who look right now.
    fn wake_one(&mut self, pending: PendingHint) {
        let able = |waiter: &Waiter| {
            waiter.pending.is_none()
                && waiter.looked < pending.at
                && waiter.kinds.contains(&pending.hint.kind)
        };
        let resting = self.all.iter().find(|(_, waiter)| waiter.resting && able(waiter));
        let found = resting.or_else(|| self.all.iter().find(|(_, waiter)| able(waiter))).map(|(id, _)| *id);
        match found.and_then(|id| self.all.get_mut(&id)) {
            Some(waiter) => {
                waiter.pending = Some(pending);
                waiter.wake.notify_one();
            }
            None => self.nobody(pending),
        }
    }

    fn nobody(&self, pending: PendingHint) {
        match pending.answer {
            // Whoever asked may have gone.
            Some(answer) => drop(answer.send(Outcome::NotHere)),
            None => self.tell(Outgoing::Claimable(pending.hint)),
        }
    }

    fn tell(&self, message: Outgoing) {
        if let Some(outgoing) = &self.outgoing {
            // It ends with the process.
            let _ = outgoing.send(message);
        }
    }
}

/// A claim's place among those who wait, until it is dropped.
#[derive(Debug)]
pub struct Listening {
    waiters: Waiters,
    id: u64,
    wake: Arc<Notify>,
}

impl Listening {
    /// To be called before each look at the database: hints from then on need another one. The look answers for what
    /// it returns.
    pub fn look(&self) -> Option<Wakeup> {
        let mut registry = self.waiters.registry();
        registry.clock += 1;
        let now = registry.clock;
        let waiter = registry.all.get_mut(&self.id)?;
        (waiter.looked, waiter.resting) = (now, false);
        let pending = waiter.pending.take()?;
        Some(Wakeup { waiters: self.waiters.clone(), pending: Some(pending) })
    }

    /// Waits to be woken.
    pub async fn woken(&self) {
        if let Some(waiter) = self.waiters.registry().all.get_mut(&self.id) {
            waiter.resting = true;
        }
        self.waiters.0.came.notify_one();
        self.wake.notified().await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut registry = self.waiters.registry();
        if let Some(pending) = registry.all.remove(&self.id).and_then(|waiter| waiter.pending) {
            registry.wake_one(pending);
        }
    }
}

/// The duty to answer for a hint. Dropped without an answer, it passes to the next claim.
#[derive(Debug)]
pub struct Wakeup {
    waiters: Waiters,
    pending: Option<PendingHint>,
}

impl Wakeup {
    pub fn answer(mut self, outcome: Outcome) {
        let Some(pending) = self.pending.take() else { return };
        match outcome {
            Outcome::NotHere => self.waiters.registry().wake_one(pending),
            outcome => {
                if let Some(answer) = pending.answer {
                    let _ = answer.send(outcome);
                }
            }
        }
    }
}

impl Drop for Wakeup {
    fn drop(&mut self) {
        if let Some(pending) = self.pending.take() {
            self.waiters.registry().wake_one(pending);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::Level;
    use futures::FutureExt as _;

    const HINT: Hint = Hint { kind: QueueType::Transcode, level: Level::Normal };

    fn is_woken(listening: &Listening) -> bool {
        listening.woken().now_or_never().is_some()
    }

    /// A claim that has looked and found nothing.
    fn resting(waiters: &Waiters) -> Listening {
        let listening = waiters.listen(&[QueueType::Transcode]);
        assert!(listening.look().is_none());
        assert!(!is_woken(&listening));
        listening
    }

    fn others(waiters: &Waiters) -> mpsc::UnboundedReceiver<Outgoing> {
        let (outgoing, told) = mpsc::unbounded_channel();
        waiters.tell_others(outgoing);
        told
    }

    #[test]
    fn one_hint_wakes_one_claim() {
        let waiters = Waiters::default();
        let claims = [resting(&waiters), resting(&waiters), resting(&waiters)];
        waiters.claimable(&[HINT, HINT]);
        assert_eq!(claims.iter().filter(|claim| is_woken(claim)).count(), 2);
    }

    #[test]
    fn a_hint_during_a_look_is_looked_for_again() {
        let waiters = Waiters::default();
        let claim = waiters.listen(&[QueueType::Transcode]);
        assert!(claim.look().is_none());
        waiters.claimable(&[HINT]);
        assert!(is_woken(&claim), "it does not sleep through what came while it looked");
        claim.look().expect("it answers for the hint").answer(Outcome::Taken);
    }

    #[test]
    fn who_leaves_without_an_answer_passes_the_hint_on() {
        let waiters = Waiters::default();
        let (first, second) = (resting(&waiters), resting(&waiters));
        waiters.claimable(&[HINT]);
        assert!(is_woken(&first));
        drop(first);
        assert!(is_woken(&second), "woken, and gone before it looked");
        let wakeup = second.look();
        let third = resting(&waiters);
        drop((wakeup, second));
        assert!(!is_woken(&third), "it looked after the hint came");
    }

    #[test]
    fn a_job_that_is_not_for_this_claim_is_offered_to_each_other_once() {
        let waiters = Waiters::default();
        let mut told = others(&waiters);
        let claims = [resting(&waiters), resting(&waiters), resting(&waiters)];
        waiters.claimable(&[HINT]);
        for claim in &claims {
            assert!(is_woken(claim));
            claim.look().expect("a hint").answer(Outcome::NotHere);
        }
        assert!(claims.iter().all(|claim| !is_woken(claim)));
        assert_eq!(told.try_recv(), Ok(Outgoing::Claimable(HINT)), "and then to others");
        assert!(told.try_recv().is_err());
    }

    #[test]
    fn a_hint_from_elsewhere_is_answered_by_whoever_looked() {
        let waiters = Waiters::default();
        let claim = resting(&waiters);
        let mut outcome = waiters.hint(HINT);
        assert!(outcome.try_recv().is_err(), "nobody has looked");
        claim.look().expect("a hint").answer(Outcome::Nothing);
        assert_eq!(outcome.try_recv(), Ok(Outcome::Nothing));
        drop(claim);
        assert_eq!(waiters.hint(HINT).try_recv(), Ok(Outcome::NotHere), "nobody waits");
    }

    #[test]
    fn only_who_takes_that_kind_is_woken() {
        let waiters = Waiters::default();
        let mut told = others(&waiters);
        let previews = waiters.listen(&[QueueType::Preview]);
        assert!(previews.look().is_none());
        waiters.claimable(&[HINT]);
        assert!(!is_woken(&previews));
        assert_eq!(told.try_recv(), Ok(Outgoing::Claimable(HINT)));
    }
}
