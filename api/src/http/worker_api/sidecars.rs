//! The images and subtitles a worker delivers beside its parts.

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::HeaderMap;
use framefarm_shared::extra_file::{ExtraFile, ImageName, UnknownImage};
use framefarm_shared::id::JobId;
use framefarm_shared::wire::worker_api::LeaseReply;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Worker;
use crate::error::{ApiError, Problem, Result};
use crate::http::detached::detached;
use crate::http::extract::{Json, Path, Query};
use crate::http::worker_api::files::{UnderFence, content_length, digest};
use crate::lifecycle::receive_sidecar::{self, Attachment};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(put_image))
        .routes(routes!(put_subtitle))
        .layer(DefaultBodyLimit::disable())
}

/// Deliver an image
///
/// `poster.jpg`, `thumb_000.jpg` to `thumb_999.jpg` and `sprite_000.jpg` to `sprite_999.jpg` are JPEGs of at
/// most 8 MiB; `storyboard.vtt` is WebVTT of at most 1 MiB whose cues refer to `sprite_000.jpg#xywh=…`.
/// Sending a file again replaces it.
#[utoipa::path(
    put, path = "/api/worker/jobs/{id}/images/{name}", tag = "worker",
    security(("worker_key" = [])),
    params(
        ("id" = JobId, Path), ("name" = String, Path, example = "poster.jpg"), UnderFence,
        ("Repr-Digest" = String, Header, description = "`sha-256=:<base64>:` of the body (RFC 9530)"),
    ),
    request_body(content_type = "image/jpeg"),
    responses(
        (status = 200, description = "Stored; the lease is renewed", body = LeaseReply),
        (status = 400, description = "Missing or wrong digest, or truncated body", body = Problem,
            content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid worker key", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "This worker never held the job", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such job", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "No data for a minute", body = Problem,
            content_type = "application/problem+json"),
        (status = 409, description = "The claim has ended: stop", body = Problem,
            content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Unknown image name, or content that does not match it", body = Problem,
            content_type = "application/problem+json"),
        (status = 429, description = "Too many refused deliveries; see Retry-After", body = Problem,
            content_type = "application/problem+json"),
        (status = 507, description = "Disk full", body = Problem, content_type = "application/problem+json"),
    ),
)]
async fn put_image(
    State(app): State<App>,
    worker: Worker,
    Path((job, name)): Path<(JobId, String)>,
    Query(UnderFence { fence }): Query<UnderFence>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<LeaseReply>> {
    let unknown = |error: UnknownImage| ApiError::unprocessable("unknown_image", format!("{error}."));
    let file = ExtraFile::Image(name.parse::<ImageName>().map_err(unknown)?);
    put(app, Attachment { worker: worker.id, job, fence, file }, &headers, body).await
}

/// Deliver a subtitle file
///
/// WebVTT of at most 8 MiB for a subtitle track of the plan, counted from 0. Sending it again replaces it.
#[utoipa::path(
    put, path = "/api/worker/jobs/{id}/subtitles/{track}", tag = "worker",
    security(("worker_key" = [])),
    params(
        ("id" = JobId, Path), ("track" = u32, Path), UnderFence,
        ("Repr-Digest" = String, Header, description = "`sha-256=:<base64>:` of the body (RFC 9530)"),
    ),
    request_body(content_type = "text/vtt"),
    responses(
        (status = 200, description = "Stored; the lease is renewed", body = LeaseReply),
        (status = 400, description = "Missing or wrong digest, or truncated body", body = Problem,
            content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid worker key", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "This worker never held the job", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such job", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "No data for a minute", body = Problem,
            content_type = "application/problem+json"),
        (status = 409, description = "The claim has ended (stop), or there is no plan yet", body = Problem,
            content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Unknown track, or invalid WebVTT", body = Problem,
            content_type = "application/problem+json"),
        (status = 429, description = "Too many refused deliveries; see Retry-After", body = Problem,
            content_type = "application/problem+json"),
        (status = 507, description = "Disk full", body = Problem, content_type = "application/problem+json"),
    ),
)]
async fn put_subtitle(
    State(app): State<App>,
    worker: Worker,
    Path((job, track)): Path<(JobId, u32)>,
    Query(UnderFence { fence }): Query<UnderFence>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<LeaseReply>> {
    let file = ExtraFile::Subtitle(track);
    put(app, Attachment { worker: worker.id, job, fence, file }, &headers, body).await
}

async fn put(app: App, new: Attachment, headers: &HeaderMap, body: Body) -> Result<Json<LeaseReply>> {
    let sha256 = digest(headers)?;
    let most = new.file.max_bytes();
    if content_length(headers).is_some_and(|length| length > most) {
        return Err(receive_sidecar::too_large(most));
    }
    let body = body.into_data_stream();
    let taken = async move {
        let charge = app.worker_limits.refused_deliveries.charge(new.worker).await?;
        charge.settle(receive_sidecar::take(&app, &new, sha256, body).await, |_| true)
    };
    detached(taken).await.map(Json)
}
