//! An answer that is kept for a moment: many who ask at once cost one look.

use std::fmt;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::clock::Clock;
use tokio::sync::Mutex;

use crate::error::Result;

const MOMENT: Duration = Duration::seconds(1);

pub(super) struct Kept<T>(Mutex<Option<(DateTime<Utc>, Result<T>)>>);

impl<T: Clone> Kept<T> {
    /// One asks, and who comes meanwhile waits for that answer, also if it is an error.
    pub(super) async fn get(&self, clock: &Clock, ask: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
        let mut kept = self.0.lock().await;
        if let Some((at, answer)) = kept.as_ref()
            && (Duration::zero()..MOMENT).contains(&(clock.now() - at))
        {
            return answer.clone();
        }
        let answer = ask().await;
        *kept = Some((clock.now(), answer.clone()));
        answer
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::error::ApiError;

    #[tokio::test]
    async fn a_crowd_costs_one_look_each_second() {
        let (kept, clock, looks) = (Kept::default(), Clock::manual(DateTime::UNIX_EPOCH), AtomicU32::new(0));
        let ask = || {
            kept.get(&clock, async || {
                tokio::task::yield_now().await;
                Ok(looks.fetch_add(1, Ordering::Relaxed))
            })
        };
        let answers = futures::future::join_all((0..50).map(|_| ask())).await;
        assert!(answers.into_iter().all(|answer| answer.unwrap() == 0));
        clock.advance(MOMENT);
        assert_eq!(ask().await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_failure_is_shared_too_and_asked_again_later() {
        let (kept, clock) = (Kept::<u32>::default(), Clock::manual(DateTime::UNIX_EPOCH));
        kept.get(&clock, async || Err(ApiError::stopping())).await.unwrap_err();
        kept.get(&clock, async || Ok(1)).await.unwrap_err();
        clock.advance(MOMENT);
        assert_eq!(kept.get(&clock, async || Ok(1)).await.unwrap(), 1);
    }
}
