//! Tries again, later and later.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::CallError;

/// How patient a caller is. Pauses double from `first` to `longest`, each cut by chance to between half and all of
/// itself, so that workers that failed together do not come back together. A farm without room is waited for however long
/// it takes: the claim ends the wait if somebody takes it away.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    pub first: Duration,
    pub longest: Duration,
    pub give_up_after: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        let give_up_after = Duration::from_mins(10);
        Self { first: Duration::from_millis(500), longest: Duration::from_secs(30), give_up_after }
    }
}

impl Backoff {
    pub(super) fn start(self) -> Pauses {
        Pauses { backoff: self, next: self.first, since: Instant::now() }
    }
}

/// The pauses of one row of attempts.
pub(super) struct Pauses {
    backoff: Backoff,
    next: Duration,
    since: Instant,
}

impl Pauses {
    /// Waits if trying again can help, and gives the error back if not.
    pub(super) async fn pause(&mut self, error: CallError) -> Result<(), CallError> {
        let (after, has_end) = match &error {
            CallError::TryAgain { after, .. } => (after, true),
            CallError::NoRoom { after, .. } => (after, false),
            _ => return Err(error),
        };
        let pause = self.next.mul_f64(rand::random_range(0.5..=1.0)).max(after.unwrap_or_default());
        if has_end && self.since.elapsed() + pause > self.backoff.give_up_after {
            return Err(error);
        }
        tracing::debug!(error = %error, "retrying in {pause:?}");
        sleep(pause).await;
        if !has_end {
            self.since = Instant::now();
        }
        self.next = (self.next * 2).min(self.backoff.longest);
        Ok(())
    }

    /// Something went well in between: patience is whole again.
    pub(super) fn reset(&mut self) {
        *self = self.backoff.start();
    }
}

/// Calls until it works, trying again cannot help, or the patience ends.
pub async fn retry<T, F>(backoff: Backoff, mut call: impl FnMut() -> F) -> Result<T, CallError>
where
    F: Future<Output = Result<T, CallError>>,
{
    let mut pauses = backoff.start();
    loop {
        match call().await {
            Ok(reply) => return Ok(reply),
            Err(error) => pauses.pause(error).await?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn busy(after: Option<Duration>) -> CallError {
        CallError::TryAgain { detail: "busy".to_owned(), after }
    }

    #[tokio::test(start_paused = true)]
    async fn it_tries_until_it_works() {
        let calls = Cell::new(0);
        let third_time_lucky = || {
            calls.set(calls.get() + 1);
            let number = calls.get();
            async move { if number < 3 { Err(busy(None)) } else { Ok(number) } }
        };
        assert_eq!(retry(Backoff::default(), third_time_lucky).await.unwrap(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn it_waits_as_long_as_the_farm_asks() {
        let started = Instant::now();
        let mut answers = vec![Ok(()), Err(busy(Some(Duration::from_secs(77))))];
        retry(Backoff::default(), || std::future::ready(answers.pop().unwrap())).await.unwrap();
        assert_eq!(started.elapsed().as_secs(), 77);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends() {
        let started = Instant::now();
        let result = retry(Backoff::default(), || async { Err::<(), _>(busy(None)) }).await;
        assert!(matches!(result, Err(CallError::TryAgain { .. })));
        assert!(started.elapsed() > Duration::from_mins(9) && started.elapsed() <= Duration::from_mins(10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_farm_without_room_is_waited_for_until_it_has_some() {
        let started = Instant::now();
        let calls = Cell::new(0);
        let full_for_an_hour = || {
            calls.set(calls.get() + 1);
            let is_full = started.elapsed() < Duration::from_hours(1);
            let full =
                || CallError::NoRoom { detail: "full".to_owned(), after: Some(Duration::from_secs(30)) };
            async move { if is_full { Err(full()) } else { Ok(()) } }
        };
        retry(Backoff::default(), full_for_an_hour).await.unwrap();
        assert!(started.elapsed() >= Duration::from_hours(1));
        assert!((60..=121).contains(&calls.get()), "{} calls in an hour", calls.get());
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_is_not_tried_again() {
        let calls = Cell::new(0);
        let stop = || {
            calls.set(calls.get() + 1);
            async { Err::<(), _>(CallError::Stop { code: "fenced".to_owned(), detail: String::new() }) }
        };
        assert!(retry(Backoff::default(), stop).await.is_err());
        assert_eq!(calls.get(), 1);
    }
}
