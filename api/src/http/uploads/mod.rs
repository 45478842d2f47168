//! Resumable uploads: tus 1.0.0 with creation, creation-with-upload, termination, checksum and expiration.

pub(super) mod fields;
pub(super) mod form;
pub(super) mod intake;
pub(super) mod tus;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use framefarm_shared::id::UploadId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Admin, Uploader};
use crate::error::{Problem, Result};
use crate::http::detached::detached;
use crate::http::extract::{Json, Path};
use crate::lifecycle::upload::{self, NewUpload, Upload};
use crate::proxy::Visit;
use crate::responses::uploads::{self, OpenUploads};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(describe_uploads, create_upload))
        .routes(routes!(describe_upload, upload_state, append_to_upload, terminate_upload))
        .layer(from_fn(tus::speak))
        .layer(DefaultBodyLimit::disable())
        // Not of tus.
        .routes(routes!(list_uploads))
}

/// List unfinished uploads of all users
#[utoipa::path(get, path = "/api/uploads", tag = "uploads", responses((status = 200, body = OpenUploads)))]
async fn list_uploads(_: Admin, State(app): State<App>) -> Result<Json<OpenUploads>> {
    Ok(Json(uploads::open(&app).await?))
}

/// Get the capabilities of the tus server
#[utoipa::path(
    options, path = "/api/uploads", tag = "uploads", security(()),
    responses((status = 204, description = "See the headers", headers(
        ("Tus-Version" = String), ("Tus-Extension" = String), ("Tus-Max-Size" = u64),
        ("Tus-Checksum-Algorithm" = String)))),
)]
async fn describe_uploads(State(app): State<App>) -> Response {
    described(&app)
}

/// Get the capabilities of the tus server for an upload
#[utoipa::path(
    options, path = "/api/uploads/{id}", tag = "uploads", security(()), params(("id" = UploadId, Path)),
    responses((status = 204, description = "See the headers", headers(
        ("Tus-Version" = String), ("Tus-Extension" = String), ("Tus-Max-Size" = u64),
        ("Tus-Checksum-Algorithm" = String)))),
)]
async fn describe_upload(State(app): State<App>) -> Response {
    described(&app)
}

fn described(app: &App) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    tus::set_text(headers, tus::TUS_VERSION, tus::VERSION);
    tus::set_text(headers, tus::TUS_EXTENSION, tus::EXTENSIONS);
    tus::set_text(headers, tus::TUS_CHECKSUM_ALGORITHM, tus::CHECKSUMS);
    headers.insert(tus::TUS_MAX_SIZE, app.settings.max_upload_bytes.into());
    response
}

/// Create an upload, with or without its first bytes
///
/// `Upload-Metadata` keys: `filename` (or `name`), `title`, `collection`, `priority`, `qualities`
/// (comma-separated), `force`, `cancel_running`.
#[utoipa::path(
    post, path = "/api/uploads", tag = "uploads",
    params(
        ("Tus-Resumable" = String, Header, example = "1.0.0"), ("Upload-Length" = u64, Header),
        ("Upload-Metadata" = Option<String>, Header), ("Upload-Checksum" = Option<String>, Header),
    ),
    request_body(content_type = "application/offset+octet-stream", description = "The first bytes, if any"),
    responses(
        (status = 201, description = "Created", headers(
            ("Location" = String), ("Upload-Offset" = u64), ("Upload-Expires" = String),
            ("Framefarm-Video-Id" = String, description = "With the last byte"),
            ("Framefarm-Job-Id" = String, description = "With the last byte"),
            ("Framefarm-Deduplicated" = bool, description = "With the last byte"),
            ("Framefarm-Already-Uploaded-As" = String,
                description = "Title of the video with the same content, percent-encoded"))),
        (status = 400, description = "Missing or invalid header, empty file, or truncated body",
            body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid credentials", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "Not allowed to upload", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "No data for a minute", body = Problem,
            content_type = "application/problem+json"),
        (status = 412, description = "Unsupported tus version", body = Problem,
            content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Wrong Content-Type", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Cannot be queued now", body = Problem, content_type = "application/problem+json"),
        (status = 423, description = "Taken over by a newer request", body = Problem,
            content_type = "application/problem+json"),
        (status = 429, description = "Too many unfinished uploads", body = Problem, content_type = "application/problem+json"),
        (status = 460, description = "Checksum mismatch", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "Disk full", body = Problem, content_type = "application/problem+json"),
    ),
)]
async fn create_upload(
    State(app): State<App>,
    Uploader { actor, owner, rights }: Uploader,
    visit: Visit,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let length = tus::length(&headers)?;
    let (metadata, mut request) = tus::metadata(&headers)?;
    rights.apply(&mut request)?;
    let checksum = tus::checksum(&headers)?;
    let brings_bytes = tus::brings_bytes(&headers)?;
    let created = upload::create_for(&app, NewUpload { length, metadata, request }, &owner).await?;
    let location = visit.link(&format!("/api/uploads/{}", created.id));
    let upload = if brings_bytes {
        append(app.clone(), created.id, 0, checksum, body, actor).await
    } else {
        Ok(created)
    };
    // Also with an error: the upload is there, and the client may go on with it or drop it.
    let mut response = match upload {
        Ok(upload) => with_title(&app, &upload, tus::answer(StatusCode::CREATED, &upload)).await?,
        Err(error) => error.into_response(),
    };
    tus::set_text(response.headers_mut(), LOCATION, &location);
    Ok(response)
}

