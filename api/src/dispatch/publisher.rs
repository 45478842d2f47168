//! Tells other instances what nobody who waits here can take.

use tokio::sync::mpsc::UnboundedReceiver;

use super::streams::Streams;
use super::{Hint, Outgoing};
use crate::app::App;
use crate::broker::Broker;
use crate::cluster::ClusterMessage;

/// Sent in one go.
const BATCH: usize = 100;

/// Runs until the app stops. What cannot be published is found by asking the database.
pub(super) async fn run(
    app: App,
    streams: Option<(Broker, Streams)>,
    mut outgoing: UnboundedReceiver<Outgoing>,
) {
    let mut batch = Vec::new();
    loop {
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            count = outgoing.recv_many(&mut batch, BATCH) => if count == 0 { return },
        }
        let mut hints = Vec::new();
        for message in batch.drain(..) {
            match message {
                Outgoing::Claimable(hint) => hints.push(hint),
                Outgoing::LookAgain => app.cluster.tell(ClusterMessage::LookAgain),
            }
        }
        if !hints.is_empty() {
            publish(&app, streams.as_ref(), &hints).await;
        }
    }
}

async fn publish(app: &App, streams: Option<&(Broker, Streams)>, hints: &[Hint]) {
    let Some((broker, streams)) = streams else {
        for hint in hints {
            app.cluster.tell(ClusterMessage::Claimable(*hint));
        }
        return;
    };
    let now = app.clock.now();
    let published =
        broker.call(async |mut connection| streams.publish(&mut connection, hints, now).await).await;
    if let Err(error) = published {
        tracing::debug!(%error, count = hints.len(), "cannot publish hints to Redis; workers find these jobs by polling the database");
    }
}
