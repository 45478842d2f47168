//! The current work on a video.

use std::collections::HashMap;

use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::ladder::MediaKind;
use framefarm_shared::state::{JobState, JobStatus, QualityStatus, Step};
use serde::Serialize;
use utoipa::ToSchema;

use super::jobs::{Context, Job};
use crate::app::App;
use crate::db::qualities::QualityRow;
use crate::db::videos::VideoRow;
use crate::db::{job, qualities};
use crate::error::Result;
use crate::estimate::{Eta, Waiting};

/// The waiting or running transcode of a video.
#[derive(Debug, Serialize, ToSchema)]
pub struct Work {
    pub job_id: JobId,
    pub job_number: i64,
    pub status: JobStatus,
    pub state: JobState,
    pub percent: f64,
    pub step: Option<Step>,
    pub worker_name: Option<String>,
    pub position: Option<i64>,
    pub waiting: Option<Waiting>,
    pub eta: Option<Eta>,
    /// The qualities that it encodes; empty until the source was probed.
    pub qualities: Vec<QualityBar>,
}

/// Progress of one rendition.
#[derive(Debug, Serialize, ToSchema)]
pub struct QualityBar {
    pub name: String,
    pub kind: MediaKind,
    pub status: QualityStatus,
    pub percent: f64,
}

pub(super) async fn of_videos(app: &App, videos: &[VideoRow]) -> Result<HashMap<VideoId, Work>> {
    let ids: Vec<VideoId> = videos.iter().map(|video| video.id).collect();
    let rows = job::live_transcodes(&app.db, &ids).await?;
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let context = Context::load(app, &[]).await?;
    let mut bars = HashMap::<(VideoId, i32), Vec<QualityBar>>::new();
    for row in qualities::in_the_making(&app.db, &ids).await? {
        bars.entry((row.video_id, row.generation)).or_default().push(row.into());
    }
    let view = |row: job::JobRow| {
        let (video, bars) = (row.video_id, bars.remove(&(row.video_id, row.generation)));
        (video, Work::of(context.view(row), bars.unwrap_or_default()))
    };
    Ok(rows.into_iter().map(view).collect())
}

impl Work {
    fn of(job: Job, qualities: Vec<QualityBar>) -> Self {
        Self {
            job_id: job.id,
            job_number: job.number,
            status: job.status,
            state: job.state,
            percent: job.progress_percent,
            step: job.current_step,
            worker_name: job.worker_name,
            position: job.position,
            waiting: job.waiting,
            eta: job.eta,
            qualities,
        }
    }
}

impl From<QualityRow> for QualityBar {
    fn from(row: QualityRow) -> Self {
        Self { name: row.name, kind: row.kind, status: row.status, percent: row.progress_percent }
    }
}
