//! A watchdog for uploads: what the connection takes of a body shows whether it moves.

use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tokio::io::AsyncRead;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::bytes::Bytes;
use tokio_util::io::ReaderStream;

use super::{CallError, UploadLimits};

const CHUNK: usize = 64 * 1024;

pub(super) struct Watchdog {
    /// Bytes that the connection took so far.
    taken: watch::Receiver<u64>,
    size: u64,
    limits: UploadLimits,
}

/// The body to send, and the watchdog to run beside the request.
pub(super) fn watched(
    content: impl AsyncRead + Send + 'static,
    size: u64,
    limits: UploadLimits,
) -> (impl Stream<Item = std::io::Result<Bytes>> + Send + 'static, Watchdog) {
    let (taking, taken) = watch::channel(0);
    let body = ReaderStream::with_capacity(content, CHUNK).inspect(move |chunk| {
        let length = chunk.as_ref().map_or(0, Bytes::len);
        taking.send_modify(|taken| *taken += length as u64);
    });
    (body, Watchdog { taken, size, limits })
}

impl Watchdog {
    /// Returns when the connection takes nothing for too long, or the answer to the whole body does not come.
    pub(super) async fn expired(mut self) -> CallError {
        loop {
            let taken = *self.taken.borrow_and_update();
            if taken >= self.size {
                tokio::time::sleep(self.limits.answer).await;
                let detail =
                    format!("no response for {} after the upload was complete", seconds(self.limits.answer));
                return CallError::TryAgain { detail, after: None };
            }
            match timeout(self.limits.stall, self.taken.changed()).await {
                Ok(Ok(())) => {}
                // The request dropped its body: it has ended, or is about to say why.
                Ok(Err(_)) => self.size = taken,
                Err(_) => {
                    let size = self.size;
                    let limit = seconds(self.limits.stall);
                    let detail = format!("the upload stalled for {limit} after {taken} of {size} bytes");
                    return CallError::TryAgain { detail, after: None };
                }
            }
        }
    }
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}
