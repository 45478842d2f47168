//! What API instances tell each other: over Redis if there is one, else over PostgreSQL's notifications.
//!
//! None of it is needed and all of it may be lost: each instance asks the database regularly. It is only quicker.

mod message;
mod via_postgres;
mod via_redis;

pub use message::ClusterMessage;

use std::time::Duration;

use framefarm_shared::id::BootId;
use tokio::sync::mpsc;

use crate::app::App;

/// Sends messages of this process to the other instances.
#[derive(Clone, Debug)]
pub struct Cluster {
    outgoing: Option<mpsc::Sender<ClusterMessage>>,
}

const TOGETHER: Duration = Duration::from_millis(25);
/// Messages that wait to be sent. Older than a second they are worth nothing.
const WAITING: usize = 10_000;

impl Cluster {
    /// Nobody else is there: the database is part of this process.
    pub fn alone() -> Self {
        Self { outgoing: None }
    }

    pub fn with_others() -> (Self, Option<mpsc::Receiver<ClusterMessage>>) {
        let (outgoing, waiting) = mpsc::channel(WAITING);
        (Self { outgoing: Some(outgoing) }, Some(waiting))
    }

    /// Never waits: if too much is waiting, this is lost.
    pub fn tell(&self, message: ClusterMessage) {
        if let Some(outgoing) = &self.outgoing {
            let _ = outgoing.try_send(message);
        }
    }
}

/// Sends and hears until the app stops.
pub async fn run(app: App, outgoing: mpsc::Receiver<ClusterMessage>) {
    let tell_of_events = async {
        loop {
            app.db.event_to_tell().await;
            // One notification for all that is appended within a moment.
            tokio::time::sleep(TOGETHER).await;
            app.cluster.tell(ClusterMessage::Appended);
        }
    };
    let exchange = async {
        match &app.broker {
            Some(broker) => Box::pin(via_redis::exchange(&app, broker, outgoing)).await,
            None => via_postgres::exchange(&app, outgoing).await,
        }
    };
    tokio::select! {
        () = app.shutdown.cancelled() => {}
        () = tell_of_events => {}
        () = exchange => {}
    }
}

/// What another instance told.
fn hear(app: &App, from: BootId, message: ClusterMessage) {
    if from == app.boot {
        return;
    }
    match message {
        // Whoever waits answers to nobody: the others were told as well.
        ClusterMessage::Claimable(hint) => drop(app.waiters.hint(hint)),
        ClusterMessage::LookAgain => app.waiters.look_again(),
        ClusterMessage::Appended | ClusterMessage::Completed { .. } => app.db.event_was_appended(),
        ClusterMessage::Progress { fence, progress } => app.events.heard_progress(fence, progress),
        ClusterMessage::Worker(sign) => app.events.heard_worker(sign),
    }
}
