//! The bytes of an upload on their way into an object store, as parts of the source object.
//!
//! Parts have one size but for the last. While one is sent the next is filled; memory holds two. The number of a part
//! is reserved before it is sent and never used again, so that a late part of a holder who was overtaken is never a
//! part of the file. What is behind the last part when a request ends is stored as a small object of its own.

use bytes::{Bytes, BytesMut};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use sha2::{Digest as _, Sha256};
use tokio_util::task::AbortOnDropHandle;

use super::UploadRow;
use super::errors::{damaged, taken_over};
use super::sink::{Kept, Until};
use crate::app::App;
use crate::db::upload_parts::{self, UploadPartRow};
use crate::db::uploads::{self, Target};
use crate::error::{ApiError, Result};
use crate::storage::{Remote, StoredPart};
use crate::uploads::digests;

/// No store takes more.
const MOST_PARTS: u64 = 10_000;
/// So many the file needs at most; the others are for numbers that are reserved in vain.
const USED_PARTS: u64 = 9_000;
const MIB: u64 = 1024 * 1024;
const SMALLEST_PART: u64 = 8 * MIB;

/// 8 MiB, and more for files that would need too many of those: 30 MiB at 256 GiB.
pub(super) fn part_size(length: u64) -> u64 {
    length.div_ceil(USED_PARTS).next_multiple_of(MIB).max(SMALLEST_PART)
}

pub(super) struct PartWriter {
    app: App,
    row: UploadRow,
    source: ObjectKey,
    multipart: String,
    part_size: usize,
    /// What is behind the last part.
    filling: BytesMut,
    position: u64,
    digest: Option<Sha256>,
    sending: Option<AbortOnDropHandle<Result<Sent>>>,
    /// The store has them, the database does not know yet.
    sent: Vec<Sent>,
}

/// A part that the store has.
struct Sent {
    part: UploadPartRow,
    /// The position behind it, and the digest up to there.
    end: u64,
    digest: Option<Sha256>,
}

impl PartWriter {
    /// For the holder of the turn in `row`: goes on where the database stands, or begins the object.
    pub(super) async fn open(app: &App, row: &mut UploadRow) -> Result<Self> {
        let (source, multipart) = match (row.source_id, row.multipart.clone()) {
            (Some(source), Some(multipart)) => (ObjectKey::Source { video: source }, multipart),
            _ if row.received > 0 => return Err(damaged("its bytes are in another storage")),
            _ => begin(app, row).await?,
        };
        let counted: i64 = upload_parts::all(&app.db, row.id).await?.iter().map(|part| part.size).sum();
        let digest = match &row.digest {
            Some(saved) => digests::restore(saved),
            None => (row.received == 0).then(Sha256::new),
        };
        Ok(Self {
            filling: rest(app, row, row.received - counted).await?,
            part_size: usize::try_from(row.part_size.unwrap_or_default()).unwrap_or_default().max(1),
            position: row.received.unsigned_abs(),
            app: app.clone(),
            row: row.clone(),
            source,
            multipart,
            digest,
            sending: None,
            sent: Vec::new(),
        })
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Whether there is something to count.
    pub(super) fn is_due(&self) -> bool {
        !self.sent.is_empty()
    }

    pub(super) async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(self.part_size - self.filling.len()));
            if let Some(digest) = &mut self.digest {
                digest.update(now);
            }
            self.filling.extend_from_slice(now);
            self.position += now.len() as u64;
            bytes = later;
            if self.filling.len() == self.part_size {
                self.send().await?;
            }
        }
        Ok(())
    }

    /// Begins to send what was filled, once the part before it is there.
    async fn send(&mut self) -> Result<()> {
        self.arrived().await?;
        let number = self.reserve().await?;
        let bytes = std::mem::take(&mut self.filling).freeze();
        let (app, source, multipart) = (self.app.clone(), self.source.clone(), self.multipart.clone());
        let (end, digest) = (self.position, self.digest.clone());
        let sending = tokio::spawn(async move {
            let size = i64::try_from(bytes.len()).map_err(|error| ApiError::internal(&error))?;
            let StoredPart { tag, .. } = put(&app, &source, &multipart, number, bytes).await?;
            Ok(Sent { part: UploadPartRow { number, size, tag }, end, digest })
        });
        self.sending = Some(AbortOnDropHandle::new(sending));
        Ok(())
    }

    async fn arrived(&mut self) -> Result<()> {
        if let Some(sending) = self.sending.take() {
            self.sent.push(sending.await??);
        }
        Ok(())
    }

    async fn reserve(&self) -> Result<i32> {
        let mut tx = self.app.db.begin().await?;
        let number = uploads::reserve_part_if_turn(&mut tx, self.row.id, self.row.turn).await?;
        tx.commit().await?;
        match number {
            Some(number) if u64::from(number.unsigned_abs()) < MOST_PARTS => Ok(number),
            Some(_) => Err(damaged("too many failed attempts to send a part")),
            None => Err(taken_over()),
        }
    }

    /// Makes bytes safe. What is given back is to be counted and then told to [`Self::counted`].
    pub(super) async fn keep(&mut self, until: Until) -> Result<Kept> {
        if until == Until::Last && !self.filling.is_empty() {
            self.send().await?;
        }
        if until != Until::Stored {
            self.arrived().await?;
        }
        let parts = self.sent.iter().map(|sent| sent.part.clone()).collect();
        if until == Until::Stored {
            let (to, digest) = self.sent.last().map_or((self.row.received.unsigned_abs(), None), |last| {
                (last.end, last.digest.as_ref().map(digests::save))
            });
            return Ok(Kept { to, parts, rest_turn: None, digest });
        }
        let (rest_turn, digest) = (self.store_rest().await?, self.digest.as_ref().map(digests::save));
        Ok(Kept { to: self.position, parts, rest_turn, digest })
    }

    async fn store_rest(&self) -> Result<Option<i64>> {
        if self.filling.is_empty() {
            return Ok(None);
        }
        let (upload, turn, offset) = (self.row.id, self.row.turn, self.position);
        let bytes = Bytes::copy_from_slice(&self.filling);
        self.app.storage.put(&ObjectKey::UploadRest { upload, turn, offset }, bytes).await?;
        Ok(Some(turn))
    }

    /// The database counts them now; the rest before this one is not needed any more.
    pub(super) async fn counted(&mut self, before: &UploadRow, to: i64) {
        self.sent.clear();
        self.row.received = to;
        if let Some(old) = rest_key(before)
            && let Err(error) = self.app.storage.delete_key(&old).await
        {
            tracing::debug!(%error, object = old.path(), "could not delete an outdated upload remainder");
        }
    }
}

