//! Over Redis: published to channels by topic, heard by everyone.

use std::time::Duration;

use futures::StreamExt as _;
use tokio::sync::mpsc;

use super::{ClusterMessage, hear};
use crate::app::App;
use crate::broker::{Broker, BrokerError};

/// Sent in one go.
const BATCH: usize = 200;
const PAUSE: Duration = Duration::from_millis(250);
/// A subscription that is silent for this long is asked whether it lives.
const SILENCE: Duration = Duration::from_secs(15);

pub(super) async fn exchange(app: &App, broker: &Broker, outgoing: mpsc::Receiver<ClusterMessage>) {
    tokio::join!(send(app, broker, outgoing), listen(app, broker));
}

async fn send(app: &App, broker: &Broker, mut outgoing: mpsc::Receiver<ClusterMessage>) {
    let mut batch = Vec::new();
    while outgoing.recv_many(&mut batch, BATCH).await > 0 {
        let mut commands = redis::pipe();
        for message in batch.drain(..) {
            match message.written(app.boot) {
                Ok(text) => {
                    commands.publish(broker.name(&message.channel()), text).ignore();
                }
                Err(error) => tracing::error!(%error, "cannot encode a message to other instances"),
            }
        }
        let sent =
            broker.call(async |mut connection| commands.query_async::<()>(&mut connection).await).await;
        if let Err(error) = sent {
            tracing::debug!(%error, "cannot notify other instances; they poll the database");
        }
    }
}

async fn listen(app: &App, broker: &Broker) {
    loop {
        if let Err(error) = hear_all(app, broker).await {
            tracing::debug!(%error, "cannot listen to other instances; polling the database");
        }
        tokio::time::sleep(broker.pause().max(PAUSE)).await;
    }
}

async fn hear_all(app: &App, broker: &Broker) -> Result<(), BrokerError> {
    let (mut sink, mut messages) = broker.subscribe().await?.split();
    broker.noted(sink.psubscribe(escaped(&broker.name("")) + "*").await)?;
    // Whatever was said before is in the database.
    app.waiters.look_again();
    app.db.event_was_appended();
    loop {
        match tokio::time::timeout(SILENCE, messages.next()).await {
            Ok(Some(message)) => {
                if let Some((from, message)) = ClusterMessage::read(message.get_payload_bytes()) {
                    hear(app, from, message);
                }
            }
            Ok(None) => return Err(BrokerError::TooSlow),
            Err(_) => {
                let answer = tokio::time::timeout(SILENCE, sink.ping::<redis::Value>()).await;
                broker.noted(answer.map_err(|_| BrokerError::TooSlow)?)?;
            }
        }
    }
}

/// A name in which nothing stands for something else.
fn escaped(name: &str) -> String {
    name.chars().flat_map(|c| if "[]*?\\".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
}
