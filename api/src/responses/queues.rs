//! The depth and settings of the queues.

use framefarm_shared::queue::{QueueType, RetryMode};
use framefarm_shared::state::JobStatus;
use serde::Serialize;
use utoipa::ToSchema;

use super::jobs::Filter;
use super::names;
use crate::app::App;
use crate::db::job;
use crate::db::job::lists::{CollectionCount, JobFilter, StatusCount};
use crate::db::queues;
use crate::error::Result;

/// Jobs by status; `errors` counts failed jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Depth {
    pub pending: i64,
    pub running: i64,
    pub completed: i64,
    pub errors: i64,
}

impl Depth {
    fn of<'a>(counts: impl Iterator<Item = &'a StatusCount>) -> Self {
        let mut depth = Self::default();
        for row in counts {
            match row.status {
                JobStatus::Pending => depth.pending += row.count,
                JobStatus::Running => depth.running += row.count,
                JobStatus::Completed => depth.completed += row.count,
                JobStatus::Failed => depth.errors += row.count,
                JobStatus::Cancelled => {}
            }
        }
        depth
    }
}

/// A queue of one type of jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Queue {
    pub queue_type: QueueType,
    /// No more jobs are handed out; running jobs continue.
    pub paused: bool,
    /// Maximum number of running jobs; null for no limit.
    pub max_running: Option<i32>,
    pub retry_mode: RetryMode,
    pub depth: Depth,
}

/// Every queue.
#[derive(Debug, Serialize, ToSchema)]
pub struct Queues {
    pub queues: Vec<Queue>,
}

pub async fn depth(app: &App, filter: &Filter) -> Result<Depth> {
    let Some(filter) = filter.resolve(app).await? else { return Ok(Depth::default()) };
    Ok(Depth::of(job::lists::counts(&app.db, &filter).await?.iter()))
}

pub async fn all(app: &App) -> Result<Queues> {
    let counts = job::lists::counts(&app.db, &JobFilter::default()).await?;
    let rows = queues::all(&app.db).await?;
    let view = |row: queues::QueueRow| Queue {
        queue_type: row.queue_type,
        paused: row.paused,
        max_running: row.max_running,
        retry_mode: row.retry_mode,
        depth: Depth::of(counts.iter().filter(|count| count.queue_type == row.queue_type)),
    };
    Ok(Queues { queues: rows.into_iter().map(view).collect() })
}

/// Jobs of one collection, queue and status.
#[derive(Debug, Serialize, ToSchema)]
pub struct Count {
    /// Null for jobs without a collection.
    pub collection: Option<String>,
    pub queue_type: QueueType,
    pub status: JobStatus,
    pub count: i64,
}

/// Number of jobs by collection, queue and status.
#[derive(Debug, Serialize, ToSchema)]
pub struct Counts {
    pub counts: Vec<Count>,
}

pub async fn counts(app: &App) -> Result<Counts> {
    let names = names::of_collections(app).await?;
    let rows = job::lists::counts_by_collection(&app.db).await?;
    let view = |row: CollectionCount| Count {
        collection: row.collection_id.and_then(|id| names.get(&id).cloned()),
        queue_type: row.counted.queue_type,
        status: row.counted.status,
        count: row.counted.count,
    };
    let mut counts: Vec<Count> = rows.into_iter().map(view).collect();
    counts.sort_by(|one, other| {
        (&one.collection, one.queue_type, one.status).cmp(&(
            &other.collection,
            other.queue_type,
            other.status,
        ))
    });
    Ok(Counts { counts })
}
