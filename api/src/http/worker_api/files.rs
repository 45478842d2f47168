//! The bytes a worker moves: its job's source, and the parts it delivers.
//!
//! The fence travels in the query, so that it is in every access log and read before the body.

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{CONTENT_LENGTH, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use framefarm_shared::id::JobId;
use framefarm_shared::wire::worker_api::PartReply;
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Worker;
use crate::error::{ApiError, Problem, Result};
use crate::http::detached::detached;
use crate::http::extract::{Json, Path, Query};
use crate::http::ranged;
use crate::http::uploads::tus;
use crate::lifecycle::deliver::{self, Delivery};
use crate::lifecycle::receive_part;

const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(source)).routes(routes!(put_part)).layer(DefaultBodyLimit::disable())
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct UnderFence {
    /// The fence of the claim.
    pub(super) fence: i64,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct SourceWanted {
    /// The fence of the claim.
    fence: i64,
    /// Whether the caller follows a redirect to the object store, without sending its key.
    link: Option<bool>,
}

/// Download the source of a held job
#[utoipa::path(
    get, path = "/api/worker/jobs/{id}/source", tag = "worker",
    security(("worker_key" = [])), params(("id" = JobId, Path), SourceWanted),
    responses(
        (status = 200, description = "The file", content_type = "application/octet-stream",
            headers(("Repr-Digest" = String, description = "SHA-256 of the whole file (RFC 9530)"))),
        (status = 206, description = "The requested range", content_type = "application/octet-stream"),
        (status = 304, description = "Not modified"),
        (status = 307,
            description = "With `link=true`: a signed URL of the object store, valid for a few minutes",
            headers(("Location" = String))),
        (status = 400, description = "Invalid id or fence", body = Problem,
            content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid worker key", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "This worker never held the job", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such job or source", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The claim has ended: stop", body = Problem,
            content_type = "application/problem+json"),
        (status = 416, description = "Range not satisfiable", body = Problem,
            content_type = "application/problem+json"),
    ),
)]
async fn source(
    State(app): State<App>,
    worker: Worker,
    Path(id): Path<JobId>,
    Query(SourceWanted { fence, link }): Query<SourceWanted>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response> {
    let source = deliver::source_of(&app, worker.id, id, fence).await?;
    if link == Some(true)
        && method == Method::GET
        && let Some(url) = deliver::link_to(&app, &source).await
    {
        let location = HeaderValue::try_from(url).map_err(|error| ApiError::internal(&error))?;
        return Ok((StatusCode::TEMPORARY_REDIRECT, [(LOCATION, location)]).into_response());
    }
    let mut response = ranged::serve(&app, &source.key, &source.sha256, &method, &headers).await?;
    if let Ok(sha256) = hex::decode(&source.sha256) {
        tus::set_text(response.headers_mut(), REPR_DIGEST, &format!("sha-256=:{}:", STANDARD.encode(sha256)));
    }
    Ok(response)
}

/// Deliver a part
///
/// A tar.gz of consecutive segments of one quality. Sending the same part again is safe.
#[utoipa::path(
    put, path = "/api/worker/jobs/{id}/qualities/{quality}/parts/{first_segment}", tag = "worker",
    security(("worker_key" = [])),
    params(
        ("id" = JobId, Path), ("quality" = String, Path), ("first_segment" = u32, Path), UnderFence,
        ("Repr-Digest" = String, Header, description = "`sha-256=:<base64>:` of the body (RFC 9530)"),
    ),
    request_body(content_type = "application/gzip"),
    responses(
        (status = 200, description = "Verified and stored", body = PartReply),
        (status = 400, description = "Missing or wrong digest, or truncated body", body = Problem,
            content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid worker key", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "This worker never held the job", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such job", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "No data for a minute", body = Problem,
            content_type = "application/problem+json"),
        (status = 409,
            description = "The claim has ended (stop), or a segment was delivered with other bytes",
            body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The part failed verification", body = Problem,
            content_type = "application/problem+json"),
        (status = 429, description = "Too many refused deliveries; see Retry-After", body = Problem,
            content_type = "application/problem+json"),
        (status = 507, description = "Disk full", body = Problem, content_type = "application/problem+json"),
    ),
)]
async fn put_part(
    State(app): State<App>,
    worker: Worker,
    Path((job, quality, first_segment)): Path<(JobId, String, u32)>,
    Query(UnderFence { fence }): Query<UnderFence>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<PartReply>> {
    let sha256 = digest(&headers)?;
    let most = app.settings.max_part_bytes;
    let announced = content_length(&headers);
    if announced.is_some_and(|length| length > most) {
        return Err(receive_part::too_large(most));
    }
    let delivery = Delivery { worker: worker.id, job, fence, quality, first_segment };
    let body = body.into_data_stream();
    let taken = async move {
        let charge = app.worker_limits.refused_deliveries.charge(worker.id).await?;
        charge.settle(receive_part::take(&app, &delivery, sha256, announced, body).await, |_| true)
    };
    detached(taken).await.map(Json)
}

pub(in crate::http) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The `sha-256` member of `Repr-Digest`, a dictionary of byte sequences (RFC 8941).
pub(in crate::http) fn digest(headers: &HeaderMap) -> Result<[u8; 32]> {
    let required = || {
        let detail = "Send `Repr-Digest: sha-256=:<base64 of the SHA-256 of the body>:`.";
        ApiError::bad_request("digest_required", detail)
    };
    let texts = headers.get_all(REPR_DIGEST).into_iter().filter_map(|value| value.to_str().ok());
    let member =
        texts.flat_map(|text| text.split(',')).find_map(|member| member.trim().strip_prefix("sha-256="));
    let value =
        member.and_then(|value| value.trim().strip_prefix(':')?.strip_suffix(':')).ok_or_else(required)?;
    STANDARD.decode(value).ok().and_then(|bytes| bytes.try_into().ok()).ok_or_else(required)
}
