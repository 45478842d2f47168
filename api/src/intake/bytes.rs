//! The bytes of a file on their way: counted, stoppable, and with the reason when they end too early.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt as _};
use tokio_util::sync::CancellationToken;

use super::below::Facts;
use super::error::{IntakeError, Kind};

const PIECE: usize = 1024 * 1024;

pub(super) type Pieces = BoxStream<'static, Result<Bytes, String>>;

/// What is known of one fetch from outside of it.
#[derive(Clone, Debug, Default)]
pub(super) struct FetchControl {
    /// Bytes of the file that have come, those of earlier tries included.
    received: Arc<AtomicU64>,
    stop: CancellationToken,
    error: Arc<Mutex<Option<IntakeError>>>,
}

impl FetchControl {
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

    /// For waits that are no stream.
    pub(super) async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = Result<T, IntakeError>>,
    ) -> Result<T, IntakeError> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(IntakeError::stopped()),
            done = work => done,
        }
    }

    /// Why the stream ended too early, if it said so.
    pub(super) fn take_error(&self) -> Option<IntakeError> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn tell(&self, error: IntakeError) -> String {
        let detail = error.detail.clone();
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        detail
    }

    /// Counts what passes; ends with the reason when it fails or is stopped.
    pub(super) fn over(
        &self,
        pieces: impl futures::Stream<Item = Result<Bytes, IntakeError>> + Send + 'static,
    ) -> Pieces {
        let begin = (self.clone(), Some(Box::pin(pieces)));
        let over = futures::stream::unfold(begin, |(mine, pieces)| async move {
            let mut pieces = pieces?;
            let piece = tokio::select! {
                biased;
                () = mine.stop.cancelled() => Some(Err(IntakeError::stopped())),
                piece = pieces.next() => piece,
            }?;
            match piece {
                Ok(bytes) => {
                    mine.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    Some((Ok(bytes), (mine, Some(pieces))))
                }
                Err(error) => Some((Err(mine.tell(error)), (mine, None))),
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
) -> impl futures::Stream<Item = Result<Bytes, IntakeError>> + Send + 'static {
    let begin = move || file.seek(SeekFrom::Start(from)).map(|_| file);
    let unreadable = |name: &str, error: &std::io::Error| {
        IntakeError::new(Kind::Passing, "file_unreadable", format!("Cannot read `{name}`: {error}."))
    };
    futures::stream::unfold(Some((begin(), from)), move |state| {
        let name = name.clone();
        async move {
            let (file, at) = state?;
            let read = tokio::task::spawn_blocking(move || piece(file?, facts, at)).await;
            match read.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
                Ok(Piece::End) => None,
                Ok(Piece::Changed) => Some((Err(IntakeError::changed(&name)), None)),
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const SIZE: usize = 2 * PIECE + 5;

    /// Reads a file of which a change is made after the first piece; how many bytes came, and how it ended.
    async fn read(change: impl FnOnce(&std::path::Path)) -> (usize, Option<String>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().write_all(&vec![7; SIZE]).unwrap();
        let opened = File::open(file.path()).unwrap();
        let facts = Facts::of(&opened.metadata().unwrap());
        let mut pieces = Box::pin(of_file(opened, facts, 0, "video".to_owned()));
        let mut count = pieces.next().await.unwrap().unwrap().len();
        change(file.path());
        while let Some(piece) = pieces.next().await {
            match piece {
                Ok(bytes) => count += bytes.len(),
                Err(error) => return (count, Some(error.code)),
            }
        }
        (count, None)
    }

    #[tokio::test]
    async fn a_file_that_changes_while_it_is_read_never_comes_whole() {
        assert_eq!(read(|_| {}).await, (SIZE, None));
        let (count, code) = read(|path| {
            File::options().append(true).open(path).unwrap().write_all(b"more").unwrap();
        })
        .await;
        assert!(count < SIZE && code.as_deref() == Some("file_changed"), "it grew: {count}, {code:?}");
        let (count, code) = read(|path| {
            File::options().write(true).open(path).unwrap().set_len(PIECE as u64 + 9).unwrap();
        })
        .await;
        assert!(count < SIZE && code.as_deref() == Some("file_changed"), "it was cut: {count}, {code:?}");
        assert_eq!(read(|path| std::fs::remove_file(path).unwrap()).await, (SIZE, None), "it is still open");
    }

    #[tokio::test]
    async fn a_stopped_stream_ends_with_the_reason() {
        let control = FetchControl::default();
        let mut pieces = control.over(futures::stream::pending());
        control.stop();
        assert!(pieces.next().await.unwrap().is_err() && pieces.next().await.is_none());
        assert_eq!(control.take_error(), Some(IntakeError::stopped()));
    }
}
