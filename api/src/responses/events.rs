//! Events: of a job, or of the whole farm.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::wire::event::{EventData, EventKind};
use futures::stream::{self, Stream};
use serde::Serialize;
use utoipa::ToSchema;

use super::names;
use super::page::{self, Page};
use crate::app::App;
use crate::db::events::{self, EventFilter, EventRow};
use crate::error::{ApiError, Result};

/// An event.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    pub id: i64,
    pub at: DateTime<Utc>,
    pub kind: EventKind,
    pub video_id: Option<VideoId>,
    pub job_id: Option<JobId>,
    pub worker_id: Option<WorkerId>,
    /// Kind of `actor`, which a name cannot imitate.
    pub actor_kind: ActorKind,
    /// Who did it: `admin`, `token:<name>`, `worker:<name>`, `worker` (`worker_id` says which), `anonymous`
    /// or `farm`.
    pub actor: String,
    pub reason: Option<String>,
    #[schema(value_type = Option<EventData>)]
    pub data: Option<serde_json::Value>,
}

impl Event {
    /// For who may see what changed, but not the audit: neither who did it nor why, and of the data only how far the job is.
    pub fn without_audit(&self) -> Self {
        const KEPT: [&str; 3] = ["fence", "attempt", "status"];
        let data = self.data.as_ref().and_then(|data| data.as_object()).map(|data| {
            let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), data.get(*name)?.clone())));
            serde_json::Value::Object(kept.collect())
        });
        let Self { id, at, kind, video_id, job_id, worker_id, actor_kind, .. } = *self;
        let actor = actor_kind.as_str().to_owned();
        Self { id, at, kind, video_id, job_id, worker_id, actor_kind, actor, reason: None, data }
    }
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        let EventRow { id, at, kind, video_id, job_id, worker_id, actor, reason, data } = row;
        let actor_kind = ActorKind::of(kind, &actor);
        let unmarked = actor_kind == ActorKind::Worker && actor != "worker" && !actor.starts_with("worker:");
        let actor = if unmarked { events::worker_actor(&actor) } else { actor };
        let data = data.map(|json| json.0);
        Self { id, at, kind, video_id, job_id, worker_id, actor_kind, actor, reason, data }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// Someone who is logged in, or used the command line of the server.
    Person,
    /// A program with an API token.
    Token,
    Worker,
    /// The server itself.
    Farm,
    /// Someone who is not logged in.
    Anonymous,
}

impl ActorKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Token => "token",
            Self::Worker => "worker",
            Self::Farm => "farm",
            Self::Anonymous => "anonymous",
        }
    }

    fn of(kind: EventKind, actor: &str) -> Self {
        match actor.split_once(':').map_or(actor, |(prefix, _)| prefix) {
            _ if EventKind::OF_WORKERS.contains(&kind) => Self::Worker,
            "worker" => Self::Worker,
            "token" => Self::Token,
            "farm" => Self::Farm,
            "anonymous" => Self::Anonymous,
            _ => Self::Person,
        }
    }
}

/// A filter of events; all by default.
#[derive(Debug, Default)]
pub struct Filter {
    pub kind: Option<EventKind>,
    /// Without the frequent events of a running job.
    pub important: bool,
    pub actor: Option<String>,
    pub by_people: bool,
    pub search: Option<String>,
}

/// A running job has many of these, and none of them says how it ended.
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

/// Every event after this one, oldest first, a line of JSON each; what happens meanwhile is not in it.
pub async fn export(app: &App, after: i64) -> Result<impl Stream<Item = Result<Bytes>> + use<>> {
    const BATCH: i64 = 500;
    let newest = events::range(&app.db).await?.map_or(0, |(_, newest)| newest);
    let app = app.clone();
    Ok(stream::try_unfold(after, move |after| {
        let app = app.clone();
        async move {
            let rows = events::after(&app.db, after, BATCH).await?;
            let rows: Vec<_> = rows.into_iter().take_while(|row| row.id <= newest).collect();
            let Some(last) = rows.last().map(|row| row.id) else { return Ok(None) };
            let mut lines = Vec::new();
            for row in rows {
                let event =
                    serde_json::to_vec(&Event::from(row)).map_err(|error| ApiError::internal(&error))?;
                lines.extend(event);
                lines.push(b'\n');
            }
            Ok(Some((Bytes::from(lines), last)))
        }
    }))
}

pub(super) async fn of_job(app: &App, job: JobId) -> Result<Vec<Event>> {
    Ok(events::of_job(&app.db, job).await?.into_iter().map(Event::from).collect())
}
