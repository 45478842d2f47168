//! One request at a time works on an upload, and a newer one takes over from an older one.
//!
//! A client whose connection died comes back while the server still waits for bytes on the dead one. Whoever holds
//! the lock therefore watches [`Held::wanted`] and lets go, keeping what it has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use framefarm_shared::id::UploadId;
use tokio::sync::{OwnedMutexGuard, watch};

use crate::error::{ApiError, Result};

/// Longer than the sync of a slow disk, shorter than a client's patience.
const HAND_OVER: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct Locks(Mutex<HashMap<UploadId, Weak<Slot>>>);

struct Slot {
    turn: Arc<tokio::sync::Mutex<()>>,
    waiting: watch::Sender<usize>,
}

/// The right to change an upload, until it is dropped.
pub struct Held {
    slot: Arc<Slot>,
    _turn: OwnedMutexGuard<()>,
}

impl Held {
    /// Ends when a newer request waits for this upload.
    pub async fn wanted(&self) {
        let mut waiting = self.slot.waiting.subscribe();
        // The sender lives in the slot, which we hold: this cannot fail.
        let _ = waiting.wait_for(|count| *count > 0).await;
    }
}

struct Waiting<'a>(&'a Slot);

impl<'a> Waiting<'a> {
    fn on(slot: &'a Slot) -> Self {
        slot.waiting.send_modify(|count| *count += 1);
        Self(slot)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|count| *count -= 1);
    }
}

impl Locks {
    fn slot(&self, id: UploadId) -> Arc<Slot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(&id).and_then(Weak::upgrade) {
            return slot;
        }
        slots.retain(|_, slot| slot.strong_count() > 0);
        let slot = Arc::new(Slot { turn: Arc::default(), waiting: watch::Sender::new(0) });
        slots.insert(id, Arc::downgrade(&slot));
        slot
    }

    pub(super) fn hold_if_free(&self, id: UploadId) -> Option<Held> {
        let slot = self.slot(id);
        let turn = slot.turn.clone().try_lock_owned().ok()?;
        Some(Held { slot, _turn: turn })
    }

    pub(super) async fn hold(&self, id: UploadId) -> Result<Held> {
        let slot = self.slot(id);
        let turn = {
            let _waiting = Waiting::on(&slot);
            tokio::time::timeout(HAND_OVER, slot.turn.clone().lock_owned()).await
        };
        match turn {
            Ok(turn) => Ok(Held { slot, _turn: turn }),
            Err(_) => {
                Err(ApiError::locked("upload_locked", "Another request is using this upload; retry shortly."))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> UploadId {
        UploadId(uuid::Uuid::from_u128(7))
    }

    #[tokio::test]
    async fn a_newer_request_is_noticed_and_gets_its_turn() {
        let locks = Locks::default();
        let first = locks.hold(id()).await.expect("nobody else is there");
        let hand_over = async {
            first.wanted().await;
            drop(first);
        };
        let (second, ()) = tokio::join!(locks.hold(id()), hand_over);
        assert!(second.is_ok());
        assert!(locks.hold_if_free(id()).is_none());
    }

    #[tokio::test]
    async fn locks_that_nobody_holds_are_forgotten() {
        let locks = Locks::default();
        for n in 0..100 {
            drop(locks.hold(UploadId(uuid::Uuid::from_u128(n))).await);
        }
        let _held = locks.hold(id()).await;
        assert!(locks.0.lock().expect("not poisoned").len() <= 2);
    }
}
