//! The headers of tus 1.0.0 (<https://tus.io/protocols/resumable-upload>): read, checked, written.

use std::collections::HashSet;

use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Digest as _;

use crate::error::{ApiError, Result};
use crate::http::uploads::fields;
use crate::lifecycle::upload::{Checksum, Upload, UploadRequest};

pub(in crate::http) const VERSION: &str = "1.0.0";
pub(in crate::http) const EXTENSIONS: &str = "creation,creation-with-upload,termination,checksum,expiration";
pub(in crate::http) const CHECKSUMS: &str = "sha1,sha256";
const PIECE: &str = "application/offset+octet-stream";

pub(in crate::http) const TUS_VERSION: HeaderName = HeaderName::from_static("tus-version");
pub(in crate::http) const TUS_EXTENSION: HeaderName = HeaderName::from_static("tus-extension");
pub(in crate::http) const TUS_MAX_SIZE: HeaderName = HeaderName::from_static("tus-max-size");
pub(in crate::http) const TUS_CHECKSUM_ALGORITHM: HeaderName =
    HeaderName::from_static("tus-checksum-algorithm");
const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const UPLOAD_METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const UPLOAD_CHECKSUM: HeaderName = HeaderName::from_static("upload-checksum");
const UPLOAD_EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
const VIDEO_ID: HeaderName = HeaderName::from_static("framefarm-video-id");
const JOB_ID: HeaderName = HeaderName::from_static("framefarm-job-id");
const DEDUPLICATED: HeaderName = HeaderName::from_static("framefarm-deduplicated");
const ALREADY_UPLOADED_AS: HeaderName = HeaderName::from_static("framefarm-already-uploaded-as");

/// Some clients leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Refuses other versions; every response except that to OPTIONS names the version.
pub(in crate::http) async fn speak(request: Request, next: Next) -> Response {
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    let spoken = request.headers().get(TUS_RESUMABLE).is_some_and(|version| version == VERSION);
    let mut response = if spoken { next.run(request).await } else { other_version().into_response() };
    response.headers_mut().insert(TUS_RESUMABLE, HeaderValue::from_static(VERSION));
    response
}

fn other_version() -> ApiError {
    let detail = "This server supports tus 1.0.0; send `Tus-Resumable: 1.0.0`.";
    ApiError::new(StatusCode::PRECONDITION_FAILED, "tus_version", detail)
        .header(TUS_VERSION, HeaderValue::from_static(VERSION))
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().map_err(|_| bad(name, "must be plain ASCII"))?;
    Ok(Some(text.trim()))
}

fn bad(name: &HeaderName, what: &str) -> ApiError {
    ApiError::bad_request("bad_header", format!("`{name}` {what}."))
}

fn number(headers: &HeaderMap, name: &HeaderName) -> Result<Option<u64>> {
    let Some(text) = text(headers, name)? else { return Ok(None) };
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(bad(name, "must be a non-negative integer"));
    }
    text.parse().map(Some).map_err(|_| bad(name, "must be a non-negative integer"))
}

pub(in crate::http) fn length(headers: &HeaderMap) -> Result<u64> {
    number(headers, &UPLOAD_LENGTH)?
        .ok_or_else(|| bad(&UPLOAD_LENGTH, "is missing; the length must be known in advance"))
}

pub(in crate::http) fn offset(headers: &HeaderMap) -> Result<u64> {
    number(headers, &UPLOAD_OFFSET)?.ok_or_else(|| bad(&UPLOAD_OFFSET, "is missing"))
}

/// 415 unless the body is a piece of a file.
pub(in crate::http) fn check_piece(headers: &HeaderMap) -> Result<()> {
    if headers.get(CONTENT_TYPE).is_some_and(|kind| kind == PIECE) {
        return Ok(());
    }
    let detail = format!("Send the bytes with `Content-Type: {PIECE}`.");
    Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_content_type", detail))
}

/// Whether a creation brings its first bytes along.
pub(in crate::http) fn brings_bytes(headers: &HeaderMap) -> Result<bool> {
    let has_body = headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0");
    if !has_body && !headers.contains_key(CONTENT_TYPE) {
        return Ok(false);
    }
    if has_body || headers.get(CONTENT_TYPE).is_some_and(|kind| kind == PIECE) {
        check_piece(headers)?;
        return Ok(true);
    }
    Ok(false)
}

