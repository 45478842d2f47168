//! Every URL on one page.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use super::farm::{audit, events, gc, health, metrics, overview};
use super::pages::{docs, web};
use super::uploads::{form, intake};
use super::videos::{collections, playback};
use super::worker_api::{files, sidecars};
use super::{
    alerts, auth, layers, openapi, problems, queue, retry_overtaken, uploads, videos, worker_api, workers,
};
use crate::app::App;

/// The most bytes of a JSON body; routes that take files set their own limit.
const MOST_JSON: usize = 1024 * 1024;

/// The comments name what the paths of each file begin with; `docs/routes.md` lists every route with its handler.
fn api() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::head())
        // /api/login, /api/logout, /api/me, /api/tokens
        .merge(auth::routes())
        // /api/uploads: tus
        .merge(uploads::routes())
        // POST /api/videos: a form
        .merge(form::routes())
        // /api/videos/batch, /api/intake: what the farm fetches
        .merge(intake::routes())
        // /api/videos
        .merge(videos::routes())
        // /api/collections
        .merge(collections::routes())
        // /videos: what players fetch
        .merge(playback::routes())
        // /api/queue
        .merge(queue::routes())
        // /api/queue/retry-errors, /api/queue/requeue, /api/queue/priority, /api/queue/clear-
        .merge(queue::bulk::routes())
        // /api/queue/jobs, /api/queue/next
        .merge(queue::jobs::routes())
        // /api/queue/export, /api/queue/import
        .merge(queue::transfer::routes())
        // /api/worker/: what workers call
        .merge(worker_api::routes())
        // /api/worker/jobs/{id}/source, /api/worker/jobs/{id}/qualities
        .merge(files::routes())
        // /api/worker/jobs/{id}/images, /api/worker/jobs/{id}/subtitles
        .merge(sidecars::routes())
        // /api/workers
        .merge(workers::routes())
        // /api/events
        .merge(events::routes())
        // /api/audit
        .merge(audit::routes())
        // /api/overview, /api/throughput
        .merge(overview::routes())
        // /api/gc
        .merge(gc::routes())
        // /healthz, /readyz, /health, /api/health, /version
        .merge(health::routes())
        // /metrics
        .merge(metrics::routes())
        // /api/alerts
        .merge(alerts::routes())
}

/// The whole service; the layers are listed from the inside out.
pub fn router(app: App) -> Router {
    let (routes, _) = api().split_for_parts();
    routes
        // Pages: /, /api/docs, /api/openapi.json
        .merge(docs::routes())
        .merge(web::routes(&app.settings))
        .fallback(problems::not_found)
        .method_not_allowed_fallback(problems::method_not_allowed)
        .layer(DefaultBodyLimit::max(MOST_JSON))
        .layer(from_fn(retry_overtaken::again))
        .layer(from_fn(layers::same_site))
        .layer(from_fn(layers::own_host))
        .layer(CatchPanicLayer::custom(problems::panicked))
        .layer(map_response(problems::as_problem))
        .layer(from_fn(layers::headers))
        .layer(from_fn_with_state(app.clone(), layers::observe))
        .with_state(app)
}

/// `docs/openapi.json`.
pub fn document() -> OpenApi {
    openapi::finish(api().into_openapi())
}
