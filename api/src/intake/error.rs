//! Why a file import failed, and whether a retry can help.

use axum::http::StatusCode;

use super::below::Refusal;
use crate::error::ApiError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IntakeError {
    pub(super) code: String,
    pub(super) detail: String,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing will change by itself.
    Final,
    /// Another try may succeed.
    Passing,
    /// The file is not the one that was to be brought in: another one, one that still grows, or none any more.
    Changed,
    /// This instance was told to stop.
    Stopped,
}

impl IntakeError {
    pub(super) fn new(kind: Kind, code: &str, detail: impl Into<String>) -> Self {
        Self { code: code.to_owned(), detail: detail.into(), kind }
    }

    pub(super) fn stopped() -> Self {
        Self::new(Kind::Stopped, "stopped", "The import was interrupted and continues later.")
    }

    pub(super) fn changed(what: &str) -> Self {
        let detail =
            format!("`{what}` changed while it was being read; it is imported again once it stops changing.");
        Self::new(Kind::Changed, "file_changed", detail)
    }
}

impl From<ApiError> for IntakeError {
    fn from(error: ApiError) -> Self {
        // What is wrong with the request or with the file stays wrong. Conflicts pass, and so does what is said of a whole
        // upload that cannot be queued yet.
        let passes = error.status.is_server_error()
            || matches!(
                error.status,
                StatusCode::CONFLICT
                    | StatusCode::LOCKED
                    | StatusCode::GONE
                    | StatusCode::NOT_FOUND
                    | StatusCode::REQUEST_TIMEOUT
            )
            || matches!(
                error.code,
                "duplicate_running" | "duplicate_in_flight" | "already_queued" | "body_cut"
            );
        Self::new(if passes { Kind::Passing } else { Kind::Final }, error.code, error.detail)
    }
}

impl From<sqlx::Error> for IntakeError {
    fn from(error: sqlx::Error) -> Self {
        ApiError::from(error).into()
    }
}

impl From<Refusal> for IntakeError {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal {
            Refusal::Unreadable(..) => Kind::Passing,
            Refusal::Missing(_) => Kind::Changed,
            _ => Kind::Final,
        };
        Self::new(kind, refusal.code(), refusal.to_string())
    }
}
