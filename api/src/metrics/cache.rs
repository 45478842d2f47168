//! The farm metrics, queried from the database at most every few seconds, and less often if the query is slow.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::sheet::{Sheet, flag};
use super::{encode, farm};
use crate::app::App;
use crate::error::Result;

/// Scrapes give up after ten seconds, as a rule.
const PATIENCE: Duration = Duration::from_secs(4);
/// Asking takes at most one part in so many of the time.
const SHARE: u32 = 20;

#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    text: String,
    at: Instant,
    cost: Duration,
}

impl Cache {
    /// One scrape asks, others that come meanwhile get what it found.
    pub(super) async fn text(&self, app: &App) -> Result<String> {
        let least = Duration::from_secs(app.settings.metrics.metrics_cache_seconds.into());
        let mut kept = self.0.lock().await;
        if let Some(kept) = kept.as_ref().filter(|kept| kept.at.elapsed() < rest(least, kept.cost)) {
            return Ok(kept.text.clone());
        }
        let began = Instant::now();
        let text = ask(app, began).await?;
        *kept = Some(Kept { text: text.clone(), at: Instant::now(), cost: began.elapsed() });
        Ok(text)
    }
}

/// How long an answer is kept.
fn rest(least: Duration, cost: Duration) -> Duration {
    if least.is_zero() { Duration::ZERO } else { least.max(cost * SHARE) }
}

/// Figures that could not be had are left out rather than old.
async fn ask(app: &App, began: Instant) -> Result<String> {
    let found = match tokio::time::timeout(PATIENCE, farm::sheet(app)).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            tracing::warn!(%error, "cannot collect the farm metrics");
            None
        }
        Err(_) => {
            tracing::warn!("collecting the farm metrics took longer than {PATIENCE:?}");
            None
        }
    };
    let sheet = Sheet::new();
    sheet.one(
        "framefarm_collect_success",
        "1 if the farm metrics were collected; 0 if they are missing from this scrape.",
        flag(found.is_some()),
    )?;
    sheet.one(
        "framefarm_collect_duration_seconds",
        "Time it took to collect the farm metrics. They are cached for 20 times as long, at least metrics_cache_seconds.",
        began.elapsed().as_secs_f64(),
    )?;
    let mut text = encode(&sheet.registry())?;
    if let Some(found) = found {
        text += &encode(&found)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expensive_is_asked_for_seldom() {
        let (least, cheap) = (Duration::from_secs(5), Duration::from_millis(3));
        assert_eq!(rest(least, cheap), least);
        assert_eq!(rest(least, Duration::from_secs(2)), Duration::from_secs(40));
        assert_eq!(rest(Duration::ZERO, Duration::from_secs(2)), Duration::ZERO);
    }
}
