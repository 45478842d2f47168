//! Errors of an upload that cannot continue.

use super::UploadRow;
use crate::error::ApiError;

pub(super) fn wrong_offset(row: &UploadRow) -> ApiError {
    let detail = format!("The upload has {} of {} bytes; continue from there.", row.received, row.length);
    ApiError::conflict("wrong_offset", detail).continue_at(row.received)
}

pub(super) fn too_long() -> ApiError {
    let detail = "The upload has more bytes than its Upload-Length.";
    ApiError::too_large("upload_too_long", detail)
}

pub(super) fn taken_over() -> ApiError {
    let detail = "A newer request for this upload took over; get its offset with HEAD.";
    ApiError::locked("upload_taken_over", detail)
}

pub(super) fn changed() -> ApiError {
    let detail = "The upload was deleted, finished or changed by another request; get its offset with HEAD.";
    ApiError::conflict("upload_changed", detail)
}

pub(super) const NOT_SUPPORTED: &str = "unsupported_file_type";

/// It begins like something that is no media file.
pub(super) fn not_supported(what: &str) -> ApiError {
    let detail = format!("Unsupported file type: this is {what}. Upload a video or an audio file.");
    ApiError::unsupported_type(NOT_SUPPORTED, detail)
}

pub(super) fn checksum_mismatch() -> ApiError {
    ApiError::checksum_mismatch("The bytes do not match Upload-Checksum and were discarded; send them again.")
}

/// Counted bytes are on disk unless somebody removed them.
pub(super) fn damaged_file(error: std::io::Error) -> ApiError {
    use std::io::ErrorKind::{NotFound, UnexpectedEof};
    if matches!(error.kind(), NotFound | UnexpectedEof) {
        return damaged(&error.to_string());
    }
    error.into()
}

/// Counted bytes that no longer exist.
pub(super) fn damaged(reason: &str) -> ApiError {
    tracing::error!(reason, "stored bytes of an upload are missing");
    let detail = "The stored bytes of this upload are missing; start a new upload.";
    ApiError::gone("upload_damaged", detail)
}

/// 409 would tell a tus client to send the last piece again, which changes nothing.
pub(super) fn kept_for_later(error: ApiError) -> ApiError {
    if !error.is_conflict() {
        return error;
    }
    let detail = format!("{} The upload is kept and queued as soon as possible.", error.detail);
    ApiError::unprocessable(error.code, detail)
}