/// Get the offset of an upload
#[utoipa::path(
    head, path = "/api/uploads/{id}", tag = "uploads",
    params(("id" = UploadId, Path), ("Tus-Resumable" = String, Header, example = "1.0.0")),
    responses(
        (status = 200, description = "See the headers", headers(
            ("Upload-Offset" = u64), ("Upload-Length" = u64), ("Upload-Metadata" = String),
            ("Upload-Expires" = String), ("Framefarm-Video-Id" = String, description = "Once complete"))),
        (status = 400, description = "Invalid id", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid credentials", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "Not allowed to upload, or another user's upload", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "No such upload", body = Problem, content_type = "application/problem+json"),
        (status = 410, description = "The upload has expired", body = Problem,
            content_type = "application/problem+json"),
        (status = 412, description = "Unsupported tus version", body = Problem,
            content_type = "application/problem+json"),
        (status = 423, description = "Locked by another request", body = Problem,
            content_type = "application/problem+json"),
    ),
)]
async fn upload_state(
    State(app): State<App>,
    Uploader { actor, owner, .. }: Uploader,
    Path(id): Path<UploadId>,
) -> Result<Response> {
    upload::check_owner(&app, id, &owner).await?;
    let asked = app.clone();
    let upload = detached(async move { upload::state(&asked, id, &actor).await }).await?;
    with_title(&app, &upload, tus::full_answer(&upload)).await
}

/// Append bytes to an upload
///
/// Bytes that arrive before a connection breaks are kept, unless `Upload-Checksum` was sent.
#[utoipa::path(
    patch, path = "/api/uploads/{id}", tag = "uploads",
    params(
        ("id" = UploadId, Path), ("Tus-Resumable" = String, Header, example = "1.0.0"),
        ("Upload-Offset" = u64, Header), ("Upload-Checksum" = Option<String>, Header),
    ),
    request_body(content_type = "application/offset+octet-stream", description = "Bytes at Upload-Offset"),
    responses(
        (status = 204, description = "Stored", headers(
            ("Upload-Offset" = u64), ("Upload-Expires" = String),
            ("Framefarm-Video-Id" = String, description = "With the last byte"),
            ("Framefarm-Job-Id" = String, description = "With the last byte"),
            ("Framefarm-Deduplicated" = bool, description = "With the last byte"))),
        (status = 400, description = "Missing or invalid header, or truncated body",
            body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid credentials", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "Not allowed to upload, or another user's upload", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "No such upload", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "No data for a minute", body = Problem,
            content_type = "application/problem+json"),
        (status = 409, description = "Wrong offset", body = Problem, content_type = "application/problem+json"),
        (status = 410, description = "The upload has expired", body = Problem,
            content_type = "application/problem+json"),
        (status = 412, description = "Unsupported tus version", body = Problem,
            content_type = "application/problem+json"),
        (status = 413, description = "More bytes than Upload-Length", body = Problem,
            content_type = "application/problem+json"),
        (status = 415, description = "Wrong Content-Type", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Cannot be queued now", body = Problem, content_type = "application/problem+json"),
        (status = 423, description = "Taken over by a newer request", body = Problem,
            content_type = "application/problem+json"),
        (status = 460, description = "Checksum mismatch", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "Disk full", body = Problem, content_type = "application/problem+json"),
    ),
)]
async fn append_to_upload(
    State(app): State<App>,
    Uploader { actor, owner, .. }: Uploader,
    Path(id): Path<UploadId>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    upload::check_owner(&app, id, &owner).await?;
    tus::check_piece(&headers)?;
    let offset = tus::offset(&headers)?;
    let checksum = tus::checksum(&headers)?;
    let upload = append(app.clone(), id, offset, checksum, body, actor).await?;
    with_title(&app, &upload, tus::answer(StatusCode::NO_CONTENT, &upload)).await
}

/// Adds the title of the video that already has the same content.
async fn with_title(app: &App, upload: &Upload, mut response: Response) -> Result<Response> {
    if let Some(title) = upload::title_before(app, upload).await? {
        tus::say_title(&mut response, &title);
    }
    Ok(response)
}

async fn append(
    app: App,
    id: UploadId,
    offset: u64,
    checksum: Option<upload::Checksum>,
    body: Body,
    actor: String,
) -> Result<Upload> {
    let body = body.into_data_stream();
    detached(async move { upload::receive(&app, id, offset, checksum, body, &actor).await }).await
}

/// Delete an upload
///
/// Users can delete their own uploads, admins any upload.
#[utoipa::path(
    delete, path = "/api/uploads/{id}", tag = "uploads",
    params(("id" = UploadId, Path), ("Tus-Resumable" = String, Header, example = "1.0.0")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 400, description = "Invalid id", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid credentials", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "Not allowed to upload, or another user's upload", body = Problem,
            content_type = "application/problem+json"),
        (status = 404, description = "No such upload", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "Unsupported tus version", body = Problem,
            content_type = "application/problem+json"),
        (status = 423, description = "Locked by another request", body = Problem,
            content_type = "application/problem+json"),
    ),
)]
async fn terminate_upload(
    State(app): State<App>,
    Uploader { owner, .. }: Uploader,
    Path(id): Path<UploadId>,
) -> Result<StatusCode> {
    upload::check_owner(&app, id, &owner).await?;
    detached(async move { upload::terminate(&app, id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}
