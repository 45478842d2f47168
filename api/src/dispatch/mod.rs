//! How a waiting worker hears that something became claimable.
//!
//! A wake-up is a hint and never carries a job: whoever wakes asks the database. Losing one costs at most the
//! poll interval. A claim that waits on the instance where a job became claimable is woken directly; otherwise the hint
//! goes to one instance through Redis (`streams`), or to all of them (`cluster`) where there is none.

mod hint;
mod publisher;
mod reader;
mod streams;
mod waiters;

pub use hint::{Hint, Level};
pub use waiters::{Listening, Outcome, Outgoing, Waiters, Wakeup};

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use self::streams::Streams;
use crate::app::App;
use crate::broker::{Broker, BrokerError};
use crate::config::JobQueueMode;

/// An instance that has been silent for this long and owes nothing is forgotten.
const FORGOTTEN: Duration = Duration::from_hours(1);

/// Publishes and reads hints until the app stops.
pub fn start(app: &App, tasks: &mut JoinSet<()>) {
    let streams = streams_of(app);
    if let Some((broker, streams)) = streams.clone() {
        tasks.spawn(reader::run(app.clone(), broker, streams));
    }
    let (sender, outgoing) = mpsc::unbounded_channel();
    app.waiters.tell_others(sender);
    tasks.spawn(publisher::run(app.clone(), streams, outgoing));
}

fn streams_of(app: &App) -> Option<(Broker, Streams)> {
    let wanted = app.settings.job_queue_mode != JobQueueMode::Database;
    let broker = app.broker.clone().filter(|_| wanted)?;
    let streams = Streams::new(&broker, app.boot.to_string());
    Some((broker, streams))
}

/// Brings hints back that were lost with Redis, and removes instances that are gone. `claimable` are the best jobs that
/// have been waiting for a while; if nothing is on its way in the streams, nobody was told of them.
pub async fn repair(app: &App, claimable: &[Hint]) -> Result<(u64, u64), BrokerError> {
    let Some((broker, streams)) = streams_of(app) else { return Ok((0, 0)) };
    let now = app.clock.now();
    broker
        .call(async |mut connection| {
            let told = streams.length(&mut connection).await? > 0;
            let hints = if told { &[] } else { claimable };
            streams.publish(&mut connection, hints, now).await?;
            let gone = streams.forget_idle(&mut connection, FORGOTTEN).await?;
            Ok((hints.len() as u64, gone))
        })
        .await
}
