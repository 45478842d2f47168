//! Waits until something is so. There is nobody to tell: the database and `/proc` are looked at again and again.

use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(40);
const PATIENCE: Duration = Duration::from_secs(100);

pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(started.elapsed() < PATIENCE, "in vain: {what}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
