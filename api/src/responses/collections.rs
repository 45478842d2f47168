//! Collections as people see them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use framefarm_shared::id::CollectionId;
use framefarm_shared::state::JobStatus;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::db::collections::{self, CollectionRow};
use crate::error::{ApiError, Result};

/// Jobs of a collection by status; `errors` counts failed jobs.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct CollectionJobs {
    pub pending: i64,
    pub running: i64,
    pub completed: i64,
    pub errors: i64,
    pub cancelled: i64,
}

/// A named group of videos and its settings.
#[derive(Debug, Serialize, ToSchema)]
pub struct Collection {
    pub id: CollectionId,
    pub name: String,
    pub created_at: DateTime<Utc>,
    /// In the format of the setting `ladder`; null uses the farm's default.
    pub ladder: Option<String>,
    /// Default for new jobs.
    pub priority: i32,
    /// Days until finished jobs are removed from the history; null uses the farm's default.
    pub completed_retention_days: Option<i32>,
    /// `keep`, `delete_after_ready` or a number of days; null uses the farm's default.
    pub source_retention: Option<String>,
    /// Number of videos, without deleted ones.
    pub videos: i64,
    pub jobs: CollectionJobs,
}

/// Every collection.
#[derive(Debug, Serialize, ToSchema)]
pub struct Collections {
    /// By name.
    pub collections: Vec<Collection>,
}

pub async fn all(app: &App) -> Result<Collections> {
    let counts = Counts::load(app).await?;
    let rows = collections::all(&app.db).await?;
    Ok(Collections { collections: rows.into_iter().map(|row| counts.view(row)).collect() })
}

pub async fn get(app: &App, name: &str) -> Result<Collection> {
    // PostgreSQL keeps no NUL in a text and refuses to look for one.
    let row = if name.contains('\0') { None } else { collections::by_name(&app.db, name).await? };
    let row = row.ok_or_else(|| ApiError::no_such("collection"))?;
    Ok(Counts::load(app).await?.view(row))
}

struct Counts {
    videos: HashMap<CollectionId, i64>,
    jobs: HashMap<CollectionId, CollectionJobs>,
}

impl Counts {
    async fn load(app: &App) -> Result<Self> {
        let videos = collections::video_counts(&app.db).await?.into_iter().collect();
        let mut jobs = HashMap::<_, CollectionJobs>::new();
        for (id, status, count) in collections::job_counts(&app.db).await? {
            let of = jobs.entry(id).or_default();
            *match status {
                JobStatus::Pending => &mut of.pending,
                JobStatus::Running => &mut of.running,
                JobStatus::Completed => &mut of.completed,
                JobStatus::Failed => &mut of.errors,
                JobStatus::Cancelled => &mut of.cancelled,
            } = count;
        }
        Ok(Self { videos, jobs })
    }

    fn view(&self, row: CollectionRow) -> Collection {
        Collection {
            videos: self.videos.get(&row.id).copied().unwrap_or_default(),
            jobs: self.jobs.get(&row.id).copied().unwrap_or_default(),
            id: row.id,
            name: row.name,
            created_at: row.created_at,
            ladder: row.ladder,
            priority: row.priority,
            completed_retention_days: row.completed_retention_days,
            source_retention: row.source_retention,
        }
    }
}
