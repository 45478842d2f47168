//! Reads the table `event` as it grows, in the order of ids, for all subscribers of this process.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

use super::BATCH;
use crate::app::App;
use crate::db::Db;
use crate::db::events::{self as table, EventRow};
use crate::error::Result;
use crate::responses::events::Event;

/// Between looks for what other API processes appended.
const POLL: Duration = Duration::from_secs(1);
/// While an id is missing.
const POLL_GAP: Duration = Duration::from_millis(100);
/// An id is taken an instant before its transaction shows.
const GAP_LASTS: Duration = Duration::from_millis(200);
/// No transaction of ours takes that long; one that does may cost a subscriber its event.
const GAP_ENDS: Duration = Duration::from_secs(90);
/// A process that begins to read looks this far back for ids that are late.
const LOOK_BACK: i64 = 256;

/// Runs until the app stops; at rest while nobody watches.
pub async fn follow(app: App) {
    let mut tail: Option<(u64, Tail)> = None;
    loop {
        let wait = if tail.as_ref().is_some_and(|(_, tail)| tail.gap.is_some()) { POLL_GAP } else { POLL };
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            () = app.events.0.somebody_came.notified() => {}
            () = app.db.event_appended(), if app.events.is_watched() => {}
            () = tokio::time::sleep(wait), if app.events.is_watched() => {}
        }
        if let Err(error) = step(&app, &mut tail).await {
            tracing::warn!(%error, "cannot read events; retrying");
            tokio::time::sleep(POLL).await;
        }
    }
}

async fn step(app: &App, tail: &mut Option<(u64, Tail)>) -> Result<()> {
    let watch = app.events.watch();
    let begun = if let Some(begun) = tail.take_if(|(begun_for, _)| *begun_for == watch) {
        begun
    } else {
        let (begun, old) = Tail::begin(app).await?;
        app.events.begin(old, watch);
        (watch, begun)
    };
    let (_, tail) = tail.insert(begun);
    loop {
        let (settled, more) = tail.read(&app.db).await?;
        app.events.settle(settled.into_iter().map(Event::from).collect(), tail.last, watch);
        if !more {
            return Ok(());
        }
    }
}

/// How far the table was read.
pub(crate) struct Tail {
    last: i64,
    gap: Option<Gap>,
}

/// Ids below one that was seen are missing: rolled back, or not committed yet.
struct Gap {
    below: i64,
    /// Transactions from here on cannot have taken them; to be asked for once the gap was seen.
    taken_before: Option<i64>,
    seen: Instant,
}

impl Tail {
    /// And the rows behind its place that are in the table already.
    async fn begin(app: &App) -> Result<(Self, HashSet<i64>)> {
        let newest = table::range(&app.db).await?.map_or(0, |(_, newest)| newest);
        let late = table::first_running(&app.db).await?.is_some();
        let last = if late { (newest - LOOK_BACK).max(0) } else { newest };
        let old = table::after(&app.db, last, BATCH.into()).await?;
        Ok((Self::after(last), old.into_iter().map(|row| row.id).collect()))
    }

    /// Goes on after an event up to which everything was read.
    pub(crate) fn after(last: i64) -> Self {
        Self { last, gap: None }
    }

    /// The event up to which everything was read.
    pub(crate) fn last(&self) -> i64 {
        self.last
    }

    /// The next rows that no late one can precede, and whether there are more to read at once.
    pub(crate) async fn read(&mut self, db: &Db) -> Result<(Vec<EventRow>, bool)> {
        // In this order: what a transaction that ended by then has written is among the rows.
        let first_running = table::first_running(db).await?;
        let rows = table::after(db, self.last, BATCH.into()).await?;
        let (full, before) = (rows.len() == usize::from(BATCH), self.last);
        let settled = self.settle(rows, first_running, Instant::now());
        if let Some(gap) = self.gap.as_mut().filter(|gap| gap.taken_before.is_none()) {
            gap.taken_before = table::next_transaction(db).await?;
        }
        Ok((settled, full && self.last != before))
    }

