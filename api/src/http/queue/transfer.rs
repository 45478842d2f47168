//! Export and import of the queue.

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tokio_util::io::ReaderStream;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Admin;
use crate::error::{ApiError, Result};
use crate::http::attachment::attachment;
use crate::http::extract::{Json, Priority, Query};
use crate::http::openapi::DiskFull;
use crate::queue_transfer::document::Export;
use crate::queue_transfer::report::Imported;
use crate::queue_transfer::{export, import, list};

pub(in crate::http) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(export_queue))
        .routes(routes!(import_queue))
        .layer(DefaultBodyLimit::max(LARGEST_DOCUMENT))
}

/// Enough for some fifty thousand jobs.
const LARGEST_DOCUMENT: usize = 64 * 1024 * 1024;

/// Export a snapshot of the queue: every job with its video and attempts
#[utoipa::path(get, path = "/api/queue/export", tag = "queue", responses((status = 200, body = Export), DiskFull))]
async fn export_queue(_: Admin, State(app): State<App>) -> Result<Response> {
    let file = tokio::fs::File::from_std(export::export(&app).await?);
    let name = format!("framefarm-queue-{}.json", app.clock.now().format("%Y%m%d-%H%M%S"));
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CONTENT_DISPOSITION, attachment(&name)?),
    ];
    Ok((headers, Body::from_stream(ReaderStream::with_capacity(file, 64 * 1024))).into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ImportQuery {
    /// Only report what would change.
    #[serde(default)]
    dry_run: bool,
}

/// A source to queue: a path or a URL.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "it describes rows; they are read one by one, so that each is told what is wrong with it"
)]
struct ListedSource {
    path: Option<String>,
    url: Option<String>,
    title: Option<String>,
    collection: Option<String>,
    priority: Option<Priority>,
    status: Option<String>,
}

/// A queue export, or a list of sources.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "it describes bodies; which of the two one is can be seen by its first character"
)]
enum ImportDocument {
    Export(Box<Export>),
    List(Vec<ListedSource>),
}

/// Import a queue export, or queue a list of sources
#[utoipa::path(post, path = "/api/queue/import", tag = "queue", params(ImportQuery),
    request_body(content((ImportDocument = "application/json"), (String = "text/csv"))),
    responses((status = 200, body = Imported)))]
async fn import_queue(
    Admin(actor): Admin,
    State(app): State<App>,
    Query(query): Query<ImportQuery>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Imported>> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let rows = match kind.split(';').next().map(str::trim) {
        Some("application/json") if is_list(&body) => list::from_json(parse(&body)?)?,
        Some("application/json") => {
            return Ok(Json(import::import(&app, parse(&body)?, &actor, query.dry_run).await?));
        }
        Some("text/csv") => list::from_csv(&body)?,
        _ => {
            let detail = "Send a queue export or a list as application/json, or a list as text/csv.";
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail));
        }
    };
    Ok(Json(list::fetch_sources(&app, rows, &actor, query.dry_run).await?))
}

fn is_list(body: &[u8]) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    let value = serde_json::from_slice(body).map_err(|error| match error.classify() {
        Category::Data => {
            let detail = format!("The document is neither a valid queue export nor a valid list: {error}.");
            ApiError::unprocessable("bad_field", detail)
        }
        _ => ApiError::bad_request("bad_json", format!("The body is not valid JSON: {error}.")),
    })?;
    // PostgreSQL keeps no NUL, in no text of no row.
    if body.windows(6).any(|part| part.eq_ignore_ascii_case(b"\\u0000")) {
        return Err(ApiError::zero_byte());
    }
    Ok(value)
}
