//! A piece of an upload arrives and is counted.

use framefarm_shared::state::UploadStatus;
use std::fmt::Display;

use bytes::Bytes;
use framefarm_shared::id::UploadId;
use futures::Stream;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use super::drop::drop_taken;
use super::errors::{
    NOT_SUPPORTED, checksum_mismatch, kept_for_later, not_supported, taken_over, too_long, wrong_offset,
};
use super::sink::{Sink, Until};
use super::{Upload, UploadRow, find, is_whole, life, seal, take};
use crate::app::App;
use crate::db::uploads;
use crate::error::Result;
use crate::uploads::file_type::not_media;
use crate::uploads::{Held, incoming};

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
    // Before it is taken as well: who asks for the wrong place overtakes nobody.
    let row = find(app, id).await?;
    if row.received.unsigned_abs() != offset {
        return Err(wrong_offset(&row));
    }
    let mut row = take(app, id).await?;
    if row.received.unsigned_abs() != offset {
        return Err(wrong_offset(&row));
    }
    if row.status == UploadStatus::Sealed {
        return Ok(row.into());
    }
    if is_whole(&row) {
        return seal::seal(app, &row, actor).await.map_err(kept_for_later);
    }
    let mut sink = Sink::open(app, &mut row).await?;
    let mut piece = Piece { app, held: &held, row: &mut row, sink: &mut sink };
    let ended = match checksum {
        Some(checksum) => piece.take_checked(&mut body, checksum).await,
        None => piece.take(&mut body).await,
    };
    sink.settle().await;
    if ended.as_ref().is_err_and(|error| error.code == NOT_SUPPORTED) {
        drop_taken(app, &row).await?;
    }
    if is_whole(&row) {
        return seal::seal(app, &row, actor).await.map_err(kept_for_later);
    }
    ended.map(|()| row.into())
}

/// One request's bytes on their way.
struct Piece<'a> {
    app: &'a App,
    held: &'a Held,
    row: &'a mut UploadRow,
    sink: &'a mut Sink,
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
                self.sink.write(bytes).await?;
                if self.sink.is_due(self.row) {
                    self.sink.count(self.app, self.row, Until::Stored).await?;
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
            self.sink.write(&bytes).await?;
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
        if self.row.received == 0
            && self.sink.position() == 0
            && bytes.as_ref().is_some_and(|b| !b.is_empty())
        {
            if let Some(what) = bytes.as_deref().and_then(not_media) {
                return Err(not_supported(what));
            }
            self.prolong().await?;
        }
        let after = self.sink.position() + bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if after > self.row.length.unsigned_abs() { Err(too_long()) } else { Ok(bytes) }
    }

    /// Its first byte came, and it may take long until there are enough to count.
    async fn prolong(&mut self) -> Result<()> {
        let expires_at = self.app.clock.now() + life(self.app);
        let mut tx = self.app.db.begin().await?;
        if !uploads::prolong_if_turn(&mut tx, self.row.id, self.row.turn, expires_at).await? {
            return Err(taken_over());
        }
        tx.commit().await?;
        self.row.expires_at = expires_at;
        Ok(())
    }

    async fn count(&mut self) -> Result<()> {
        let is_last = self.sink.position() == self.row.length.unsigned_abs();
        self.sink.count(self.app, self.row, if is_last { Until::Last } else { Until::Here }).await
    }
}
