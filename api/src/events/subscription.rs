//! One SSE subscriber: its next message.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::live::Interest;
use super::message::{Hello, Message};
use super::topic::Topics;
use super::{MOST_BEHIND, Missed};
use crate::app::App;
use crate::error::Result;

/// Between two rounds of progress, for who watches a whole farm and for who watches one video.
const PACE: Duration = Duration::from_millis(500);
const PACE_OF_ONE: Duration = Duration::from_millis(100);

pub struct Subscription {
    app: App,
    topics: Topics,
    settled: watch::Receiver<Option<i64>>,
    changed: watch::Receiver<u64>,
    /// The last row it was told, or that was not for it.
    last: i64,
    /// Rows that were there before it came.
    old: Arc<HashSet<i64>>,
    /// The last change of progress it was told.
    seen: u64,
    /// Progress waits until then.
    paced: Instant,
    ready: VecDeque<Message>,
}

impl Subscription {
    pub(super) fn new(
        app: App,
        topics: Topics,
        settled: watch::Receiver<Option<i64>>,
        changed: watch::Receiver<u64>,
        newest: i64,
        missed: Missed,
        old: Arc<HashSet<i64>>,
    ) -> Self {
        let seen = *changed.borrow();
        let (last, reset) = match missed {
            Missed::Nothing => (newest, None),
            Missed::After(last) => (last, None),
            Missed::TooMuch => (newest, Some(Message::Reset)),
        };
        let hello = Message::Hello(Hello { last_id: last, boot: app.events.0.boot });
        let ready = std::iter::once(hello).chain(reset).collect();
        Self { app, topics, settled, changed, last, old, seen, paced: Instant::now(), ready }
    }

    /// Waits for it; `None` when the server stops.
    pub async fn next(&mut self) -> Result<Option<Message>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(message));
            }
            if self.read_rows().await? || self.read_progress() {
                continue;
            }
            let paced = self.paced;
            let waiting = self.changed.has_changed().unwrap_or(false);
            tokio::select! {
                () = self.app.shutdown.cancelled() => return Ok(None),
                moved = self.settled.changed() => if moved.is_err() { return Ok(None) },
                () = tokio::time::sleep_until(paced), if waiting => {}
                moved = self.changed.changed(), if !waiting => match moved {
                    Ok(()) => self.changed.mark_changed(),
                    Err(_) => return Ok(None),
                },
            }
        }
    }

    /// Whether it went on.
    async fn read_rows(&mut self) -> Result<bool> {
        let settled = self.settled.borrow_and_update().unwrap_or_default();
        if settled <= self.last {
            return Ok(false);
        }
        if settled - self.last > MOST_BEHIND {
            self.last = settled;
            self.ready.push_back(Message::Reset);
            return Ok(true);
        }
        // In a box of its own: most of the time they are in memory, and every subscriber would carry the size of the query.
        let rows = Box::pin(self.app.events.rows(&self.app, self.last, settled)).await?;
        // No rows up to there: they were removed, or their ids were never used.
        self.last = rows.last().map_or(settled, |row| row.id);
        let messages = rows.into_iter().filter(|row| !self.old.contains(&row.id)).map(Message::Change);
        self.ready.extend(messages.filter(|message| self.topics.include(message)));
        Ok(true)
    }

    fn read_progress(&mut self) -> bool {
        if Instant::now() < self.paced || *self.changed.borrow_and_update() <= self.seen {
            return false;
        }
        let interest = self.topics.interest();
        let (messages, seen) = self.app.events.live().since(interest, self.seen);
        self.seen = seen;
        self.paced = Instant::now() + if interest == Interest::All { PACE } else { PACE_OF_ONE };
        self.ready.extend(messages.into_iter().filter(|message| self.topics.include(message)));
        true
    }
}
