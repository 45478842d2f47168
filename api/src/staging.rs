//! Deliveries under way: how many bytes may be staged at once, and whose turn it is to store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use framefarm_shared::id::WorkerId;
use tokio::sync::{Notify, OwnedMutexGuard};

use crate::error::{ApiError, Result};

/// Number of parts of the largest size; smaller ones share the same room.
const LARGEST_AT_ONCE: u64 = 8;
/// Shorter than a worker waits for its bytes to move.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Staging {
    room: Arc<Room>,
    turns: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

/// Bytes, and who takes them.
struct Room {
    all: u64,
    taken: Mutex<HashMap<WorkerId, u64>>,
    given_back: Notify,
}

/// Room for one delivery; given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    room: Arc<Room>,
    worker: WorkerId,
    bytes: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.room.taken();
        let left = taken.get(&self.worker).map_or(0, |bytes| bytes.saturating_sub(self.bytes));
        if left == 0 {
            taken.remove(&self.worker);
        } else {
            taken.insert(self.worker, left);
        }
        drop(taken);
        self.room.given_back.notify_waiters();
    }
}

impl Room {
    fn taken(&self) -> MutexGuard<'_, HashMap<WorkerId, u64>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker gets more only while it has less than it leaves to others: one alone takes half of the room, however
    /// slow its bytes come, and there is some for the next.
    fn take(self: &Arc<Self>, worker: WorkerId, bytes: u64) -> Option<Place> {
        let mut taken = self.taken();
        let free = self.all.saturating_sub(taken.values().sum());
        let own = taken.entry(worker).or_default();
        let fits = bytes <= free && (*own == 0 || own.saturating_add(bytes) <= free);
        if fits {
            *own += bytes;
        } else if *own == 0 {
            taken.remove(&worker);
        }
        fits.then(|| Place { room: self.clone(), worker, bytes })
    }
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Room").field("all", &self.all).finish_non_exhaustive()
    }
}

impl Staging {
    pub fn new(largest: u64) -> Self {
        let all = largest.saturating_mul(LARGEST_AT_ONCE);
        let room = Room { all, taken: Mutex::default(), given_back: Notify::new() };
        Self { room: Arc::new(room), turns: Mutex::default() }
    }

    /// Room for a delivery of this size; 503 if it is all taken for too long.
    pub async fn room(&self, worker: WorkerId, bytes: u64) -> Result<Place> {
        self.room_within(worker, bytes, PATIENCE).await
    }

    async fn room_within(&self, worker: WorkerId, bytes: u64, patience: Duration) -> Result<Place> {
        let bytes = bytes.min(self.room.all);
        let taken = tokio::time::timeout(patience, async {
            loop {
                // Before the look: what is given back after it is heard.
                let given_back = self.room.given_back.notified();
                if let Some(place) = self.room.take(worker, bytes) {
                    return place;
                }
                given_back.await;
            }
        });
        taken.await.map_err(|_| {
            let detail = "Too many deliveries are in progress; retry shortly.";
            ApiError::unavailable("deliveries_busy", detail).retry_after(5)
        })
    }

    /// One at a time stores below a prefix: what was judged before must not be stored beside it meanwhile.
    pub async fn turn(&self, prefix: &str) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            let known = turns.get(prefix).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                turns.retain(|_, turn| turn.strong_count() > 0);
                let turn = Arc::default();
                turns.insert(prefix.to_owned(), Arc::downgrade(&turn));
                turn
            })
        };
        turn.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use framefarm_shared::clock::Clock;

    use super::*;

    const AT_ONCE: Duration = Duration::ZERO;

    fn worker() -> WorkerId {
        WorkerId::new(&Clock::manual(chrono::DateTime::UNIX_EPOCH))
    }

    #[tokio::test]
    async fn deliveries_share_a_bounded_room() {
        let staging = Staging::new(100);
        let mut held = Vec::new();
        for _ in 0..LARGEST_AT_ONCE {
            held.push(staging.room(worker(), 100).await.expect("there is room"));
        }
        let error = staging.room_within(worker(), 1, AT_ONCE).await.expect_err("all room is taken");
        assert_eq!((error.status.as_u16(), error.code), (503, "deliveries_busy"));
        held.pop();
        let _small = staging.room(worker(), 60).await.expect("some room is free again");
        staging.room_within(worker(), 60, AT_ONCE).await.expect_err("but not so much");
    }

    #[tokio::test]
    async fn one_worker_leaves_room_for_the_next() {
        let staging = Staging::new(100);
        let greedy = worker();
        let mut held = Vec::new();
        while let Ok(place) = staging.room_within(greedy, 100, AT_ONCE).await {
            held.push(place);
        }
        assert_eq!(held.len(), 4);
        let _others =
            [staging.room(worker(), 100).await.unwrap(), staging.room(worker(), 100).await.unwrap()];
    }

    #[tokio::test]
    async fn who_waits_gets_what_is_given_back() {
        let staging = Staging::new(100);
        let all = staging.room(worker(), 800).await.unwrap();
        let (place, ()) = tokio::join!(staging.room(worker(), 1), async move {
            tokio::task::yield_now().await;
            drop(all);
        });
        place.unwrap();
        assert!(staging.room.taken().is_empty());
    }

    #[tokio::test]
    async fn one_that_is_larger_than_all_room_gets_all_of_it() {
        let staging = Staging::new(1);
        drop(staging.room(worker(), u64::MAX).await.expect("all of it"));
    }

    #[tokio::test]
    async fn turns_that_nobody_holds_are_forgotten() {
        let staging = Staging::new(1);
        for number in 0..100 {
            drop(staging.turn(&number.to_string()).await);
        }
        let _held = staging.turn("a").await;
        assert!(staging.turns.lock().expect("not poisoned").len() <= 2);
    }
}
