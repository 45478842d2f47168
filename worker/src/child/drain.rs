//! Reads a pipe to its end and keeps the last of it, so that a chatty process neither blocks nor fills the memory.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

const TAIL: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Drain {
    tail: Arc<Mutex<Vec<u8>>>,
    ended: CancellationToken,
    _task: Option<AbortOnDropHandle<()>>,
}

impl Drain {
    pub(super) fn start(pipe: Option<impl AsyncRead + Unpin + Send + 'static>) -> Self {
        let Some(pipe) = pipe else {
            return Self::nothing();
        };
        let (tail, ended) = (Arc::default(), CancellationToken::new());
        let done = ended.clone().drop_guard();
        let kept = Arc::clone(&tail);
        let task = tokio::spawn(async move {
            read_to_end(pipe, &kept).await;
            drop(done);
        });
        Self { tail, ended, _task: Some(AbortOnDropHandle::new(task)) }
    }

    /// Of a pipe that someone else reads.
    pub(super) fn nothing() -> Self {
        let ended = CancellationToken::new();
        ended.cancel();
        Self { tail: Arc::default(), ended, _task: None }
    }

    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub(super) fn tail(&self) -> Vec<u8> {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail[tail.len().saturating_sub(TAIL)..].to_vec()
    }
}

/// An error ends it like the end does: there is nothing more to read.
async fn read_to_end(mut pipe: impl AsyncRead + Unpin, kept: &Mutex<Vec<u8>>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let mut tail = kept.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&buffer[..count]);
        // Cut at twice the size: moving the bytes for each read would cost more than reading them.
        if tail.len() > 2 * TAIL {
            let surplus = tail.len() - TAIL;
            tail.drain(..surplus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_last_bytes_are_kept() {
        let (mut writer, reader) = tokio::io::duplex(1024);
        let drain = Drain::start(Some(reader));
        for number in 0..100_000 {
            tokio::io::AsyncWriteExt::write_all(&mut writer, format!("{number:06}\n").as_bytes())
                .await
                .unwrap();
        }
        drop(writer);
        drain.ended().await;
        let tail = drain.tail();
        assert_eq!(tail.len(), TAIL);
        assert!(tail.ends_with(b"099999\n"));
    }
}
