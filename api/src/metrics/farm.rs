//! Farm metrics, from the database: the same on every instance.
//!
//! Each statement reads an index or a small table; a million jobs are counted in an index. Keep it so.

use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, WorkerStatus};
use prometheus::Registry;

use super::gpus;
use super::sheet::{Sheet, flag, number, size};
use crate::app::App;
use crate::db::job::lists::JobFilter;
use crate::db::{job, queues, workers};
use crate::error::Result;
use crate::responses::health;
use crate::services::surveyor;

pub(super) async fn sheet(app: &App) -> Result<Registry> {
    let sheet = Sheet::new();
    jobs(app, &sheet).await?;
    oldest(app, &sheet).await?;
    switches(app, &sheet).await?;
    people(app, &sheet).await?;
    gpus::put(app, &sheet).await?;
    storage(app, &sheet).await?;
    conditions(app, &sheet).await?;
    Ok(sheet.registry())
}

/// Every kind and status, also those that have none.
async fn jobs(app: &App, sheet: &Sheet) -> Result<()> {
    let counts = job::lists::counts(&app.db, &JobFilter::default()).await?;
    let mut rows = Vec::new();
    for queue in QueueType::ALL {
        for status in JobStatus::ALL {
            let found = counts.iter().find(|row| row.queue_type == *queue && row.status == *status);
            rows.push(([queue.as_str(), status.as_str()], number(found.map_or(0, |row| row.count))));
        }
    }
    let help = "Number of jobs by queue type and status; pending is the queue depth.";
    Ok(sheet.rows("framefarm_jobs", help, ["queue_type", "status"], rows)?)
}

async fn oldest(app: &App, sheet: &Sheet) -> Result<()> {
    let mut rows = Vec::new();
    for queue in QueueType::ALL {
        let since = job::outlook::oldest_claimable(&app.db, *queue).await?;
        let waits = since.map_or(0, |since| (app.clock.now() - since).num_milliseconds().max(0));
        rows.push(([queue.as_str()], number(waits) / 1000.0));
    }
    let help = "Seconds since the longest-waiting claimable job was enqueued; 0 if none is waiting.";
    Ok(sheet.rows("framefarm_queue_oldest_waiting_seconds", help, ["queue_type"], rows)?)
}

async fn switches(app: &App, sheet: &Sheet) -> Result<()> {
    let queues = queues::all(&app.db).await?;
    let rows = queues.iter().map(|queue| ([queue.queue_type.as_str()], flag(queue.paused)));
    let help = "1 while the queue is manually paused and none of its jobs are claimed.";
    Ok(sheet.rows("framefarm_queue_paused", help, ["queue_type"], rows)?)
}

async fn people(app: &App, sheet: &Sheet) -> Result<()> {
    let counts = workers::count_by_status(&app.db).await?;
    let rows = WorkerStatus::ALL.iter().map(|status| {
        let found = counts.iter().find(|(counted, _)| counted == status);
        ([status.as_str()], number(found.map_or(0, |(_, count)| *count)))
    });
    sheet.rows("framefarm_workers", "Number of workers by status.", ["status"], rows)?;
    let draining = number(workers::count_draining(&app.db).await?);
    let help = "Number of workers that are draining and accept no new jobs.";
    Ok(sheet.one("framefarm_workers_draining", help, draining)?)
}

async fn storage(app: &App, sheet: &Sheet) -> Result<()> {
    if let Some(surveyed) = surveyor::found(app).await? {
        let rows = [(["sources"], number(surveyed.source_bytes)), (["videos"], number(surveyed.video_bytes))];
        let help = "Bytes in storage at the last count: sources, and segments of published videos.";
        sheet.rows("framefarm_storage_bytes", help, ["kind"], rows)?;
        let help = "Number of videos in storage at the last count.";
        sheet.one("framefarm_storage_videos", help, number(surveyed.videos))?;
    }
    if let Some(space) = app.storage.space()? {
        sheet.one(
            "framefarm_storage_free_bytes",
            "Free space on the storage disk in bytes.",
            size(space.free),
        )?;
        sheet.one(
            "framefarm_storage_size_bytes",
            "Total size of the storage disk in bytes.",
            size(space.total),
        )?;
    }
    Ok(())
}

async fn conditions(app: &App, sheet: &Sheet) -> Result<()> {
    let present = health::conditions(app).await?;
    let rows = health::Condition::ALL.map(|one| ([one.code()], flag(present.contains(&one))));
    let help = "1 for each active condition of /health and /api/health.";
    Ok(sheet.rows("framefarm_degraded", help, ["code"], rows)?)
}
