//! The bytes of a file on their way: counted, stoppable, and with the reason when they end too early.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt as _};
use tokio_util::sync::CancellationToken;

use super::below::Facts;
use super::trouble::{Kind, Trouble};

const PIECE: usize = 1024 * 1024;

pub(super) type Pieces = BoxStream<'static, Result<Bytes, String>>;

/// What is known of one fetch from outside of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Watchman {
    /// Bytes of the file that have come, those of earlier tries included.
    received: Arc<AtomicU64>,
    stop: CancellationToken,
    trouble: Arc<Mutex<Option<Trouble>>>,
}

impl Watchman {
    pub(super) fn received(&self) -> i64 {
        i64::try_from(self.received.load(Ordering::Relaxed)).unwrap_or(i64::MAX)
    }

    pub(super) fn set_received(&self, count: u64) {
        self.received.store(count, Ordering::Relaxed);
    }

    /// The stream ends in an orderly way, so that what has come is kept.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Why the stream ended too early, if it said so.
    pub(super) fn take_trouble(&self) -> Option<Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn tell(&self, trouble: Trouble) -> String {
        let detail = trouble.detail.clone();
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(trouble);
        detail
    }

    /// Counts what passes; ends with the reason when it fails or is stopped.
    pub(super) fn over(
        &self,
        pieces: impl futures::Stream<Item = Result<Bytes, Trouble>> + Send + 'static,
    ) -> Pieces {
        let begin = (self.clone(), Some(Box::pin(pieces)));
        let over = futures::stream::unfold(begin, |(mine, pieces)| async move {
            let mut pieces = pieces?;
            let piece = tokio::select! {
                biased;
                () = mine.stop.cancelled() => Some(Err(Trouble::stopped())),
                piece = pieces.next() => piece,
            }?;
            match piece {
                Ok(bytes) => {
                    mine.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    Some((Ok(bytes), (mine, Some(pieces))))
                }
                Err(trouble) => Some((Err(mine.tell(trouble)), (mine, None))),
            }
        });
        over.boxed()
    }
}

/// A file from an offset to the end that it had when it was opened. The last piece is given only if the file is still
/// the same, so that what grows or is cut meanwhile never becomes a video.
pub(super) fn of_file(
    mut file: File,
    facts: Facts,
    from: u64,
    name: String,
) -> impl futures::Stream<Item = Result<Bytes, Trouble>> + Send + 'static {
    let begin = move || file.seek(SeekFrom::Start(from)).map(|_| file);
    let unreadable = |name: &str, error: &std::io::Error| {
        Trouble::new(Kind::Passing, "file_unreadable", format!("`{name}` cannot be read: {error}."))
    };
    futures::stream::unfold(Some((begin(), from)), move |state| {
        let name = name.clone();
        async move {
            let (file, at) = state?;
            let read = tokio::task::spawn_blocking(move || piece(file?, facts, at)).await;
            match read.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
                Ok(Piece::End) => None,
                Ok(Piece::Changed) => Some((Err(Trouble::changed(&name)), None)),
                Ok(Piece::Bytes(bytes, file)) => {
                    let at = at + bytes.len() as u64;
                    Some((Ok(bytes), Some((Ok(file), at))))
                }
                Err(error) => Some((Err(unreadable(&name, &error)), None)),
            }
        }
    })
}

enum Piece {
    Bytes(Bytes, File),
    Changed,
    End,
}

fn piece(mut file: File, facts: Facts, at: u64) -> std::io::Result<Piece> {
    let left = facts.size.saturating_sub(at);
    if left == 0 {
        return Ok(Piece::End);
    }
    let mut bytes = vec![0; usize::try_from(left).unwrap_or(PIECE).min(PIECE)];
    match file.read(&mut bytes)? {
        0 => return Ok(Piece::Changed),
        count => bytes.truncate(count),
    }
    if bytes.len() as u64 == left && Facts::of(&file.metadata()?) != facts {
        return Ok(Piece::Changed);
    }
    Ok(Piece::Bytes(bytes.into(), file))
}
