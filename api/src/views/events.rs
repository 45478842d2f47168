//! The timeline: what happened, to a job or to the farm.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::wire::event::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::names;
use super::page::{self, Page};
use crate::app::App;
use crate::db::events::{self, EventFilter, EventRow};
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

/// Which events are meant; all of them by default.
#[derive(Debug, Default)]
pub struct Filter {
    pub kind: Option<EventKind>,
    /// Without those that come in crowds while a job runs.
    pub important: bool,
    pub actor: Option<String>,
    pub by_people: bool,
    pub search: Option<String>,
}

/// Many of these come while a job runs, and none of them tells how it went.
const PROGRESS: &[EventKind] =
    &[EventKind::JobPlanned, EventKind::PartDelivered, EventKind::QualityCompleted, EventKind::LateReport];

const MOST_WORDS: usize = 8;

impl Filter {
    fn stored(self) -> EventFilter {
        let search = self.search.as_deref().and_then(names::searched).unwrap_or_default();
        EventFilter {
            kind: self.kind,
            without: if self.important { PROGRESS } else { &[] },
            actor: self.actor,
            by_people: self.by_people,
            words: search.split_whitespace().take(MOST_WORDS).map(str::to_owned).collect(),
        }
    }
}

/// Newest first.
pub async fn list(app: &App, filter: Filter, cursor: Option<&str>, limit: u16) -> Result<Page<Event>> {
    let before = page::parse_number(cursor)?;
    // PostgreSQL keeps no NUL in a text and refuses to look for one.
    if filter.actor.as_ref().is_some_and(|actor| actor.contains('\0')) {
        return Ok(Page::whole(Vec::new()));
    }
    let rows = events::list_matching(&app.db, &filter.stored(), before, page::rows_for(limit)).await?;
    Ok(Page::cut(rows, limit, |row| page::number_cursor(row.id), Event::from))
}

pub(super) async fn of_job(app: &App, job: JobId) -> Result<Vec<Event>> {
    Ok(events::of_job(&app.db, job).await?.into_iter().map(Event::from).collect())
}