    /// The rows that no late one can precede.
    fn settle(&mut self, rows: Vec<EventRow>, first_running: Option<i64>, now: Instant) -> Vec<EventRow> {
        let Some(first_running) = first_running else {
            self.last = rows.last().map_or(self.last, |row| row.id);
            return rows;
        };
        let newest = rows.last().map_or(self.last, |row| row.id);
        let given_up = self.gap.as_ref().filter(|gap| {
            let age = now - gap.seen;
            let all_ended = gap.taken_before.is_some_and(|next| first_running >= next);
            (age >= GAP_LASTS && all_ended) || age >= GAP_ENDS
        });
        let given_up = given_up.map_or(0, |gap| gap.below);
        let mut settled = Vec::with_capacity(rows.len());
        for row in rows {
            if row.id != self.last + 1 && row.id > given_up {
                if self.gap.as_ref().is_none_or(|gap| gap.below <= given_up) {
                    self.gap = Some(Gap { below: newest, taken_before: None, seen: now });
                }
                return settled;
            }
            self.last = row.id;
            settled.push(row);
        }
        self.gap = None;
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use framefarm_shared::wire::event::EventKind;

    fn rows(ids: &[i64]) -> Vec<EventRow> {
        let row = |id: &i64| EventRow {
            id: *id,
            at: chrono::DateTime::UNIX_EPOCH,
            kind: EventKind::JobClaimed,
            video_id: None,
            job_id: None,
            worker_id: None,
            actor: "test".to_owned(),
            reason: None,
            data: None,
        };
        ids.iter().map(row).collect()
    }

    /// What `step` does: reads so many rows while this transaction is the oldest, and asks for the next one in a gap.
    fn settle(tail: &mut Tail, found: &[i64], first_running: i64, next: i64, now: Instant) -> Vec<i64> {
        let settled = tail.settle(rows(found), Some(first_running), now);
        if let Some(gap) = tail.gap.as_mut().filter(|gap| gap.taken_before.is_none()) {
            gap.taken_before = Some(next);
        }
        ids(&settled)
    }

    fn ids(rows: &[EventRow]) -> Vec<i64> {
        rows.iter().map(|row| row.id).collect()
    }

    #[test]
    fn a_late_id_is_waited_for() {
        let (mut tail, now) = (Tail { last: 4, gap: None }, Instant::now());
        assert_eq!(settle(&mut tail, &[5, 7, 8], 100, 103, now), [5]);
        let later = now + Duration::from_secs(30);
        assert!(settle(&mut tail, &[7, 8], 100, 200, later).is_empty(), "100 still runs");
        assert_eq!(settle(&mut tail, &[6, 7, 8], 150, 200, later), [6, 7, 8]);
        assert_eq!((tail.last, tail.gap.is_none()), (8, true));
    }

    #[test]
    fn an_id_that_was_rolled_back_is_given_up_once_nobody_can_bring_it() {
        let (mut tail, now) = (Tail { last: 4, gap: None }, Instant::now());
        assert!(settle(&mut tail, &[6, 9], 100, 103, now).is_empty());
        let soon = now + GAP_LASTS;
        assert!(settle(&mut tail, &[6, 9, 10], 102, 110, soon).is_empty(), "102 had begun");
        assert_eq!(settle(&mut tail, &[6, 9, 10], 103, 110, soon), [6, 9, 10]);
        assert!(tail.gap.is_none());
    }

    #[test]
    fn a_gap_behind_a_gap_is_waited_for_as_long() {
        let (mut tail, now) = (Tail { last: 4, gap: None }, Instant::now());
        assert!(settle(&mut tail, &[6], 100, 103, now).is_empty());
        let soon = now + GAP_LASTS;
        assert_eq!(settle(&mut tail, &[6, 9], 103, 120, soon), [6]);
        assert!(settle(&mut tail, &[9], 119, 130, soon + GAP_LASTS).is_empty());
        assert_eq!(settle(&mut tail, &[9], 120, 130, soon + GAP_LASTS), [9]);
    }

    #[test]
    fn nothing_waits_longer_than_a_transaction_may_take() {
        let (mut tail, now) = (Tail { last: 4, gap: None }, Instant::now());
        assert!(settle(&mut tail, &[6], 100, 103, now).is_empty());
        assert_eq!(settle(&mut tail, &[6], 100, 103, now + GAP_ENDS), [6]);
    }

    #[test]
    fn where_transactions_come_one_by_one_nothing_is_late() {
        let mut tail = Tail { last: 4, gap: None };
        assert_eq!(ids(&tail.settle(rows(&[6, 9]), None, Instant::now())), [6, 9]);
        assert_eq!(tail.last, 9);
    }
}
