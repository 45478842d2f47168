//! Deliveries under way: how many bytes may be staged at once, and whose turn it is to store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, Result};

/// So many parts of the largest size; smaller ones share the same room.
const LARGEST_AT_ONCE: u64 = 8;
/// Shorter than a worker waits for its bytes to move.
const PATIENCE: Duration = Duration::from_secs(10);
const UNIT: u64 = 1024;

pub struct Staging {
    units: u32,
    free: Arc<Semaphore>,
    turns: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl Staging {
    pub fn new(largest: u64) -> Self {
        let units = in_units(largest.saturating_mul(LARGEST_AT_ONCE));
        let free = Arc::new(Semaphore::new(usize::try_from(units).unwrap_or(Semaphore::MAX_PERMITS)));
        Self { units, free, turns: Mutex::default() }
    }

    /// Room for a delivery of this size, until it is dropped; 503 if others take it all for too long.
    pub async fn room(&self, bytes: u64) -> Result<OwnedSemaphorePermit> {
        self.room_within(bytes, PATIENCE).await
    }

    async fn room_within(&self, bytes: u64, patience: Duration) -> Result<OwnedSemaphorePermit> {
        let wanted = self.free.clone().acquire_many_owned(in_units(bytes).min(self.units));
        let Ok(room) = tokio::time::timeout(patience, wanted).await else {
            let detail = "Too many deliveries are under way; try again in a moment.";
            return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "deliveries_busy", detail)
                .header(header::RETRY_AFTER, HeaderValue::from_static("5")));
        };
        room.map_err(|error| ApiError::internal(&error))
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

fn in_units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn deliveries_share_a_bounded_room() {
        let staging = Staging::new(100 * UNIT);
        let mut held = Vec::new();
        for _ in 0..LARGEST_AT_ONCE {
            held.push(staging.room(100 * UNIT).await.expect("there is room"));
        }
        let at_once = Duration::ZERO;
        let error = staging.room_within(1, at_once).await.expect_err("all room is taken");
        assert_eq!((error.status.as_u16(), error.code), (503, "deliveries_busy"));
        held.pop();
        let _small = staging.room(60 * UNIT).await.expect("some room is free again");
        staging.room_within(60 * UNIT, at_once).await.expect_err("but not so much");
    }

    #[tokio::test]
    async fn one_that_is_larger_than_all_room_gets_all_of_it() {
        let staging = Staging::new(UNIT);
        drop(staging.room(u64::MAX).await.expect("all of it"));
    }

    #[tokio::test]
    async fn turns_that_nobody_holds_are_forgotten() {
        let staging = Staging::new(UNIT);
        for number in 0..100 {
            drop(staging.turn(&number.to_string()).await);
        }
        let _held = staging.turn("a").await;
        assert!(staging.turns.lock().expect("not poisoned").len() <= 2);
    }
}
