//! A connection that gives up on a client that begins a request and does not go on, or does not read its answer.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::exchange::Exchange;

pub(super) struct TimedStream<S> {
    stream: S,
    exchange: Exchange,
    head: Timer,
    write: Timer,
}

impl<S> TimedStream<S> {
    pub(super) fn new(stream: S, exchange: Exchange, head: Duration, write: Duration) -> Self {
        Self { stream, exchange, head: Timer::of(head), write: Timer::of(write) }
    }
}

/// Runs from the first poll until it is stopped.
struct Timer {
    limit: Duration,
    running: Option<Pin<Box<Sleep>>>,
}

impl Timer {
    fn of(limit: Duration) -> Self {
        Self { limit, running: None }
    }

    fn stop(&mut self) {
        self.running = None;
    }

    fn poll<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let limit = self.limit;
        let running = self.running.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(running.as_mut().poll(context));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }

    /// What a write came to: one that waits has the timer running.
    fn watch<T>(&mut self, done: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if done.is_pending() {
            return self.poll(context);
        }
        self.stop();
        done
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.exchange.heard();
        }
        if !self.exchange.owes_head() {
            self.head.stop();
            return read;
        }
        // It runs on while bytes drip in.
        match (self.head.poll(context), read) {
            (Poll::Pending, read) => read,
            (expired, _) => expired,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.write.watch(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.write.watch(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.write.watch(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.write.watch(closed, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::Instant;

    use super::*;

    const HEAD: Duration = Duration::from_millis(200);
    const WRITE: Duration = Duration::from_millis(200);

    fn timed() -> (TimedStream<DuplexStream>, DuplexStream, Exchange) {
        let (ours, theirs) = duplex(64);
        let exchange = Exchange::default();
        (TimedStream::new(ours, exchange.clone(), HEAD, WRITE), theirs, exchange)
    }

    #[tokio::test]
    async fn an_answer_that_nobody_reads_is_given_up() {
        let (mut ours, mut theirs, _) = timed();
        let began = Instant::now();
        let error = ours.write_all(&[0; 100]).await.unwrap_err();
        assert!(error.kind() == ErrorKind::TimedOut && began.elapsed() >= WRITE);

        // A slow reader is a reader.
        theirs.read_exact(&mut [0; 64]).await.unwrap();
        let reader = tokio::spawn(async move {
            for _ in 0..10 {
                sleep(WRITE / 5).await;
                theirs.read_u8().await.unwrap();
            }
            theirs
        });
        ours.write_all(&[0; 74]).await.unwrap();
        let _theirs = reader.await.unwrap();
    }

    #[tokio::test]
    async fn a_head_that_drips_in_is_given_up() {
        let (mut ours, mut theirs, _) = timed();
        let began = Instant::now();
        let client = tokio::spawn(async move {
            while theirs.write_u8(b'x').await.is_ok() {
                sleep(HEAD / 20).await;
            }
        });
        let error = ours.read_exact(&mut [0; 1_000]).await.unwrap_err();
        assert!(error.kind() == ErrorKind::TimedOut && began.elapsed() >= HEAD);
        drop(ours);
        client.await.unwrap();
    }

    #[tokio::test]
    async fn a_body_and_a_kept_connection_have_other_limits() {
        let (mut ours, mut theirs, exchange) = timed();
        exchange.answering();
        let client = tokio::spawn(async move {
            sleep(HEAD * 2).await;
            theirs.write_u8(1).await.unwrap();
            sleep(HEAD * 2).await;
            theirs.write_u8(2).await.unwrap();
            theirs
        });
        assert_eq!(ours.read_u8().await.unwrap(), 1);
        drop(super::super::exchange::LastOf::new(axum::body::Body::empty(), exchange.clone()));
        assert_eq!(ours.read_u8().await.unwrap(), 2);
        // And with that the next head has begun.
        let _theirs = client.await.unwrap();
        let began = Instant::now();
        assert_eq!(ours.read_u8().await.unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() >= HEAD);
    }
}
