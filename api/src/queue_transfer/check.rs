//! Whether a row of an export can be a row of this database. A document may have been written by hand.

use chrono::{DateTime, Datelike as _, Utc};

use super::document::{ExportedAttempt, ExportedJob, ExportedVideo};
use framefarm_shared::state::VideoStatus;

/// The largest whole number that every reader of JSON has. The fences of a restored farm begin at the time in milliseconds.
const MOST: i64 = 9_007_199_254_740_991;
const MOST_SMALL: i32 = 1_000_000;

/// The field that is wrong.
pub(super) type Wrong = &'static str;

fn text(name: Wrong, text: &str, limit: usize) -> Result<(), Wrong> {
    let fine =
        !text.trim().is_empty() && text.chars().count() <= limit && !text.chars().any(char::is_control);
    if fine { Ok(()) } else { Err(name) }
}

fn words(name: Wrong, text: Option<&String>) -> Result<(), Wrong> {
    if text.is_some_and(|text| text.len() > 10_000) { Err(name) } else { Ok(()) }
}

pub(super) fn times<const N: usize>(name: Wrong, all: [Option<DateTime<Utc>>; N]) -> Result<(), Wrong> {
    let fine = all.iter().flatten().all(|at| (1970..=9999).contains(&at.year()));
    if fine { Ok(()) } else { Err(name) }
}

fn small<const N: usize>(name: Wrong, all: [i32; N]) -> Result<(), Wrong> {
    if all.iter().all(|number| (0..=MOST_SMALL).contains(number)) { Ok(()) } else { Err(name) }
}

fn is(name: Wrong, fine: bool) -> Result<(), Wrong> {
    if fine { Ok(()) } else { Err(name) }
}

pub(super) fn video(video: &ExportedVideo) -> Result<(), Wrong> {
    text("slug", &video.slug, 100)?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    is("slug", video.slug.chars().all(plain))?;
    text("title", &video.title, 300)?;
    text("source_name", &video.source_name, 1000)?;
    text("source_sha256", &video.source_sha256, 64)?;
    text("identity", &video.identity, 200)?;
    if let Some(name) = &video.collection {
        text("collection", name, 100)?;
    }
    words("error_message", video.error_message.as_ref())?;
    is("source_size", video.source_size >= 0)?;
    small("generation", [video.generation, video.last_generation])?;
    is("generation", video.generation <= video.last_generation)?;
    is("generation", video.status != VideoStatus::Ready || video.generation > 0)?;
    times("created_at", [Some(video.created_at), video.ready_at, video.source_deleted_at])
}

pub(super) fn job(job: &ExportedJob) -> Result<(), Wrong> {
    text("identity", &job.identity, 200)?;
    if let Some(name) = &job.collection {
        text("collection", name, 100)?;
    }
    is("priority", (-1000..=1000).contains(&job.priority))?;
    is("fence", (0..=MOST).contains(&job.fence))?;
    small("attempt_number", [job.attempt_number, job.failure_count, job.lost_count])?;
    small("requeue_count", [job.requeue_count, job.encoder_failures, job.generation])?;
    is("max_attempts", (1..=MOST_SMALL).contains(&job.max_attempts))?;
    is("max_lost", (1..=MOST_SMALL).contains(&job.max_lost))?;
    is("generation", job.generation > 0)?;
    is("progress_percent", (0.0..=100.0).contains(&job.progress_percent))?;
    times("sort_at", [Some(job.sort_at), Some(job.enqueued_at), Some(job.claimable_at), job.retry_after])?;
    times("started_at", [job.attempt_started_at, job.started_at, job.finished_at])?;
    words("error", job.error.as_ref())?;
    words("processed_by_worker_name", job.processed_by_worker_name.as_ref())?;
    job.attempts.iter().try_for_each(attempt)
}

fn attempt(attempt: &ExportedAttempt) -> Result<(), Wrong> {
    is("attempts", (0..=MOST).contains(&attempt.fence))?;
    small("attempts", [attempt.number])?;
    times("attempts", [Some(attempt.started_at), attempt.ended_at])?;
    words("attempts", Some(&attempt.worker_name))?;
    for told in [&attempt.error_class, &attempt.error, &attempt.log] {
        words("attempts", told.as_ref())?;
    }
    Ok(())
}
