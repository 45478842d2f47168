//! Imports, as people see them.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{IntakeId, JobId, VideoId};
use framefarm_shared::intake::{IntakeKind, IntakeState};
use serde::Serialize;
use utoipa::ToSchema;

use super::page::{self, Page};
use crate::app::App;
use crate::db::intakes::{self, IntakeRow};
use crate::error::{ApiError, Result};
use crate::intake::queue::shown;

/// An import of a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct Intake {
    pub id: IntakeId,
    pub kind: IntakeKind,
    /// Its URL or path; a URL is shown without its query, which may contain a secret.
    pub place: String,
    pub state: IntakeState,
    pub title: Option<String>,
    pub collection: Option<String>,
    /// Who requested it.
    pub actor: String,
    pub attempts: i32,
    /// When the next attempt is due; null unless it is waiting.
    pub due_at: Option<DateTime<Utc>>,
    /// In bytes; null until it is known.
    pub size: Option<i64>,
    /// Bytes received so far.
    pub received: i64,
    pub video_id: Option<VideoId>,
    pub job_id: Option<JobId>,
    /// The same content already existed; this is that video and its job.
    pub deduplicated: Option<bool>,
    /// Why it, or its last attempt, failed.
    pub error_code: Option<String>,
    pub error: Option<String>,
    pub created_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

impl From<IntakeRow> for Intake {
    fn from(row: IntakeRow) -> Self {
        let request = row.request.0;
        Self {
            id: row.id,
            kind: row.kind,
            place: shown(row.kind, &row.place),
            state: row.state,
            title: request.title,
            collection: request.collection,
            actor: row.actor,
            attempts: row.attempts,
            due_at: (row.state == IntakeState::Waiting).then_some(row.due_at),
            size: row.size,
            received: row.received,
            video_id: row.video_id,
            job_id: row.job_id,
            deduplicated: row.deduplicated,
            error_code: row.error_code,
            error: row.error,
            created_at: row.created_at,
            ended_at: row.ended_at,
        }
    }
}

/// Newest first.
pub async fn list(
    app: &App,
    state: Option<IntakeState>,
    cursor: Option<&str>,
    limit: u16,
) -> Result<Page<Intake>> {
    let before = page::parse_time(cursor)?;
    let rows = intakes::list(&app.db, state, before, page::rows_for(limit)).await?;
    Ok(Page::cut(rows, limit, |row| page::time_cursor(row.created_at, row.id.0), Intake::from))
}

pub async fn get(app: &App, id: IntakeId) -> Result<Intake> {
    let row = intakes::get(&app.db, id).await?;
    row.map(Intake::from).ok_or_else(|| ApiError::no_such("intake"))
}
