//! What a trace needs to know that the job's row does not say. Nothing is asked where nobody traces.

use chrono::{DateTime, Utc};
use serde::Deserialize as _;

use crate::db::effects::Traced;
use crate::db::events::{self, Event};
use crate::db::job::JobRow;
use crate::db::{Tx, job};
use crate::error::Result;
use crate::traces;

/// In the data of the event with which a job enters the queue: when the upload began.
const UPLOAD_BEGAN: &str = "upload_began_at";

/// The event tells since when. It is the one place where that stays: an upload's row goes, and a form has none.
pub(super) fn since(mut event: Event, upload_began: DateTime<Utc>) -> Event {
    if let Some(data) = &mut event.data {
        data[UPLOAD_BEGAN] = serde_json::json!(upload_began);
    }
    event
}

/// The video's own span, if its job has ended: from where it entered the queue the last time, with its upload.
pub(super) async fn ended(tx: &mut Tx, job: &JobRow, now: DateTime<Utc>) -> Result<()> {
    if !tx.is_traced() || job.finished_at.is_none() {
        return Ok(());
    }
    let entered = events::entrance(tx, job.id).await?;
    let began = entered.map(|event| {
        let told = event.data.as_ref().and_then(|data| data.get(UPLOAD_BEGAN));
        told.and_then(|time| DateTime::deserialize(time).ok()).unwrap_or(event.at)
    });
    // Old events leave the timeline.
    let span = traces::video(job, began.unwrap_or(job.enqueued_at), now);
    tx.trace(|| Some(Traced::Span(Box::new(span?))));
    Ok(())
}

/// The claim that ran out is over when its holder gets a new one.
pub(super) async fn lapsed(tx: &mut Tx, job: &JobRow, now: DateTime<Utc>) -> Result<()> {
    if tx.is_traced()
        && let Some(old) = job::attempts::get(tx, job.id, job.fence - 1).await?
    {
        tx.trace(|| Some(Traced::Span(Box::new(traces::lapsed(job, &old, now)?))));
    }
    Ok(())
}
