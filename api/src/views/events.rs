//! The timeline: what happened, to a job or to the farm.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::wire::event::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::page::{self, Page};
use crate::app::App;
use crate::db::events::{self, EventRow};
use crate::error::Result;

/// One thing that happened.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    pub id: i64,
    pub at: DateTime<Utc>,
    pub kind: EventKind,
    pub video_id: Option<VideoId>,
    pub job_id: Option<JobId>,
    pub worker_id: Option<WorkerId>,
    /// Who did it: `admin`, `token:<name>`, a worker's name, or `farm`.
    pub actor: String,
    pub reason: Option<String>,
    pub data: Option<serde_json::Value>,
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        let EventRow { id, at, kind, video_id, job_id, worker_id, actor, reason, data } = row;
        Self { id, at, kind, video_id, job_id, worker_id, actor, reason, data: data.map(|json| json.0) }
    }
}

/// Newest first.
pub async fn list(app: &App, cursor: Option<&str>, limit: u16) -> Result<Page<Event>> {
    let rows = events::list(&app.db, page::parse_number(cursor)?, page::rows_for(limit)).await?;
    Ok(Page::cut(rows, limit, |row| page::number_cursor(row.id), Event::from))
}

pub(super) async fn of_job(app: &App, job: JobId) -> Result<Vec<Event>> {
    Ok(events::of_job(&app.db, job).await?.into_iter().map(Event::from).collect())
}
