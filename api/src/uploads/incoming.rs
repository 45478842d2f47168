//! Reading a request body whose sender may be slow, or gone.

use std::fmt::Display;
use std::time::Duration;

use axum::http::StatusCode;
use bytes::Bytes;
use futures::{Stream, StreamExt as _};

use crate::error::{ApiError, Result};

/// How long a sender may be silent between two pieces.
pub const IDLE: Duration = Duration::from_mins(1);

/// The next piece of a body; `None` at its proper end.
pub async fn next<S, E>(body: &mut S) -> Result<Option<Bytes>>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
    E: Display,
{
    next_within(body, IDLE).await
}

async fn next_within<S, E>(body: &mut S, idle: Duration) -> Result<Option<Bytes>>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
    E: Display,
{
    match tokio::time::timeout(idle, body.next()).await {
        Ok(Some(Ok(bytes))) => Ok(Some(bytes)),
        Ok(Some(Err(error))) => {
            Err(ApiError::bad_request("body_cut", format!("The request body ended early: {error}.")))
        }
        Ok(None) => Ok(None),
        Err(_) => {
            let detail = format!("No data arrived for {} s.", idle.as_secs());
            Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "body_idle", detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_silent_sender_is_given_up() {
        let mut silent = futures::stream::pending::<std::result::Result<Bytes, &str>>();
        let error = next_within(&mut silent, Duration::from_millis(5)).await.expect_err("nothing comes");
        assert_eq!((error.status, error.code), (StatusCode::REQUEST_TIMEOUT, "body_idle"));
    }
}
