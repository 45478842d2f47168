//! The queue as it is at one instant, written page by page.
//!
//! It goes to a file first: the database's snapshot is not held for as long as a slow reader takes, and what goes wrong is
//! an answer of its own instead of a document that ends in the middle.

use std::collections::HashMap;
use std::io::{BufWriter, Seek as _, Write};

use framefarm_shared::id::{CollectionId, JobId, VideoId};
use framefarm_shared::state::JobStatus;
use serde::Serialize;
use uuid::Uuid;

use super::document::{ExportedAttempt, ExportedJob, ExportedVideo, SCHEMA};
use crate::app::App;
use crate::db::{Tx, collections, job};
use crate::error::{ApiError, Result};

/// Rows that are read at once.
const PAGE: i64 = 500;

/// The four parts and what is in each.
const PARTS: [(&str, &[JobStatus]); 4] = [
    ("pending", &[JobStatus::Pending]),
    ("running", &[JobStatus::Running]),
    ("completed", &[JobStatus::Completed]),
    ("errors", &[JobStatus::Failed, JobStatus::Cancelled]),
];

type Names = HashMap<CollectionId, String>;

/// A file without a name that holds the whole document, at its beginning.
pub async fn export(app: &App) -> Result<std::fs::File> {
    let names = collections::all(&app.db).await?.into_iter().map(|row| (row.id, row.name)).collect();
    let mut out = BufWriter::new(tempfile::tempfile_in(app.scratch())?);
    let mut tx = app.db.begin_reading().await?;
    let head = format!("{{\"schema\":{SCHEMA:?},\"exported_at\":");
    out.write_all(head.as_bytes())?;
    write(&mut out, &app.clock.now())?;
    videos(&mut tx, &names, &mut out).await?;
    for (part, statuses) in PARTS {
        jobs(&mut tx, &names, part, statuses, &mut out).await?;
    }
    tx.rollback().await?;
    out.write_all(b"}\n")?;
    let mut file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

async fn videos(tx: &mut Tx, names: &Names, out: &mut impl Write) -> Result<()> {
    let mut items = List::begin(out, "videos")?;
    let mut after = VideoId(Uuid::nil());
    loop {
        let page = job::import::videos_page(tx, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.id;
        for row in page {
            let collection = row.collection_id.and_then(|id| names.get(&id).cloned());
            items.add(&ExportedVideo::of(row, collection))?;
        }
    }
    items.end()
}

async fn jobs(
    tx: &mut Tx,
    names: &Names,
    part: &str,
    statuses: &[JobStatus],
    out: &mut impl Write,
) -> Result<()> {
    let mut items = List::begin(out, part)?;
    let mut after = 0;
    loop {
        let page = job::import::jobs_page(tx, statuses, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.number;
        let ids: Vec<JobId> = page.iter().map(|row| row.id).collect();
        let mut attempts = HashMap::<JobId, Vec<ExportedAttempt>>::new();
        for row in job::import::attempts_of(tx, &ids).await? {
            attempts.entry(row.job_id).or_default().push(row.into());
        }
        for row in page {
            let collection = row.collection_id.and_then(|id| names.get(&id).cloned());
            let attempts = attempts.remove(&row.id).unwrap_or_default();
            items.add(&ExportedJob::of(row, collection, attempts))?;
        }
    }
    items.end()
}

/// A field whose value is a list that is written item by item.
struct List<'a, W> {
    out: &'a mut W,
    is_empty: bool,
}

impl<'a, W: Write> List<'a, W> {
    fn begin(out: &'a mut W, name: &str) -> Result<Self> {
        write!(out, ",\n{name:?}:[")?;
        Ok(Self { out, is_empty: true })
    }

    fn add(&mut self, item: &impl Serialize) -> Result<()> {
        self.out.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
        self.is_empty = false;
        write(self.out, item)
    }

    fn end(self) -> Result<()> {
        self.out.write_all(b"]")?;
        Ok(())
    }
}

fn write(out: &mut impl Write, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(out, value).map_err(|error| match error.io_error_kind() {
        Some(kind) => std::io::Error::from(kind).into(),
        None => ApiError::internal(&error),
    })
}