/// Names, titles and what our own clients add fit many times over.
const MOST_METADATA: usize = 8 * 1024;

/// `key base64,key base64`; an empty header is no metadata (tuspy sends one).
pub(in crate::http) fn metadata(headers: &HeaderMap) -> Result<(String, UploadRequest)> {
    let raw = text(headers, &UPLOAD_METADATA)?.unwrap_or_default();
    if raw.len() > MOST_METADATA {
        return Err(bad(&UPLOAD_METADATA, &format!("must not exceed {MOST_METADATA} bytes")));
    }
    let mut request = fields::empty();
    let (mut seen, mut name) = (HashSet::new(), None);
    for pair in raw.split(',').map(str::trim).filter(|_| !raw.is_empty()) {
        let (key, value) = pair.split_once(' ').unwrap_or((pair, ""));
        if key.is_empty() || !seen.insert(key) {
            return Err(bad(&UPLOAD_METADATA, "has an empty or duplicate key"));
        }
        let value = BASE64
            .decode(value.trim())
            .map_err(|_| bad(&UPLOAD_METADATA, &format!("has a value that is not base64: `{key}`")))?;
        let Ok(value) = String::from_utf8(value) else {
            return Err(bad(&UPLOAD_METADATA, &format!("has a value that is not UTF-8: `{key}`")));
        };
        match key {
            "filename" => name = Some(value),
            "name" => name = name.or(Some(value)),
            _ => drop(fields::set(&mut request, key, &value)?),
        }
    }
    fields::set_file_name(&mut request, name.as_deref().unwrap_or_default());
    Ok((raw.to_owned(), request))
}

pub(in crate::http) fn checksum(headers: &HeaderMap) -> Result<Option<Checksum>> {
    let Some(text) = text(headers, &UPLOAD_CHECKSUM)? else { return Ok(None) };
    let (algorithm, value) = text.split_once(' ').unwrap_or((text, ""));
    let expected = BASE64.decode(value.trim()).map_err(|_| bad(&UPLOAD_CHECKSUM, "is not base64"))?;
    match (algorithm, expected.len()) {
        ("sha1", 20) => Ok(Some(Checksum::Sha1 { hash: sha1::Sha1::new(), expected })),
        ("sha256", 32) => Ok(Some(Checksum::Sha256 { hash: sha2::Sha256::new(), expected })),
        _ => Err(bad(
            &UPLOAD_CHECKSUM,
            &format!("must be an algorithm ({CHECKSUMS}) and its digest in base64"),
        )),
    }
}

/// Says under which title the same content is here already; percent-encoded UTF-8.
pub(in crate::http) fn say_title(response: &mut Response, title: &str) {
    let title = utf8_percent_encode(title, NON_ALPHANUMERIC).to_string();
    set_text(response.headers_mut(), ALREADY_UPLOADED_AS, &title);
}

/// What every answer about an upload carries.
pub(in crate::http) fn answer(status: StatusCode, upload: &Upload) -> Response {
    let mut response = status.into_response();
    let headers = response.headers_mut();
    headers.insert(UPLOAD_OFFSET, upload.received.into());
    match upload.became {
        Some(became) => {
            set_text(headers, VIDEO_ID, &became.video.to_string());
            if let Some(job) = became.job {
                set_text(headers, JOB_ID, &job.to_string());
            }
            headers.insert(
                DEDUPLICATED,
                HeaderValue::from_static(if became.deduplicated { "true" } else { "false" }),
            );
        }
        None => {
            set_text(
                headers,
                UPLOAD_EXPIRES,
                &upload.expires_at.format("%a, %d %b %Y %H:%M:%S GMT").to_string(),
            );
        }
    }
    response
}

/// The answer to HEAD: everything a client needs to go on.
pub(in crate::http) fn full_answer(upload: &Upload) -> Response {
    let mut response = answer(StatusCode::OK, upload);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(UPLOAD_LENGTH, upload.length.into());
    if !upload.metadata.is_empty() {
        set_text(headers, UPLOAD_METADATA, &upload.metadata);
    }
    response
}

pub(in crate::http) fn set_text(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}
