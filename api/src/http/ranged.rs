//! Serves a stored object with its validators: conditional requests and single byte ranges (RFC 9110).

use std::ops::Range;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RANGE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use framefarm_shared::object_key::ObjectKey;
use headers::{ETag, HeaderMapExt as _, IfNoneMatch, IfRange};
use http_range_header::{
    EndPosition, ParsedRanges, RangeUnsatisfiableError, StartPosition, parse_range_header,
};
use object_store::{GetRange, GetResult};

use crate::app::App;
use crate::error::{ApiError, Result};

/// By which CDNs purge what belongs together: Cloudflare and Google read the first, Fastly and Varnish the second.
const CACHE_TAGS: [HeaderName; 2] =
    [HeaderName::from_static("cache-tag"), HeaderName::from_static("surrogate-key")];

/// `tag` names the content and never changes its meaning; it is quoted here.
pub(super) async fn serve(
    app: &App,
    key: &ObjectKey,
    tag: &str,
    method: &Method,
    asked: &HeaderMap,
) -> Result<Response> {
    let etag: ETag = format!("\"{tag}\"").parse().map_err(|_| ApiError::no_such("file"))?;
    let known = asked.contains_key(IF_NONE_MATCH)
        && asked.typed_get::<IfNoneMatch>().is_some_and(|condition| !condition.precondition_passes(&etag));
    let mut response = if known {
        app.storage.head(key).await?;
        StatusCode::NOT_MODIFIED.into_response()
    } else if *method == Method::HEAD {
        with_length(Body::empty(), app.storage.head(key).await?.size)
    } else {
        content(app, key, asked, &etag).await?
    };
    let headers = response.headers_mut();
    headers.insert(
        ETAG,
        HeaderValue::from_str(&format!("\"{tag}\"")).map_err(|error| ApiError::internal(&error))?,
    );
    let kept = key.cache_control(app.settings.media_max_age());
    headers.insert(CACHE_CONTROL, HeaderValue::try_from(&*kept).map_err(|error| ApiError::internal(&error))?);
    if let Some(tag) = key.cache_tag() {
        let tag = HeaderValue::try_from(tag).map_err(|error| ApiError::internal(&error))?;
        for name in CACHE_TAGS {
            headers.insert(name, tag.clone());
        }
    }
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if !known {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(key.content_type()));
    }
    Ok(response)
}

/// One request to the store, which also says how large the object is. Only where a range does not fit, or the store cannot
/// be asked so, its size is asked for first.
async fn content(app: &App, key: &ObjectKey, asked: &HeaderMap, etag: &ETag) -> Result<Response> {
    let range = wanted(asked, etag);
    let Some(range) = range else { return answer(app.storage.read(key, None).await?, false) };
    match app.storage.read(key, Some(get_range(&range))).await {
        Ok(read) => answer(read, true),
        Err(error @ object_store::Error::NotFound { .. }) => Err(error.into()),
        Err(_) => {
            let range = fitting(&range, app.storage.head(key).await?.size)?;
            answer(app.storage.read(key, Some(GetRange::Bounded(range))).await?, true)
        }
    }
}

fn answer(read: GetResult, is_part: bool) -> Result<Response> {
    let (range, size) = (read.range.clone(), read.meta.size);
    let mut response = with_length(Body::from_stream(read.into_stream()), range.end - range.start);
    if is_part {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let text = format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1));
        let value = HeaderValue::from_str(&text).map_err(|error| ApiError::internal(&error))?;
        response.headers_mut().insert(CONTENT_RANGE, value);
    }
    Ok(response)
}

fn with_length(body: Body, length: u64) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    response
}

/// The one range to send; `None` is everything: nothing was asked for, several ranges were, the header makes no
/// sense, or the client's copy is of something else.
fn wanted(asked: &HeaderMap, etag: &ETag) -> Option<ParsedRanges> {
    let text = asked.get(RANGE).and_then(|value| value.to_str().ok())?;
    if asked.typed_get::<IfRange>().is_some_and(|condition| condition.is_modified(Some(etag), None)) {
        return None;
    }
    let parsed = parse_range_header(text).ok()?;
    (parsed.ranges.len() == 1 && !text.contains(',')).then_some(parsed)
}

fn get_range(parsed: &ParsedRanges) -> GetRange {
    match parsed.ranges.first().map(|range| (range.start, range.end)) {
        Some((StartPosition::FromLast(count), _)) => GetRange::Suffix(count),
        Some((StartPosition::Index(first), EndPosition::Index(last))) => {
            GetRange::Bounded(first..last.saturating_add(1))
        }
        Some((StartPosition::Index(first), EndPosition::LastByte)) => GetRange::Offset(first),
        None => GetRange::Offset(0),
    }
}

fn fitting(parsed: &ParsedRanges, size: u64) -> Result<Range<u64>> {
    match parsed.validate(size).as_deref() {
        Ok([range]) => Ok(*range.start()..range.end() + 1),
        // More than there is from the end: all of it.
        Err(RangeUnsatisfiableError::FileSuffixOutOfBounds) if size > 0 => Ok(0..size),
        _ => Err(unsatisfiable(size)),
    }
}

fn unsatisfiable(size: u64) -> ApiError {
    let detail = format!("The range is outside the file, which has {size} bytes.");
    let error = ApiError::new(StatusCode::RANGE_NOT_SATISFIABLE, "bad_range", detail);
    match HeaderValue::from_str(&format!("bytes */{size}")) {
        Ok(value) => error.header(CONTENT_RANGE, value),
        Err(_) => error,
    }
}
