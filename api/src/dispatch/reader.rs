//! Takes hints from the streams while claims wait here.

use std::collections::VecDeque;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::time::Instant;

use super::Outcome;
use super::streams::{Entry, Streams, is_missing};
use crate::app::App;
use crate::broker::{Broker, BrokerError, Connection};
use crate::cluster::ClusterMessage;

/// One read waits this long; also the longest that a stop waits for it.
const WAIT: Duration = Duration::from_secs(2);
/// A look takes milliseconds: whoever owes an answer for this long is gone.
const ABANDONED: Duration = Duration::from_secs(10);
/// After an error that is no outage.
const PAUSE: Duration = Duration::from_millis(250);

/// Runs until the app stops.
pub(super) async fn run(app: App, broker: Broker, streams: Streams) {
    loop {
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            () = app.waiters.somebody_waits() => {}
        }
        let Err(error) = read_on(&app, &broker, &streams).await else { return };
        tracing::debug!(%error, "cannot read hints from Redis; polling the database instead");
        let pause = broker.pause().max(PAUSE);
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Ends without an error when the app stops.
async fn read_on(app: &App, broker: &Broker, streams: &Streams) -> Result<(), BrokerError> {
    let mut connection = broker.connect(WAIT).await?;
    broker.noted(streams.prepare(&mut connection).await)?;
    let mut looked_for_abandoned = Instant::now();
    loop {
        tokio::select! {
            () = app.shutdown.cancelled() => return broker.noted(streams.leave(&mut connection).await),
            () = app.waiters.somebody_waits() => {}
        }
        let read = tokio::time::timeout(WAIT * 2, streams.read(&mut connection, WAIT)).await;
        let mut entries = match read {
            Err(_) => return Err(BrokerError::TooSlow),
            Ok(Err(error)) if is_missing(&error) => {
                broker.noted(streams.prepare(&mut connection).await)?;
                continue;
            }
            Ok(entries) => broker.noted(entries)?,
        };
        if looked_for_abandoned.elapsed() >= ABANDONED {
            looked_for_abandoned = Instant::now();
            entries.extend(broker.noted(streams.take_over(&mut connection, ABANDONED).await)?);
        }
        if !entries.is_empty() {
            let settled = wake(app, streams, &mut connection, entries.into()).await;
            broker.noted(settled)?;
        }
    }
}

/// Wakes a claim for each entry, as many at once as wait, and settles the entries as they are answered for.
async fn wake(
    app: &App,
    streams: &Streams,
    connection: &mut Connection,
    mut entries: VecDeque<Entry>,
) -> redis::RedisResult<()> {
    let mut looking = FuturesUnordered::new();
    loop {
        while looking.len() < app.waiters.waiting().max(1)
            && let Some(entry) = entries.pop_front()
        {
            let Some(hint) = entry.hint else {
                streams.settle(connection, &[entry]).await?;
                continue;
            };
            let outcome = app.waiters.hint(hint);
            looking.push(async move { (entry, outcome.await.unwrap_or(Outcome::NotHere)) });
        }
        let Some((entry, outcome)) = looking.next().await else { return Ok(()) };
        let mut settled = vec![entry];
        if outcome != Outcome::Taken {
            // The look began after all of these were read: what they tell of is gone, or not for us either.
            settled.extend(entries.drain(..));
        }
        if outcome == Outcome::NotHere {
            app.cluster.tell(ClusterMessage::LookAgain);
        }
        streams.settle(connection, &settled).await?;
    }
}
