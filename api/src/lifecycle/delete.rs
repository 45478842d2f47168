//! A video is deleted softly, may be restored, and is swept for good later.

use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::wire::event::EventKind;

use super::cancel::cancel_in;
use crate::app::App;
use crate::db::events::Event;
use crate::db::videos::VideoRow;
use crate::db::{events, garbage, job, videos};
use crate::error::{ApiError, Result};
use crate::lifecycle::FARM;

pub async fn delete(app: &App, video: VideoId, actor: &str) -> Result<()> {
    while !delete_with_jobs(app, video, actor).await? {}
    Ok(())
}

/// `false`, and nothing was changed, if somebody had a job of it begin meanwhile.
async fn delete_with_jobs(app: &App, video: VideoId, actor: &str) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // Jobs before the video, the order of the claim's locks.
    for job in job::live_of_video(&mut tx, video).await? {
        cancel_in(app, &mut tx, &job, actor, Some("its video was deleted")).await?;
    }
    // Whoever makes a job of it live holds the video to the end, so from here on there are no new ones.
    videos::lock(&mut tx, video).await?;
    if job::any_live_of_video(&mut tx, video).await? {
        tx.rollback().await?;
        return Ok(false);
    }
    if !videos::delete_softly(&mut tx, video, now).await? {
        return Err(ApiError::no_such("video"));
    }
    events::append(&mut tx, Event::of_video(EventKind::VideoDeleted, actor, video), now).await?;
    tx.commit().await?;
    Ok(true)
}

/// Undoes a deletion that was not swept yet. Cancelled jobs stay cancelled; a retry starts them again.
pub async fn restore(app: &App, video: VideoId, actor: &str) -> Result<VideoRow> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let Some(row) = videos::restore(&mut tx, video).await? else {
        return Err(ApiError::no_such("deleted video"));
    };
    events::append(&mut tx, Event::of_video(EventKind::VideoRestored, actor, video), now).await?;
    tx.commit().await?;
    Ok(row)
}

/// Removes a deleted video's rows and leaves its files to the cleaner.
pub async fn purge(app: &App, video: VideoId) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    if !videos::purge_if_deleted(&mut tx, video).await? {
        return Ok(false);
    }
    for prefix in [ObjectKey::video_prefix(video), ObjectKey::source_prefix(video)] {
        garbage::add(&mut tx, &prefix, "its video was deleted", now).await?;
    }
    let event = Event::of_video(EventKind::VideoDeleted, FARM, video).because("deleted permanently");
    events::append(&mut tx, event, now).await?;
    tx.commit().await?;
    Ok(true)
}
