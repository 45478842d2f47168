//! Rows of the database from rows of an export.

use chrono::{DateTime, Utc};
use framefarm_shared::id::CollectionId;
use framefarm_shared::state::{AttemptOutcome, JobStatus, VideoStatus};
use sqlx::types::Json;

use super::document::{ExportedJob, ExportedVideo};
use crate::db::job::JobRow;
use crate::db::job::attempts::AttemptRow;
use crate::db::videos::VideoRow;

/// By this sentence alone, earlier versions told a cancelled video from one that failed.
const CANCELLED: &str = "Cancelled.";

/// Nobody works on a video that has just come. `live` are generations that its waiting jobs will work on.
pub(super) fn video(video: ExportedVideo, collection_id: Option<CollectionId>, live: &[i32]) -> VideoRow {
    let plays = video.status == VideoStatus::Ready;
    let status = match video.status {
        VideoStatus::Ready => VideoStatus::Ready,
        VideoStatus::Failed if live.is_empty() => VideoStatus::Failed,
        _ => VideoStatus::Pending,
    };
    let cancelled = video.cancelled.unwrap_or_else(|| video.error_message.as_deref() == Some(CANCELLED));
    let failed = (status == VideoStatus::Failed)
        .then(|| video.error_message.unwrap_or_else(|| "Failed before the export.".to_owned()));
    VideoRow {
        id: video.id,
        slug: video.slug,
        title: video.title,
        collection_id,
        status,
        source_name: video.source_name,
        source_size: video.source_size,
        source_sha256: video.source_sha256,
        identity: video.identity,
        wanted: video.wanted.map(Json),
        generation: if plays { video.generation } else { 0 },
        last_generation: live.iter().copied().fold(video.last_generation, i32::max),
        duration_us: video.duration_us,
        width: video.width,
        height: video.height,
        renditions: video.renditions.map(Json),
        cancelled: cancelled && failed.is_some(),
        error_message: failed,
        created_at: video.created_at,
        ready_at: video.ready_at,
        deleted_at: None,
        source_deleted_at: video.source_deleted_at,
    }
}

/// A job that ran waits again, under the same fence: whoever held it is refused, and the next claim's is higher.
pub(super) fn job(job: &ExportedJob, collection_id: Option<CollectionId>, now: DateTime<Utc>) -> JobRow {
    let ran = job.status == JobStatus::Running;
    let status = if ran { JobStatus::Pending } else { job.status };
    let ended = status != JobStatus::Pending;
    let error = match (&job.error, status) {
        (None, JobStatus::Failed) => Some("Failed before the export.".to_owned()),
        (error, _) => error.clone(),
    };
    JobRow {
        number: job.number,
        id: job.id,
        video_id: job.video_id,
        collection_id,
        queue_type: job.queue_type,
        identity: job.identity.clone(),
        status,
        priority: job.priority,
        sort_at: job.sort_at,
        enqueued_at: job.enqueued_at,
        claimable_at: if ran { now } else { job.claimable_at },
        retry_after: job.retry_after.filter(|_| !ran && !ended),
        generation: job.generation,
        retranscode: job.retranscode.clone().map(Json),
        fence: job.fence,
        worker_id: None,
        claimed_at: None,
        claim_expires_at: None,
        attempt_number: job.attempt_number,
        attempt_started_at: job.attempt_started_at,
        failure_count: job.failure_count,
        lost_count: job.lost_count,
        max_attempts: job.max_attempts,
        max_lost: job.max_lost,
        requeue_count: job.requeue_count,
        encoder_failures: job.encoder_failures,
        current_step: job.current_step.filter(|_| ended),
        progress_percent: job.progress_percent,
        eta_seconds: None,
        last_checkpoint: None,
        progressed_at: None,
        started_at: job.started_at,
        finished_at: ended.then(|| job.finished_at.unwrap_or(now)),
        error,
        error_class: job.error_class,
        results: job.results.clone().map(Json),
        processed_by_worker_id: job.processed_by_worker_id,
        processed_by_worker_name: job.processed_by_worker_name.clone(),
        gpu_needs: job.gpu_needs,
        absent_since: None,
    }
}

/// One that went on when the queue was exported ended with that, as far as this farm knows.
pub(super) fn attempts(job: ExportedJob, exported_at: DateTime<Utc>) -> impl Iterator<Item = AttemptRow> {
    let job_id = job.id;
    job.attempts.into_iter().map(move |attempt| AttemptRow {
        job_id,
        fence: attempt.fence,
        number: attempt.number,
        worker_id: attempt.worker_id,
        worker_name: attempt.worker_name,
        started_at: attempt.started_at,
        ended_at: Some(attempt.ended_at.unwrap_or(exported_at)),
        outcome: Some(attempt.outcome.unwrap_or(AttemptOutcome::Exported)),
        error_class: attempt.error_class,
        error: attempt.error,
        log: attempt.log,
    })
}
