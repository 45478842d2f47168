//! Where a connection is in the exchange of a request and its answer.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

const HEAD: u8 = 0;
const ANSWERING: u8 = 1;
const KEPT: u8 = 2;

/// Cheap to clone. A new connection owes the head of a request.
#[derive(Clone, Default)]
pub(super) struct Exchange(Arc<AtomicU8>);

impl Exchange {
    /// The head of a request is due.
    pub(super) fn owes_head(&self) -> bool {
        self.0.load(Ordering::Relaxed) == HEAD
    }

    /// Bytes came: on a kept connection they begin a head.
    pub(super) fn heard(&self) {
        let _ = self.0.compare_exchange(KEPT, HEAD, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The head is complete.
    pub(super) fn answering(&self) {
        self.0.store(ANSWERING, Ordering::Relaxed);
    }

    fn answered(&self) {
        self.0.store(KEPT, Ordering::Relaxed);
    }
}

/// The body of an answer; when it was sent, the next request may take its time.
pub(super) struct LastOf {
    body: Body,
    exchange: Exchange,
}

impl LastOf {
    pub(super) fn new(body: Body, exchange: Exchange) -> Self {
        Self { body, exchange }
    }
}

impl Drop for LastOf {
    fn drop(&mut self) {
        self.exchange.answered();
    }
}

impl HttpBody for LastOf {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
