//! What all operations of the OpenAPI document have in common.
//!
//! Handlers name their own answers. The refusals of the layers and extractors around them (who calls, the body, the
//! parameters, the database) are added here, so that the document cannot forget one.

use axum::http::StatusCode;
use framefarm_shared::id::UploadId;
use utoipa::openapi::path::{HttpMethod, Operation, PathItem};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder, ResponsesBuilder};
use utoipa::{IntoResponses, Modify};

use super::names::{JobName, VideoName};
use crate::error::Problem;
use crate::events::{GpuSign, Hello, Progress, QualityPace, WorkerSign};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Framefarm",
        description = "A video transcoding farm. Every 4xx and 5xx response is an `application/problem+json` \
                       document with a stable `code`. Times are RFC 3339 in UTC. Lists are paginated: send \
                       `next_cursor` as `cursor` to get the next page.",
    ),
    // Some ids and names stand in paths only and messages in a stream, where their schemas are not found by themselves.
    components(schemas(Problem, UploadId, JobName, VideoName, Hello, Progress, QualityPace, WorkerSign, GpuSign)),
    modifiers(&Schemes),
    security(("token" = []), ("session" = [])),
    tags(
        (name = "auth", description = "Logins and API tokens"),
        (name = "uploads", description = "Uploads, and imports by URL or path"),
        (name = "videos", description = "Videos and collections"),
        (name = "playback", description = "HLS playlists, segments, images and subtitles"),
        (name = "queue", description = "Queues and jobs"),
        (name = "workers", description = "Worker administration"),
        (name = "worker", description = "Worker protocol"),
        (name = "alerts", description = "Alerts, their endpoints and deliveries"),
        (name = "farm", description = "Health, metrics, events and the audit log"),
    ),
)]
struct Head;

/// The document without operations.
pub(super) fn head() -> OpenApi {
    <Head as utoipa::OpenApi>::openapi()
}

struct Schemes;

impl Modify for Schemes {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = |text: &str| {
            SecurityScheme::Http(
                HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(text)).build(),
            )
        };
        components.add_security_scheme("token", bearer("An API token, `fft_…`"));
        components.add_security_scheme("worker_key", bearer("A worker key"));
        let cookie = ApiKeyValue::with_description("framefarm_session", "Set by POST /api/login");
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
        let header = ApiKeyValue::with_description("X-Admin-Secret", "The server's admin_secret");
        let invitation =
            ApiKeyValue::with_description("X-Invitation", "From POST /api/workers/invitations, valid once");
        components.add_security_scheme("invitation", SecurityScheme::ApiKey(ApiKey::Header(invitation)));
        components.add_security_scheme("admin_secret", SecurityScheme::ApiKey(ApiKey::Header(header)));
    }
}

/// Adds to every operation what is not its own.
pub(super) fn finish(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_default();
    for (status, text) in REFUSALS {
        components.responses.insert((*status).to_owned(), RefOr::T(problem(text)));
    }
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            add_refusals(path, &method, operation);
        }
    }
    document
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (HttpMethod, &mut Operation)> {
    let PathItem { get, put, post, delete, options, head, patch, .. } = item;
    let all = [
        (HttpMethod::Get, get),
        (HttpMethod::Put, put),
        (HttpMethod::Post, post),
        (HttpMethod::Delete, delete),
        (HttpMethod::Options, options),
        (HttpMethod::Head, head),
        (HttpMethod::Patch, patch),
    ];
    all.into_iter().filter_map(|(method, operation)| operation.as_mut().map(|found| (method, found)))
}

fn add_refusals(path: &str, method: &HttpMethod, operation: &mut Operation) {
    let has_body = operation.request_body.is_some();
    let has_parameters = operation.parameters.as_ref().is_some_and(|list| !list.is_empty());
    // `security(())` marks what anyone may call.
    let open_to_all = operation
        .security
        .as_ref()
        .is_some_and(|list| list.iter().any(|one| *one == SecurityRequirement::default()));
    let changes = !matches!(method, HttpMethod::Get | HttpMethod::Head | HttpMethod::Options);
    let mut add = |wanted: bool, status: StatusCode| {
        if wanted {
            let refusal = RefOr::Ref(Ref::from_response_name(status.as_str()));
            operation.responses.responses.entry(status.as_str().to_owned()).or_insert(refusal);
        }
    };
    add(has_body || has_parameters, StatusCode::BAD_REQUEST);
    add(!open_to_all, StatusCode::UNAUTHORIZED);
    add(!open_to_all || changes, StatusCode::FORBIDDEN);
    add(path.contains('{'), StatusCode::NOT_FOUND);
    add(has_body, StatusCode::PAYLOAD_TOO_LARGE);
    add(has_body, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    add(has_body, StatusCode::UNPROCESSABLE_ENTITY);
    add(true, StatusCode::INTERNAL_SERVER_ERROR);
    add(true, StatusCode::SERVICE_UNAVAILABLE);
}

/// Refusals by status, under `components/responses`.
const REFUSALS: &[(&str, &str)] = &[
    ("400", "Invalid request"),
    ("401", "Missing or invalid credentials"),
    ("403", "Not allowed"),
    ("404", "Not found"),
    ("413", "Request body too large"),
    ("415", "Unsupported media type"),
    ("422", "Invalid request body"),
    ("500", "Internal server error; see the server log"),
    ("503", "The database is not responding, or the server is shutting down"),
];

pub(super) fn problem(description: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(description).content("application/problem+json", content).build()
}

macro_rules! own_problems {
    ($($(#[$doc:meta])* $name:ident = $status:literal, $text:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<String, RefOr<Response>> {
                ResponsesBuilder::new().response($status, problem($text)).build().into()
            }
        }
    )+};
}

own_problems! {
    /// To be named in `responses(…)` of an operation that depends on a state.
    Conflict = "409", "Not possible in the current state; `code` says why";
    /// Of an operation that is limited.
    TooMany = "429", "Too many attempts; see Retry-After";
    /// Of an operation that names a job in its body.
    NoSuchJob = "404", "No such job";
    /// Of an operation that writes files.
    DiskFull = "507", "The disk is full";
}
