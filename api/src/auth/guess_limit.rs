//! How often a secret may be guessed wrong: by one address, and by all strangers together.
//!
//! Each guess is paid for before it is looked at, so that many at once gain nothing; a right one gets its price back.
//! The budget of all strangers refuses nobody at once: who finds it empty waits, and whoever wakes first goes on, so
//! that a crowd of guessers delays the admin but does not lock the door. An address that was right before does not
//! share that budget.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::budget::{Budget, Quota};
use crate::error::{ApiError, Result};
use crate::proxy::network;

const BY_ADDRESS: Quota = Quota { at_once: 10, refill: Duration::from_secs(6) };
const BY_STRANGERS: Quota = Quota { at_once: 60, refill: Duration::from_millis(500) };
/// How long a stranger waits for a turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// Strangers that wait at once.
const MOST_WAITING: usize = 100;
/// Addresses that are remembered before those with a full budget are dropped.
const MOST_ADDRESSES: usize = 10_000;
const MOST_KNOWN: usize = 1_000;

pub(super) struct GuessLimit {
    /// What is guessed, for the error message.
    what: &'static str,
    code: &'static str,
    state: Mutex<State>,
    waiting: Semaphore,
}

struct State {
    by_address: HashMap<IpAddr, Budget>,
    by_strangers: Budget,
    /// Addresses that were right.
    known: HashSet<IpAddr>,
}

/// A guess that was paid for.
#[must_use]
pub(super) struct Guess<'a> {
    limit: &'a GuessLimit,
    address: IpAddr,
    by_stranger: bool,
}

/// Where no connection is known (tests call the router directly), all callers share one budget.
const UNKNOWN: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

impl GuessLimit {
    pub(super) fn new(what: &'static str, code: &'static str) -> Self {
        let state = State {
            by_address: HashMap::new(),
            by_strangers: Budget::full(Instant::now()),
            known: HashSet::new(),
        };
        Self { what, code, state: Mutex::new(state), waiting: Semaphore::new(MOST_WAITING) }
    }

    /// To be called before the guess is compared.
    pub(super) async fn pay(&self, address: Option<IpAddr>) -> Result<Guess<'_>> {
        let address = network(address.unwrap_or(UNKNOWN));
        let by_stranger = {
            let (mut state, now) = (self.state(), Instant::now());
            state.forget_the_quiet(now);
            let budget = state.by_address.entry(address).or_insert_with(|| Budget::full(now));
            budget.take(BY_ADDRESS, now).map_err(|wait| self.refusal(wait))?;
            !state.known.contains(&address)
        };
        if by_stranger && let Err(wait) = self.turn().await {
            self.state().give_back(address);
            return Err(self.refusal(wait));
        }
        Ok(Guess { limit: self, address, by_stranger })
    }

    async fn turn(&self) -> std::result::Result<(), Duration> {
        let Err(mut wait) = self.take_turn() else { return Ok(()) };
        let Ok(_place) = self.waiting.try_acquire() else { return Err(PATIENCE) };
        let latest = Instant::now() + PATIENCE;
        while Instant::now() + wait <= latest {
            tokio::time::sleep(wait).await;
            match self.take_turn() {
                Ok(()) => return Ok(()),
                Err(longer) => wait = longer,
            }
        }
        Err(wait)
    }

    fn take_turn(&self) -> std::result::Result<(), Duration> {
        self.state().by_strangers.take(BY_STRANGERS, Instant::now())
    }

    fn refusal(&self, wait: Duration) -> ApiError {
        let seconds = wait.as_secs() + 1;
        let detail = format!("Too many incorrect {}; retry in {seconds} s.", self.what);
        ApiError::too_many(self.code, detail).retry_after(seconds)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_the_quiet(&mut self, now: Instant) {
        if self.by_address.len() > MOST_ADDRESSES {
            self.by_address.retain(|_, budget| !budget.is_full(now));
        }
    }

    fn give_back(&mut self, address: IpAddr) {
        if let Some(budget) = self.by_address.get_mut(&address) {
            budget.give_back(BY_ADDRESS);
        }
    }
}

impl Guess<'_> {
    pub(super) fn was_right(self) {
        let mut state = self.limit.state();
        state.give_back(self.address);
        if self.by_stranger {
            state.by_strangers.give_back(BY_STRANGERS);
        }
        if state.known.len() < MOST_KNOWN {
            state.known.insert(self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use axum::http::StatusCode;
    use futures::StreamExt as _;

    use super::*;

    fn limit() -> GuessLimit {
        GuessLimit::new("passwords", "too_many_logins")
    }

    fn v4(host: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + host))
    }

    #[tokio::test]
    async fn the_eleventh_wrong_guess_of_an_address_waits_and_others_do_not() {
        let limit = limit();
        let guesser = Some(IpAddr::V6(Ipv6Addr::new(1, 2, 3, 4, 5, 6, 7, 8)));
        let same_house = Some(IpAddr::V6(Ipv6Addr::new(1, 2, 3, 4, 9, 9, 9, 9)));
        for _ in 0..10 {
            let _wrong = limit.pay(guesser).await.unwrap();
        }
        let Err(refusal) = limit.pay(same_house).await else { panic!("an eleventh guess") };
        assert_eq!((refusal.status, refusal.code), (StatusCode::TOO_MANY_REQUESTS, "too_many_logins"));
        assert!(limit.pay(Some(v4(1))).await.is_ok());
    }

    #[tokio::test]
    async fn right_guesses_cost_nothing() {
        let limit = limit();
        for host in 0..1_000 {
            limit.pay(Some(v4(host % 3))).await.unwrap().was_right();
        }
    }

    #[tokio::test]
    async fn many_addresses_together_are_slowed_down_and_nobody_is_locked_out() {
        let limit = std::sync::Arc::new(limit());
        limit.pay(Some(v4(9_999))).await.unwrap().was_right();
        let began = Instant::now();
        for host in 0..60 {
            let _wrong = limit.pay(Some(v4(host))).await.unwrap();
        }
        // The sixty-first and another stranger wait for their turns.
        let other = tokio::spawn({
            let limit = limit.clone();
            async move { limit.pay(Some(v4(61))).await.is_ok() }
        });
        assert!(limit.pay(Some(v4(60))).await.is_ok());
        assert!(other.await.unwrap());
        assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
        // An address that was right before shares no budget with them.
        let guess = limit.pay(Some(v4(9_999))).await.unwrap();
        assert!(!guess.by_stranger);
        guess.was_right();
    }

    #[tokio::test]
    async fn a_crowd_that_waits_is_bounded() {
        let limit = limit();
        let crowd = (0..500).map(|host| limit.pay(Some(v4(host))));
        let refused = futures::stream::iter(crowd)
            .buffer_unordered(500)
            .filter(|paid| std::future::ready(paid.is_err()));
        // Those who find no place are refused at once, long before the others give up.
        let first: Vec<_> = refused.take(500 - 60 - MOST_WAITING).collect().await;
        assert!(
            first.into_iter().all(|paid| paid.err().is_some_and(|error| error.code == "too_many_logins"))
        );
    }
}
