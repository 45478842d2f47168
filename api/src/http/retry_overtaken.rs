//! A request whose transaction was ended to let another one pass is done again, before its caller hears of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use futures::TryStreamExt as _;

use crate::error::Overtaken;

/// Larger bodies are files, and are not kept for a second time.
const MOST_BYTES: usize = 160_000;
const TRIES: u32 = 5;

pub(super) async fn again(request: Request, next: Next) -> Response {
    let Some(length) = small_change(&request) else { return next.run(request).await };
    let (parts, body) = request.into_parts();
    let kept = Kept::default();
    let mut request = Request::from_parts(parts.clone(), kept.keep(body));
    for tries in 1..TRIES {
        let response = next.clone().run(request).await;
        let body = kept.whole();
        if response.extensions().get::<Overtaken>().is_none() || body.len() != length {
            return response;
        }
        // Whoever met halfway is not to meet again.
        tokio::time::sleep(Duration::from_millis(rand::random_range(1..20 * u64::from(tries)))).await;
        request = Request::from_parts(parts.clone(), Body::from(body));
    }
    next.run(request).await
}

/// The length of the body, if the request changes something and its body is small.
fn small_change(request: &Request) -> Option<usize> {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return None;
    }
    let length = request.body().size_hint().exact()?;
    usize::try_from(length).ok().filter(|length| *length <= MOST_BYTES)
}

/// What was read of a body.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn keep(&self, body: Body) -> Body {
        let kept = self.clone();
        Body::from_stream(body.into_data_stream().inspect_ok(move |chunk: &Bytes| {
            kept.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(chunk);
        }))
    }

    fn whole(&self) -> Bytes {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().into()
    }
}