async fn put(
    app: &App,
    source: &ObjectKey,
    multipart: &str,
    number: i32,
    bytes: Bytes,
) -> Result<StoredPart> {
    let stored = remote(app)?.put_part(source, multipart, number.unsigned_abs(), bytes).await;
    match stored {
        Err(crate::storage::Error::Store(object_store::Error::NotFound { .. })) => {
            Err(damaged("the object store dropped its parts"))
        }
        other => Ok(other?),
    }
}

/// The object store, without which an upload into one cannot continue.
pub(super) fn remote(app: &App) -> Result<&Remote> {
    app.storage
        .remote()
        .ok_or_else(|| damaged("its parts are in an object store that is no longer configured"))
}

/// Begins the object. A crash before it is written down leaves an empty beginning, which costs nothing.
async fn begin(app: &App, row: &mut UploadRow) -> Result<(ObjectKey, String)> {
    let video = VideoId::new(&app.clock);
    let source = ObjectKey::Source { video };
    let multipart = remote(app)?.begin(&source).await?;
    let part_size = i64::try_from(part_size(row.length.unsigned_abs())).unwrap_or(i64::MAX);
    let target = Target { source: video, multipart: &multipart, part_size };
    let mut tx = app.db.begin().await?;
    let begun = uploads::begin_parts_if_turn(&mut tx, row.id, row.turn, &target).await?;
    tx.commit().await?;
    if !begun {
        remote(app)?.abort(&source, &multipart).await?;
        return Err(taken_over());
    }
    (row.source_id, row.multipart, row.part_size) = (Some(video), Some(multipart.clone()), Some(part_size));
    Ok((source, multipart))
}

fn rest_key(row: &UploadRow) -> Option<ObjectKey> {
    let (upload, offset) = (row.id, row.received.unsigned_abs());
    row.rest_turn.map(|turn| ObjectKey::UploadRest { upload, turn, offset })
}

async fn rest(app: &App, row: &UploadRow, length: i64) -> Result<BytesMut> {
    let Some(key) = rest_key(row).filter(|_| length > 0) else {
        return if length == 0 {
            Ok(BytesMut::new())
        } else {
            Err(damaged("its last bytes have no stored object"))
        };
    };
    match app.storage.get(&key).await {
        Ok(bytes) if i64::try_from(bytes.len()) == Ok(length) => Ok(bytes.into()),
        Ok(_) => Err(damaged("its last bytes have an unexpected length")),
        Err(object_store::Error::NotFound { .. }) => Err(damaged("its last bytes are missing")),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_upload_fits_into_the_parts_that_a_store_takes() {
        let huge = 256 * 1024 * MIB;
        assert_eq!(part_size(1), 8 * MIB);
        assert_eq!(part_size(huge), 30 * MIB);
        for length in [1, SMALLEST_PART * USED_PARTS, SMALLEST_PART * USED_PARTS + 1, huge, 4 * huge] {
            assert!(length.div_ceil(part_size(length)) <= USED_PARTS, "{length}");
            assert_eq!(part_size(length) % MIB, 0);
        }
    }
}
