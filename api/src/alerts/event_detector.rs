//! Derives alerts from the table `event`, each row once.
//!
//! The cursor is a fact in the database. It moves in the transaction that writes what follows from the rows, and only
//! from the value that was read: of several instances one does it, and a crash in between leaves both undone.

use std::collections::BTreeSet;
use std::time::Duration;

use framefarm_shared::alert::AlertType;

use super::raise::raise;
use super::{event_messages, pattern};
use crate::app::App;
use crate::db::key_value::{self, ALERTED_UNTIL};
use crate::db::{alerts, events};
use crate::error::Result;
use crate::events::Tail;

const POLL: Duration = Duration::from_secs(1);

/// From now on, if this farm never looked before.
pub async fn begin(app: &App) -> Result<()> {
    let newest = events::range(&app.db).await?.map_or(0, |(_, newest)| newest);
    let mut tx = app.db.begin().await?;
    key_value::set_if_unknown(&mut tx, ALERTED_UNTIL, &newest.to_string()).await?;
    Ok(tx.commit().await?)
}

/// Runs until the app stops.
pub async fn run(app: App) {
    let mut detector = EventDetector::default();
    let mut ticks = tokio::time::interval(POLL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        if let Err(error) = detector.run_once(&app).await {
            tracing::warn!(%error, "cannot derive alerts from events; retrying");
        }
    }
}

#[derive(Default)]
pub struct EventDetector {
    /// Remembers which late ids it waits for.
    tail: Option<Tail>,
}

impl EventDetector {
    /// Returns how many rows it looked at.
    pub async fn run_once(&mut self, app: &App) -> Result<usize> {
        let mut looked_at = 0;
        loop {
            let Some(cursor) = key_value::get(&app.db, ALERTED_UNTIL).await? else {
                begin(app).await?;
                return Ok(looked_at);
            };
            let last = cursor.parse().unwrap_or(0);
            let tail = match self.tail.take().filter(|tail| tail.last() == last) {
                Some(tail) => self.tail.insert(tail),
                None => self.tail.insert(Tail::after(last)),
            };
            let (rows, more) = tail.read(&app.db).await?;
            if rows.is_empty() {
                return Ok(looked_at);
            }
            let until = tail.last().to_string();
            let mut messages = event_messages::of(app, &rows).await?;
            messages.extend(pattern::of(app, &rows).await?);
            let mut tx = app.db.begin().await?;
            if !key_value::swap_if(&mut tx, ALERTED_UNTIL, &cursor, &until).await? {
                // Another instance was here.
                tx.rollback().await?;
                return Ok(looked_at);
            }
            // Each type's row is held to the end: all in a fixed order, for whoever holds another one.
            let types: BTreeSet<AlertType> =
                messages.iter().filter_map(|message| message.alert_type).collect();
            for kind in types {
                alerts::get_held(&mut tx, kind).await?;
            }
            for message in messages {
                for message in event_messages::spread(&mut tx, message).await? {
                    raise(app, &mut tx, message).await?;
                }
            }
            tx.commit().await?;
            looked_at += rows.len();
            if !more {
                return Ok(looked_at);
            }
        }
    }
}
