//! Where the bytes of an upload go: a file of this disk, or parts in an object store.

use super::UploadRow;
use super::errors::{changed, damaged_file, taken_over};
use super::life;
use super::parts::PartWriter;
use crate::app::App;
use crate::db::upload_parts::{self, UploadPartRow};
use crate::db::uploads::{self, Advance};
use crate::error::{ApiError, Result};
use crate::uploads::Writer;

/// A piece may be a whole file of many gigabytes; a crash in its middle costs at most this much on a disk.
const CHECKPOINT: u64 = 64 * 1024 * 1024;

pub(super) enum Sink {
    Disk(Box<Writer>),
    Parts(Box<PartWriter>),
}

/// How much is to be made safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// What is there by itself; more is coming.
    Stored,
    /// Every byte so far; another request may bring more.
    Here,
    /// Every byte, and there will be no other.
    Last,
}

/// Bytes that survive a crash, to be counted.
pub(super) struct Kept {
    pub(super) to: u64,
    pub(super) parts: Vec<UploadPartRow>,
    pub(super) rest_turn: Option<i64>,
    pub(super) digest: Option<Vec<u8>>,
}

impl Sink {
    /// For the holder of the turn in `row`, which is told where its parts go if that is new.
    pub(super) async fn open(app: &App, row: &mut UploadRow) -> Result<Self> {
        if app.storage.remote().is_some() {
            return Ok(Self::Parts(Box::new(PartWriter::open(app, row).await?)));
        }
        let writer = app.uploads.writer(row.id, row.received.unsigned_abs()).await;
        Ok(Self::Disk(Box::new(writer.map_err(damaged_file)?)))
    }

    pub(super) fn position(&self) -> u64 {
        match self {
            Self::Disk(writer) => writer.position(),
            Self::Parts(writer) => writer.position(),
        }
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Disk(writer) => Ok(writer.write(bytes).await?),
            Self::Parts(writer) => writer.write(bytes).await,
        }
    }

    /// Whether it is time to count although more is coming.
    pub(super) fn is_due(&self, row: &UploadRow) -> bool {
        match self {
            Self::Disk(writer) => writer.position() - row.received.unsigned_abs() >= CHECKPOINT,
            Self::Parts(writer) => writer.is_due(),
        }
    }

    async fn keep(&mut self, until: Until) -> Result<Kept> {
        match self {
            Self::Disk(writer) => {
                writer.sync().await?;
                Ok(Kept { to: writer.position(), parts: Vec::new(), rest_turn: None, digest: None })
            }
            Self::Parts(writer) => writer.keep(until).await,
        }
    }

    async fn counted(&mut self, app: &App, before: &UploadRow, to: i64) {
        match self {
            Self::Disk(writer) => app.uploads.counted(before.id, writer),
            Self::Parts(writer) => writer.counted(before, to).await,
        }
    }

    /// Safe first, then in the database, under the turn of `row`.
    pub(super) async fn count(&mut self, app: &App, row: &mut UploadRow, until: Until) -> Result<()> {
        let before = row.received.unsigned_abs();
        if self.position() == before {
            return Ok(());
        }
        let kept = self.keep(until).await?;
        if kept.to == before {
            return Ok(());
        }
        let to = i64::try_from(kept.to).map_err(|error| ApiError::internal(&error))?;
        let expires_at = app.clock.now() + life(app);
        let new = Advance {
            id: row.id,
            turn: row.turn,
            from: row.received,
            to,
            expires_at,
            rest_turn: kept.rest_turn,
            digest: kept.digest.as_deref(),
        };
        let mut tx = app.db.begin().await?;
        if !uploads::advance_if_at(&mut tx, &new).await? {
            tx.rollback().await?;
            return Err(overtaken(app, row).await?);
        }
        for part in &kept.parts {
            upload_parts::insert(&mut tx, row.id, part).await?;
        }
        tx.commit().await?;
        self.counted(app, row, to).await;
        (row.received, row.expires_at) = (to, expires_at);
        (row.rest_turn, row.digest) = (kept.rest_turn, kept.digest);
        Ok(())
    }

    /// Nothing of this sink reaches the file after this.
    pub(super) async fn settle(self) {
        if let Self::Disk(writer) = self {
            writer.settle().await;
        }
    }
}

/// Why bytes did not count.
async fn overtaken(app: &App, row: &UploadRow) -> Result<ApiError> {
    let now = uploads::get(&app.db, row.id).await?;
    Ok(if now.is_some_and(|now| now.turn != row.turn) { taken_over() } else { changed() })
}
