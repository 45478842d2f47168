//! Brings hints back that Redis lost, and forgets instances that read them no more.
//!
//! Hints are sent right after the commit that makes a job claimable. If the process dies between the two, or Redis
//! loses what it had, the streams are empty while jobs wait: then the best of them are told again.

use chrono::Duration;

use super::Counts;
use crate::app::App;
use crate::db::job;
use crate::dispatch::{self, Hint};
use crate::error::Result;

/// A hint that is on its way has arrived by then.
const SETTLED: Duration = Duration::seconds(2);
/// Enough to wake every worker; whoever finishes a job asks for the next by itself.
const HINTS: i64 = 100;

pub async fn run_once(app: App) -> Result<Counts> {
    let waiting = job::claim::claimable_since(&app.db, app.clock.now() - SETTLED, HINTS).await?;
    let waiting: Vec<_> = waiting.into_iter().map(Hint::from).collect();
    match dispatch::repair(&app, &waiting).await {
        Ok((hints, instances)) => Ok(vec![("hints_sent_again", hints), ("instances_forgotten", instances)]),
        // The breaker has said so.
        Err(error) => {
            tracing::debug!(%error, "cannot repair the streams now");
            Ok(Counts::new())
        }
    }
}
