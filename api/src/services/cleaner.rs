//! Removes what nobody needs any more: abandoned uploads, deleted videos, leftovers of failed jobs, old history,
//! and stored files that no row refers to.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::{UploadId, VideoId};
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::state::JobStatus;

use super::Counts;
use crate::app::App;
use crate::db::job_lists::{self, JobFilter};
use crate::db::{
    alert_deliveries, credentials, events, garbage, generations, invitations, jobs, uploads, videos,
};
use crate::error::Result;
use crate::lifecycle::{delete, upload};

const BATCH: i64 = 500;

pub async fn run_once(app: App) -> Result<Counts> {
    Ok(vec![
        // Before expiry: an upload whose last byte arrived just before a crash is a video, not rubbish.
        ("uploads_sealed", upload::seal_forgotten(&app).await?),
        ("uploads_expired", expire_uploads(&app).await?),
        ("videos_purged", purge_videos(&app).await?),
        ("leftovers_dropped", drop_leftovers(&app).await?),
        ("jobs_forgotten", forget_jobs(&app).await?),
        ("events_forgotten", forget_events(&app).await?),
        ("alert_deliveries_forgotten", forget_deliveries(&app).await?),
        ("sessions_ended", end_sessions(&app).await?),
        ("invitations_expired", forget_invitations(&app).await?),
        ("garbage_removed", remove_garbage(&app).await?),
        ("orphans_removed", remove_orphans(&app).await?),
    ])
}

fn hours_ago(app: &App, hours: u32) -> DateTime<Utc> {
    app.clock.now() - Duration::hours(hours.into())
}

async fn expire_uploads(app: &App) -> Result<u64> {
    let now = app.clock.now();
    let mut gone = 0;
    for id in uploads::expired(&app.db, now).await? {
        gone += u64::from(upload::expire(app, id).await?);
    }
    Ok(gone + app.uploads.sweep(&app.db, hours_ago(app, app.settings.orphan_hours)).await?)
}

async fn purge_videos(app: &App) -> Result<u64> {
    let mut purged = 0;
    for video in videos::deleted_by(&app.db, hours_ago(app, app.settings.deleted_video_hours), BATCH).await? {
        purged += u64::from(delete::purge(app, video).await?);
    }
    Ok(purged)
}

/// Partial output of jobs that failed for good and that nobody retried.
async fn drop_leftovers(app: &App) -> Result<u64> {
    if !app.settings.cleanup_partial_on_failure {
        return Ok(0);
    }
    let mut dropped = 0;
    for leftover in jobs::leftovers(&app.db, hours_ago(app, app.settings.orphan_hours)).await? {
        let mut tx = app.db.begin().await?;
        if jobs::hold_if_ended(&mut tx, leftover.id).await?
            && generations::delete_unless_published(&mut tx, leftover.video_id, leftover.generation).await?
        {
            let prefix = ObjectKey::generation_prefix(leftover.video_id, leftover.generation);
            garbage::add(&mut tx, &prefix, "its job failed", app.clock.now()).await?;
            dropped += 1;
        }
        tx.commit().await?;
    }
    Ok(dropped)
}

/// Short transactions one after the other, so that claims get in between.
async fn forget_jobs(app: &App) -> Result<u64> {
    let instant = app.clock.now() - Duration::days(app.settings.completed_retention_days.into());
    let filter = JobFilter { status: Some(JobStatus::Completed), ..JobFilter::default() };
    let mut forgotten = 0;
    loop {
        let mut tx = app.db.begin().await?;
        let gone = job_lists::delete_ended(&mut tx, &filter, Some(instant), BATCH).await?;
        tx.commit().await?;
        if gone == 0 {
            return Ok(forgotten);
        }
        forgotten += gone;
    }
}

async fn forget_events(app: &App) -> Result<u64> {
    let instant = app.clock.now() - Duration::days(app.settings.event_retention_days.into());
    let mut forgotten = 0;
    loop {
        let mut tx = app.db.begin().await?;
        let gone = events::delete_before(&mut tx, instant, BATCH).await?;
        tx.commit().await?;
        if gone == 0 {
            return Ok(forgotten);
        }
        forgotten += gone;
    }
}

async fn forget_deliveries(app: &App) -> Result<u64> {
    let instant = app.clock.now() - Duration::days(app.settings.alerts.alert_retention_days.into());
    let mut forgotten = 0;
    loop {
        let mut tx = app.db.begin().await?;
        let gone = alert_deliveries::delete_finished_before(&mut tx, instant, BATCH).await?;
        tx.commit().await?;
        if gone == 0 {
            return Ok(forgotten);
        }
        forgotten += gone;
    }
}

async fn end_sessions(app: &App) -> Result<u64> {
    let mut tx = app.db.begin().await?;
    let ended = credentials::delete_expired_sessions(&mut tx, app.clock.now()).await?;
    tx.commit().await?;
    Ok(ended)
}

/// A day longer than they are good for: who comes late is told that it expired.
async fn forget_invitations(app: &App) -> Result<u64> {
    let mut tx = app.db.begin().await?;
    let forgotten = invitations::delete_expired(&mut tx, app.clock.now() - Duration::days(1)).await?;
    tx.commit().await?;
    Ok(forgotten)
}

/// A player in the middle of an old generation keeps its segments for a while.
const GARBAGE_REST: Duration = Duration::minutes(10);

async fn remove_garbage(app: &App) -> Result<u64> {
    let mut removed = 0;
    for prefix in garbage::due(&app.db, app.clock.now() - GARBAGE_REST, BATCH).await? {
        removed += app.storage.delete_prefix(&prefix).await?;
        let mut tx = app.db.begin().await?;
        garbage::remove(&mut tx, &prefix).await?;
        tx.commit().await?;
    }
    Ok(removed)
}

/// Files of videos and uploads that have no row: something ended between storing them and the database.
async fn remove_orphans(app: &App) -> Result<u64> {
    let old = hours_ago(app, app.settings.orphan_hours);
    let mut removed = 0;
    for root in ["sources", "videos", "uploads"] {
        for name in app.storage.directories(root).await? {
            let prefix = format!("{root}/{name}");
            if !is_known(app, root, &name).await?
                && app.storage.newest_below(&prefix).await?.is_some_and(|newest| newest < old)
            {
                removed += app.storage.delete_prefix(&prefix).await?;
            }
        }
    }
    Ok(removed)
}

/// What is not named by us is left alone, too. The upload is looked for before the video: a store dates an object by
/// the beginning of its upload, so a source may look old in the moment before its video's row is there.
async fn is_known(app: &App, root: &str, name: &str) -> Result<bool> {
    if root == "uploads" {
        let Ok(id) = name.parse::<UploadId>() else { return Ok(true) };
        return Ok(uploads::get(&app.db, id).await?.is_some());
    }
    let Ok(video) = name.parse::<VideoId>() else { return Ok(true) };
    Ok(uploads::has_source(&app.db, video).await? || videos::get(&app.db, video).await?.is_some())
}
