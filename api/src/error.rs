//! Errors a caller sees, as RFC 9457 problem documents.
//!
//! The rule: inside the request path everything is an [`ApiError`], made by the constructor that reads like the
//! sentence; a database or storage error becomes `internal` by `?` and is logged once, here. `anyhow` is for
//! start-up and the command line. `code` is stable and for programs; `detail` says what to do and is for people.

use std::fmt;

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use framefarm_shared::wire::worker_api::RefusalCode;
use serde::{Deserialize, Serialize};

use crate::db::failure::DbFailure;

const OVERTAKEN: &str = "overtaken";
const SOURCE_GONE: &str = "source_gone";
const SOURCE_GONE_DETAIL: &str = "The original of this video was removed by the retention policy and cannot be read \
     or encoded again. Upload the file again to encode it.";
const DISK_FULL_DETAIL: &str = "The disk is full; free up space.";

/// In the extensions of a response to a request that changed nothing and can be retried as it is.
#[derive(Clone, Copy, Debug)]
pub struct Overtaken;

pub type Result<T> = std::result::Result<T, ApiError>;

#[derive(Clone, Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub code: &'static str,
    pub detail: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// Body of every 4xx and 5xx response.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// Stable URN of this type of problem.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    /// What happened and what to do about it.
    pub detail: String,
    /// Stable code for programs.
    pub code: String,
}

impl ApiError {
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), headers: Vec::new() }
    }

    pub fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    pub fn unprocessable(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, detail)
    }

    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    pub fn forbidden(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    pub fn not_found(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, detail)
    }

    pub fn no_such(what: &str) -> Self {
        Self::not_found("not_found", format!("There is no such {what}."))
    }

    pub fn gone(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, code, detail)
    }

    /// A request for the original of a video whose original was removed.
    pub fn source_gone() -> Self {
        Self::gone(SOURCE_GONE, SOURCE_GONE_DETAIL)
    }

    /// A request to encode again a video whose original was removed.
    pub fn source_needed() -> Self {
        Self::conflict(SOURCE_GONE, SOURCE_GONE_DETAIL)
    }

    /// Another request has what this one needs, for now.
    pub fn locked(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::LOCKED, code, detail)
    }

    pub fn too_large(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, code, detail)
    }

    /// More than this caller may have or do.
    pub fn unsupported_type(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, code, detail)
    }

    pub fn too_many(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, code, detail)
    }

    pub fn unavailable(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
    }

    pub fn disk_full(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", detail)
    }

    /// 460, which tus defines.
    pub fn checksum_mismatch(detail: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST);
        Self::new(status, "checksum_mismatch", detail)
    }

    pub fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error, "request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal server error; see the server log.")
    }

    pub fn stopping() -> Self {
        Self::unavailable("draining", "The server is shutting down.")
    }

    /// Text that PostgreSQL cannot store.
    pub fn zero_byte() -> Self {
        Self::bad_request("bad_text", "Text must not contain the NUL character (U+0000).")
    }

    /// A worker that does not (or no longer) hold the job.
    pub fn refused(code: RefusalCode) -> Self {
        match code {
            RefusalCode::ClaimExpired => Self::conflict(
                "claim_expired",
                "The lease expired. Stop, or claim the job again by id and resume after the delivered parts.",
            ),
            RefusalCode::ClaimLost => {
                Self::conflict("claim_lost", "The claim has ended. Stop working on this job.")
            }
            RefusalCode::Fenced => {
                Self::conflict("fenced", "The job was claimed again with a newer fence. Stop working on it.")
            }
            RefusalCode::NotYours => Self::forbidden("not_yours", "This worker never held this job."),
            RefusalCode::Unknown => Self::not_found("unknown_job", "There is no such job."),
        }
    }

    fn of_db_failure(failure: DbFailure, error: &(dyn std::error::Error + 'static)) -> Self {
        match failure {
            DbFailure::Overtaken => {
                tracing::info!(error, "transaction conflict");
                Self::unavailable(OVERTAKEN, "A concurrent request changed the same data; retry.")
                    .retry_after(1)
            }
            DbFailure::TooSlow => {
                tracing::warn!(error, "database lock or statement timeout");
                Self::unavailable("database_busy", "The database timed out; retry shortly.").retry_after(5)
            }
            DbFailure::Away => {
                tracing::warn!(error, "database unreachable");
                let detail = "The database is not responding; retry shortly.";
                Self::unavailable("database_unavailable", detail).retry_after(2)
            }
            DbFailure::Full => {
                tracing::error!(error, "database disk is full");
                Self::disk_full(DISK_FULL_DETAIL)
            }
        }
    }

    /// Nothing was changed, and the request can be retried as it is.
    pub fn is_overtaken(&self) -> bool {
        self.code == OVERTAKEN
    }

    pub fn is_conflict(&self) -> bool {
        self.status == StatusCode::CONFLICT
    }

    pub fn retry_after(self, seconds: u64) -> Self {
        self.header(header::RETRY_AFTER, seconds.into())
    }

    /// Names the offset from which an upload continues.
    pub fn continue_at(self, offset: i64) -> Self {
        self.header(HeaderName::from_static("upload-offset"), offset.into())
    }

    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.detail, self.code)
    }
}

impl std::error::Error for ApiError {}

impl From<&ApiError> for Problem {
    fn from(error: &ApiError) -> Self {
        Self {
            kind: format!("urn:framefarm:problem:{}", error.code),
            title: error.status.canonical_reason().unwrap_or("Error").to_owned(),
            status: error.status.as_u16(),
            detail: error.detail.clone(),
            code: error.code.to_owned(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Problem::from(&self))).into_response();
        if self.is_overtaken() {
            response.extensions_mut().insert(Overtaken);
        }
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.extend(self.headers);
        response
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        if crate::db::outdated::noted(&error) {
            tracing::info!("a newer version changed the schema; reopening connections");
            let detail = "The database schema has just been upgraded; retry shortly.";
            return Self::unavailable("database_unavailable", detail).retry_after(1);
        }
        if let Some(failure) = DbFailure::of(&error) {
            return Self::of_db_failure(failure, &error);
        }
        // PostgreSQL refuses U+0000 in text (22021) and in JSON (22P05).
        let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
        if matches!(code.as_deref(), Some("22021" | "22P05")) {
            return Self::zero_byte();
        }
        Self::internal(&error)
    }
}

impl From<object_store::Error> for ApiError {
    fn from(error: object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { .. } => Self::no_such("file"),
            // A disk is part of this machine; every other store is remote and may recover.
            object_store::Error::Generic { store, .. } if store != "LocalFileSystem" => {
                tracing::error!(error = &error as &dyn std::error::Error, "storage unreachable");
                let detail = "The storage is not responding correctly; retry shortly.";
                Self::unavailable("storage_unavailable", detail).retry_after(5)
            }
            _ => Self::internal(&error),
        }
    }
}

impl From<crate::storage::Error> for ApiError {
    fn from(error: crate::storage::Error) -> Self {
        match error {
            crate::storage::Error::Disk(error) => error.into(),
            crate::storage::Error::Store(error) => error.into(),
        }
    }
}

impl From<std::io::Error> for ApiError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return Self::disk_full(DISK_FULL_DETAIL);
        }
        Self::internal(&error)
    }
}

impl From<tokio::task::JoinError> for ApiError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::internal(&error)
    }
}
