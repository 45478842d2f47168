//! Over PostgreSQL's notifications: one channel for the farm's schema.
//!
//! A notification takes a lock of the whole database when it commits, so it is never part of another transaction, and
//! what comes within a moment goes together, of each job's progress only the newest.

use std::time::Duration;

use sqlx::postgres::PgListener;
use tokio::sync::mpsc;

use super::{ClusterMessage, hear};
use crate::app::App;
use crate::db::notify;

const BATCH: usize = 200;
/// Progress waits this long for more of its kind; what wakes a worker does not.
const TOGETHER: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_secs(1);

pub(super) async fn exchange(app: &App, outgoing: mpsc::Receiver<ClusterMessage>) {
    let channel = loop {
        match notify::channel(&app.db).await {
            Ok(Some(channel)) => break channel,
            // Nobody else can be there.
            Ok(None) => return std::future::pending().await,
            Err(error) => tracing::debug!(%error, "cannot read the name of the schema"),
        }
        tokio::time::sleep(PAUSE).await;
    };
    tokio::join!(send(app, &channel, outgoing), listen(app, &channel));
}

async fn send(app: &App, channel: &str, mut outgoing: mpsc::Receiver<ClusterMessage>) {
    let mut batch = Vec::new();
    while outgoing.recv_many(&mut batch, BATCH).await > 0 {
        if batch.iter().all(can_wait) {
            tokio::time::sleep(TOGETHER).await;
            while let Ok(message) = outgoing.try_recv() {
                batch.push(message);
            }
        }
        let kept = together(std::mem::take(&mut batch));
        let texts = kept.iter().filter_map(|message| message.written(app.boot).ok());
        let texts: Vec<String> = texts.filter(|text| text.len() < notify::LONGEST).collect();
        if let Err(error) = notify::send(&app.db, channel, &texts).await {
            tracing::debug!(%error, "cannot notify other instances; they poll the database");
        }
    }
}

fn can_wait(message: &ClusterMessage) -> bool {
    matches!(message, ClusterMessage::Progress { .. } | ClusterMessage::Worker(_))
}

/// The newest progress of each job, one notification of events, and the rest as it is.
fn together(messages: Vec<ClusterMessage>) -> Vec<ClusterMessage> {
    let mut kept: Vec<ClusterMessage> = Vec::with_capacity(messages.len());
    for one in messages.into_iter().rev() {
        let is_newer = kept.iter().any(|newer| match (newer, &one) {
            (ClusterMessage::Progress { progress: newer, .. }, ClusterMessage::Progress { progress, .. }) => {
                newer.job_id == progress.job_id
            }
            (ClusterMessage::Worker(newer), ClusterMessage::Worker(sign)) => newer.id == sign.id,
            (ClusterMessage::Appended, ClusterMessage::Appended)
            | (ClusterMessage::LookAgain, ClusterMessage::LookAgain) => true,
            _ => false,
        });
        if !is_newer {
            kept.push(one);
        }
    }
    kept.reverse();
    kept
}

async fn listen(app: &App, channel: &str) {
    loop {
        if let Err(error) = hear_all(app, channel).await {
            tracing::debug!(%error, "cannot listen to other instances; polling the database");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn hear_all(app: &App, channel: &str) -> sqlx::Result<()> {
    let mut listener: PgListener = notify::listen(&app.db, channel).await?;
    app.waiters.look_again();
    app.db.event_was_appended();
    loop {
        let Some(notification) = listener.try_recv().await? else {
            // The connection was lost and is back; what came between is in the database.
            app.waiters.look_again();
            app.db.event_was_appended();
            continue;
        };
        if let Some((from, message)) = ClusterMessage::read(notification.payload().as_bytes()) {
            hear(app, from, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::{Hint, Level};
    use framefarm_shared::queue::QueueType;

    #[test]
    fn notices_of_events_are_merged_and_every_hint_is_kept() {
        let hint = ClusterMessage::Claimable(Hint { kind: QueueType::Transcode, level: Level::High });
        let told = together(vec![
            ClusterMessage::Appended,
            hint.clone(),
            ClusterMessage::Appended,
            hint,
            ClusterMessage::LookAgain,
        ]);
        let names: Vec<String> = told.iter().map(ClusterMessage::channel).collect();
        assert_eq!(names, ["claimable", "events", "claimable", "claimable"]);
    }
}
