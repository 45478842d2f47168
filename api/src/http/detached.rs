//! Work that goes on when its caller hangs up.

use std::future::Future;

use tracing::Instrument as _;

use crate::error::Result;

/// A handler's future is dropped with its connection. Bytes that arrived must still be counted, and a started
/// transaction should reach its end.
pub(super) async fn detached<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    tokio::spawn(work.in_current_span()).await?
}
