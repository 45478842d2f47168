//! Jobs as lines of tables, in the words of every command that lists them.

use super::answers::Job;
use super::format;
use super::output::{Cell, Column, Table, Tone};

const JOB: Column = Column::new("JOB").right();
const VIDEO: Column = Column::new("VIDEO").gives();

/// Waiting jobs, with their position and why they wait.
pub(super) fn waiting(jobs: &[Job]) -> Table {
    let columns = [
        JOB,
        VIDEO,
        Column::new("POSITION").right(),
        Column::new("ETA"),
        Column::new("REASON").gives(),
        Column::new("PRIORITY").right().optional(),
        Column::new("AGE").right().optional(),
        Column::new("COLLECTION").optional(),
    ];
    let mut table = Table::new(columns);
    for job in jobs {
        table.row([
            job.number.into(),
            title(job),
            job.position.map_or_else(Cell::default, Cell::from),
            job.eta.as_ref().map(format::eta).unwrap_or_default().into(),
            job.waiting_reason.clone().unwrap_or_default().into(),
            job.priority.into(),
            format::since(job.enqueued_at).into(),
            job.collection.clone().unwrap_or_default().into(),
        ]);
    }
    table
}

/// Running jobs, with their progress.
pub(super) fn running(jobs: &[Job]) -> Table {
    let columns = [
        JOB,
        VIDEO,
        Column::new("DONE").right(),
        Column::new("ETA"),
        Column::new("WORKER").gives(),
        Column::new("ELAPSED").right(),
        Column::new("STEP").optional(),
        Column::new("LAST UPDATE").optional(),
        Column::new("COLLECTION").optional(),
    ];
    let mut table = Table::new(columns);
    for job in jobs {
        table.row([
            job.number.into(),
            title(job),
            format::percent(job.progress_percent).into(),
            job.eta.as_ref().map(format::eta).unwrap_or_default().into(),
            job.worker().unwrap_or_default().into(),
            job.claimed_at.or(job.started_at).map(format::since).unwrap_or_default().into(),
            Cell::from(job.current_step.as_deref().unwrap_or_default().replace('_', " ")),
            job.last_checkpoint.map(format::ago).unwrap_or_default().into(),
            job.collection.clone().unwrap_or_default().into(),
        ]);
    }
    table
}

/// Jobs of whatever state, newest first.
pub(super) fn any(jobs: &[Job]) -> Table {
    let columns = [
        JOB,
        VIDEO,
        Column::new("STATE"),
        Column::new("DONE").right(),
        Column::new("ADDED").right(),
        Column::new("ERROR").gives(),
        Column::new("WORKER").optional(),
        Column::new("COLLECTION").optional(),
    ];
    let mut table = Table::new(columns);
    for job in jobs {
        table.row([
            job.number.into(),
            title(job),
            Cell::state(&job.state),
            format::percent(if job.status == "completed" { 100.0 } else { job.progress_percent }).into(),
            format::ago(job.enqueued_at).into(),
            job.error.clone().unwrap_or_default().into(),
            job.worker().unwrap_or_default().into(),
            job.collection.clone().unwrap_or_default().into(),
        ]);
    }
    table
}

/// Jobs that failed, and why.
pub(super) fn failed(jobs: &[Job]) -> Table {
    let columns =
        [JOB, VIDEO, Column::new("ENDED").right(), Column::new("CLASS"), Column::new("ERROR").gives()];
    let mut table = Table::new(columns);
    for job in jobs {
        table.row([
            job.number.into(),
            title(job),
            job.completed_at.map(format::ago).unwrap_or_default().into(),
            job.error_class.clone().unwrap_or_default().into(),
            Cell::toned(job.error.clone().unwrap_or_default(), Tone::Bad),
        ]);
    }
    table
}

fn title(job: &Job) -> Cell {
    if job.queue_type == "transcode" {
        return job.video_title.clone().into();
    }
    format!("{} ({})", job.video_title, job.queue_type).into()
}
