//! Every URL on one page.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use super::{
    alerts, auth, collections, docs, events, events_log, gc, health, intake, metrics, openapi, overview,
    playback, queue, queue_bulk, queue_jobs, queue_transfer, uploads, video_upload, videos, web,
};
use super::{layers, problems, retry_overtaken, worker_api, worker_files, worker_sidecars, workers};
use crate::app::App;

/// The most bytes of a JSON body; routes that take files set their own limit.
const MOST_JSON: usize = 1024 * 1024;

fn api() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::head())
        // Who is calling: /api/login, /api/logout, /api/me, /api/tokens
        .merge(auth::routes())
        // What comes in: /api/uploads (tus), POST /api/videos (a form)
        .merge(uploads::routes())
        .merge(video_upload::routes())
        // What the farm fetches: /api/videos/batch, /api/intake
        .merge(intake::routes())
        // What was uploaded: /api/videos, /api/collections
        .merge(videos::routes())
        .merge(collections::routes())
        // What plays: /videos
        .merge(playback::routes())
        // What is done with it: /api/queue, /api/queue/jobs; in and out: /api/queue/export, /api/queue/import
        .merge(queue::routes())
        .merge(queue_bulk::routes())
        .merge(queue_jobs::routes())
        .merge(queue_transfer::routes())
        // By whom: /api/workers
        .merge(workers::routes())
        // The workers' own side: /api/worker
        .merge(worker_api::routes())
        .merge(worker_files::routes())
        .merge(worker_sidecars::routes())
        // What happens: /api/events; what happened: /api/audit; at a glance: /api/overview, /api/throughput
        .merge(events::routes())
        .merge(events_log::routes())
        .merge(overview::routes())
        // Who is told of it: /api/alerts
        .merge(alerts::routes())
        // What is not needed any more: /api/gc
        .merge(gc::routes())
        // How it is: /healthz, /readyz, /health, /api/health, /version
        .merge(health::routes())
        // What is counted: /metrics
        .merge(metrics::routes())
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
