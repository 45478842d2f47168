//! A video in one request, as forms and curl send it.

use axum::extract::multipart::{Field, Multipart, MultipartRejection};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Uploader;
use crate::error::{ApiError, Problem, Result};
use crate::http::detached::detached;
use crate::http::extract::Json;
use crate::http::uploads::fields;
use crate::lifecycle::upload::{UploadRequest, Uploaded, Whole};
use crate::uploads::incoming;

/// Titles and lists of qualities are short.
const MAX_TEXT: usize = 10_000;

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(upload_video)).layer(DefaultBodyLimit::disable())
}

/// The fields of the form, in any order.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the fields are read as they come")]
struct UploadForm {
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    title: Option<String>,
    collection: Option<String>,
    /// `high`, `normal`, `low`, or a number from -1000 to 1000.
    priority: Option<String>,
    /// Comma-separated. Default: the whole ladder.
    qualities: Option<String>,
    /// Encode again even if the same content already exists.
    force: Option<bool>,
    /// With `force`: cancel the job that is encoding the same content.
    cancel_running: Option<bool>,
}

/// Upload a video in one request
#[utoipa::path(
    post, path = "/api/videos", tag = "uploads",
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "Queued", body = Uploaded),
        (status = 200, description = "The same content already exists", body = Uploaded),
        (status = 400, description = "Invalid or truncated form", body = Problem,
            content_type = "application/problem+json"),
        (status = 401, description = "Missing or invalid credentials", body = Problem,
            content_type = "application/problem+json"),
        (status = 403, description = "Not allowed to upload", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "No data for a minute", body = Problem,
            content_type = "application/problem+json"),
        (status = 409, description = "The same content is being encoded", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "Disk full", body = Problem, content_type = "application/problem+json"),
    ),
)]
async fn upload_video(
    State(app): State<App>,
    Uploader { actor, rights, .. }: Uploader,
    headers: HeaderMap,
    form: std::result::Result<Multipart, MultipartRejection>,
) -> Result<(StatusCode, Json<Uploaded>)> {
    let (whole, mut request) = read(&app, &headers, form?).await?;
    rights.apply(&mut request)?;
    let uploaded = detached(async move { whole.finish(request, &actor).await }).await?;
    let status = if uploaded.deduplicated { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(uploaded)))
}

async fn read(app: &App, headers: &HeaderMap, mut form: Multipart) -> Result<(Whole, UploadRequest)> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let (mut whole, mut request) = (None, fields::empty());
    while let Some(mut field) = next_field(&mut form).await? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            if whole.is_some() {
                return Err(bad_form("Send exactly one `file`."));
            }
            fields::set_file_name(&mut request, field.file_name().unwrap_or_default());
            whole = Some(save(app, announced, &mut field).await?);
        } else if !fields::set(&mut request, &name, &short_text(&name, field).await?)? {
            let names = fields::NAMES;
            return Err(bad_form(format!("Unknown field `{name}`; send `file` and any of {names}.")));
        }
    }
    let whole = whole.ok_or_else(|| bad_form("The form has no `file`."))?;
    Ok((whole, request))
}

async fn next_field(form: &mut Multipart) -> Result<Option<Field<'_>>> {
    match tokio::time::timeout(incoming::IDLE, form.next_field()).await {
        Ok(field) => field
            .map_err(|error| bad_form(format!("The form is invalid or truncated: {}.", error.body_text()))),
        Err(_) => {
            Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "body_idle", "No data arrived for a minute."))
        }
    }
}

async fn save(app: &App, announced: Option<u64>, field: &mut Field<'_>) -> Result<Whole> {
    let mut whole = Whole::begin(app, announced).await?;
    while let Some(bytes) = incoming::next(field).await? {
        whole.write(&bytes).await?;
    }
    Ok(whole)
}

async fn short_text(name: &str, mut field: Field<'_>) -> Result<String> {
    let mut text = Vec::new();
    while let Some(bytes) = incoming::next(&mut field).await? {
        text.extend_from_slice(&bytes);
        if text.len() > MAX_TEXT {
            return Err(bad_form(format!("The field `{name}` is too long.")));
        }
    }
    String::from_utf8(text).map_err(|_| bad_form(format!("The field `{name}` is not UTF-8.")))
}

fn bad_form(detail: impl Into<String>) -> ApiError {
    ApiError::bad_request("bad_form", detail)
}
