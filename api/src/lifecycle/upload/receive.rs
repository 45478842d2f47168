//! A piece of an upload arrives and is counted.

use std::fmt::Display;

use axum::http::{HeaderName, StatusCode};
use bytes::Bytes;
use framefarm_shared::id::UploadId;
use futures::Stream;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use super::{Upload, UploadRow, find, is_whole, life, seal};
use crate::app::App;
use crate::db::uploads;
use crate::error::{ApiError, Result};
use crate::uploads::{Held, Writer, incoming};

/// A piece may be a whole file of many gigabytes; a crash in its middle costs at most this much.
const CHECKPOINT: u64 = 64 * 1024 * 1024;

/// What the bytes of one request must hash to. Until they are known to, none of them count.
#[derive(Clone, Debug)]
pub enum Checksum {
    Sha1 { hash: Sha1, expected: Vec<u8> },
    Sha256 { hash: Sha256, expected: Vec<u8> },
}

impl Checksum {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1 { hash, .. } => hash.update(bytes),
            Self::Sha256 { hash, .. } => hash.update(bytes),
        }
    }

    fn matches(self) -> bool {
        match self {
            Self::Sha1 { hash, expected } => hash.finalize()[..] == expected[..],
            Self::Sha256 { hash, expected } => hash.finalize()[..] == expected[..],
        }
    }
}

/// Appends the body at `offset` and seals the upload with its last byte. What arrived before the connection broke,
/// or before a newer request took over, is kept.
pub async fn receive<S, E>(
    app: &App,
    id: UploadId,
    offset: u64,
    checksum: Option<Checksum>,
    mut body: S,
    actor: &str,
) -> Result<Upload>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
    E: Display,
{
    let held = app.uploads.hold(id).await?;
    let mut row = find(app, id).await?;
    if u64::try_from(row.received).ok() != Some(offset) {
        return Err(wrong_offset(&row));
    }
    if row.status == "sealed" {
        return Ok(row.into());
    }
    let mut writer = app.uploads.writer(id, offset).await.map_err(damaged)?;
    let mut piece = Piece { app, held: &held, row: &mut row, writer: &mut writer };
    let ended = match checksum {
        Some(checksum) => piece.take_checked(&mut body, checksum).await,
        None => piece.take(&mut body).await,
    };
    writer.settle().await;
    if is_whole(&row) {
        return seal::seal(app, &row, actor).await.map_err(kept_for_later);
    }
    ended.map(|()| row.into())
}

/// One request's bytes on their way to the disk.
struct Piece<'a> {
    app: &'a App,
    held: &'a Held,
    row: &'a mut UploadRow,
    writer: &'a mut Writer,
}

impl Piece<'_> {
    async fn take<S, E>(&mut self, body: &mut S) -> Result<()>
    where
        S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
        E: Display,
    {
        loop {
            let next = self.next(body).await;
            if let Ok(Some(bytes)) = &next {
                self.writer.write(bytes).await?;
                if self.writer.position() - self.row.received.unsigned_abs() >= CHECKPOINT {
                    self.count().await?;
                }
                continue;
            }
            self.count().await?;
            return next.map(drop);
        }
    }

    /// All or nothing.
    async fn take_checked<S, E>(&mut self, body: &mut S, mut checksum: Checksum) -> Result<()>
    where
        S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
        E: Display,
    {
        while let Some(bytes) = self.next(body).await? {
            checksum.update(&bytes);
            self.writer.write(&bytes).await?;
        }
        if checksum.matches() { self.count().await } else { Err(checksum_mismatch()) }
    }

    async fn next<S, E>(&mut self, body: &mut S) -> Result<Option<Bytes>>
    where
        S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
        E: Display,
    {
        let bytes = tokio::select! {
            biased;
            () = self.held.wanted() => return Err(taken_over()),
            bytes = incoming::next(body) => bytes?,
        };
        let after = self.writer.position() + bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if after > self.row.length.unsigned_abs() { Err(too_long()) } else { Ok(bytes) }
    }

    /// On disk first, then in the database.
    async fn count(&mut self) -> Result<()> {
        let to = i64::try_from(self.writer.position()).map_err(|error| ApiError::internal(&error))?;
        if to == self.row.received {
            return Ok(());
        }
        self.writer.sync().await?;
        let expires_at = self.app.clock.now() + life(self.app);
        let mut tx = self.app.db.begin().await?;
        if !uploads::advance_if_at(&mut tx, self.row.id, self.row.received, to, expires_at).await? {
            let detail = "The upload was dropped or moved on while these bytes came; ask for its offset.";
            return Err(ApiError::conflict("upload_changed", detail));
        }
        tx.commit().await?;
        self.app.uploads.counted(self.row.id, self.writer);
        (self.row.received, self.row.expires_at) = (to, expires_at);
        Ok(())
    }
}

fn wrong_offset(row: &UploadRow) -> ApiError {
    let detail = format!("The upload has {} of {} bytes; go on from there.", row.received, row.length);
    ApiError::conflict("wrong_offset", detail)
        .header(HeaderName::from_static("upload-offset"), row.received.into())
}

fn too_long() -> ApiError {
    let detail = "More bytes came than the upload was created for.";
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "upload_too_long", detail)
}

fn taken_over() -> ApiError {
    let detail = "A newer request for this upload took over; what arrived is kept.";
    ApiError::new(StatusCode::LOCKED, "upload_taken_over", detail)
}

fn checksum_mismatch() -> ApiError {
    let status = StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST);
    ApiError::new(
        status,
        "checksum_mismatch",
        "The bytes do not match Upload-Checksum and were discarded; send them again.",
    )
}

/// Counted bytes are on disk unless somebody removed them.
fn damaged(error: std::io::Error) -> ApiError {
    use std::io::ErrorKind::{NotFound, UnexpectedEof};
    if matches!(error.kind(), NotFound | UnexpectedEof) {
        tracing::error!(%error, "a staging file lost bytes");
        let detail = "The bytes of this upload are gone from the disk; begin again.";
        return ApiError::new(StatusCode::GONE, "upload_damaged", detail);
    }
    error.into()
}

/// 409 would tell a tus client to send the last piece again, which changes nothing.
fn kept_for_later(error: ApiError) -> ApiError {
    if error.status != StatusCode::CONFLICT {
        return error;
    }
    let detail = format!("{} The upload is kept and queued as soon as that is possible.", error.detail);
    ApiError::unprocessable(error.code, detail)
}
