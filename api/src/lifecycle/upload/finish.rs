//! A stored source becomes a video with its job, or turns out to be here already; its upload ends in the same
//! transaction.

use framefarm_shared::object_key::ObjectKey;

use super::errors::changed;
use super::{UploadRequest, UploadRow};
use crate::app::App;
use crate::db::{Tx, uploads};
use crate::error::Result;
use crate::lifecycle::enqueue::{self, Enqueued, Source};

/// What becomes of the upload's row.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowEnd<'a> {
    /// It stays for a while and says what the upload became.
    Sealed(&'a UploadRow),
    /// Nobody will ask for it.
    Deleted(&'a UploadRow),
    /// There is none.
    NoRow,
}

impl RowEnd<'_> {
    /// Whether the row knows the object, so that another try finds it again.
    fn names(self, source: &Source) -> bool {
        match self {
            Self::Sealed(row) | Self::Deleted(row) => row.source_id == Some(source.video),
            Self::NoRow => false,
        }
    }
}

/// The object goes once a committed transaction says that nothing refers to it, or with a transaction that failed if
/// nobody would find it again. A commit whose outcome is unknown keeps it; if there is no video, it is swept.
pub(super) async fn finish(
    app: &App,
    source: Source,
    request: UploadRequest,
    actor: &str,
    end: RowEnd<'_>,
) -> Result<Enqueued> {
    let key = ObjectKey::Source { video: source.video };
    let found_again = end.names(&source);
    let mut tx = app.db.begin().await?;
    let enqueued = match finish_in(app, &mut tx, source, request, actor, end).await {
        Ok(enqueued) => enqueued,
        Err(error) => {
            tx.rollback().await?;
            if !found_again {
                app.storage.delete_key(&key).await?;
            }
            return Err(error);
        }
    };
    tx.commit().await?;
    if !enqueued.source_kept
        && let Err(error) = app.storage.delete_key(&key).await
    {
        tracing::warn!(%error, object = key.path(), "could not delete an unused source; it is now orphaned");
    }
    Ok(enqueued)
}

async fn finish_in(
    app: &App,
    tx: &mut Tx,
    source: Source,
    request: UploadRequest,
    actor: &str,
    end: RowEnd<'_>,
) -> Result<Enqueued> {
    let enqueued = enqueue::enqueue_in(app, tx, source, request, actor).await?;
    let (video, job) = (enqueued.video.id, enqueued.job.as_ref().map(|job| job.id));
    let ended = match end {
        RowEnd::Sealed(row) => uploads::seal_if_whole(tx, row.id, video, job, enqueued.deduplicated).await?,
        RowEnd::Deleted(row) => uploads::delete_if_turn(tx, row.id, row.turn).await?,
        RowEnd::NoRow => true,
    };
    if ended { Ok(enqueued) } else { Err(changed()) }
}
