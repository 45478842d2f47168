//! Every URL. Handlers parse, call one lifecycle function, answer; they never touch `db`.
//!
//! Each file has `routes()`; `router` puts them together.

#![expect(unused_qualifications, reason = "utoipa writes whole paths where we wrote a name")]

// --- What all routes share ---

pub mod router;
// Around every request: who may call from where, security headers, metrics and spans.
mod layers;
// One more try for a transaction that lost against another.
mod retry_overtaken;
// Every error is a problem document.
pub mod extract;
pub mod openapi;
mod problems;
// An id or a number of a job, an id or a slug of a video.
mod names;
// Responses: downloads, ranges of a file, work that outlives its caller.
mod attachment;
mod detached;
mod ranged;

// --- In the order data travels ---

// /api/login, /api/me, /api/tokens
mod auth;
// /api/uploads, POST /api/videos, /api/videos/batch, /api/intake
mod uploads;
// /api/videos, /api/collections, and what players fetch: /videos
mod videos;
// /api/queue
mod queue;
// /api/worker: what workers call
mod worker_api;
// /api/workers: what people do with workers
mod workers;
// /api/events, /api/audit, /api/overview, /api/gc, /health, /metrics
mod farm;
// /api/alerts
mod alerts;
// The web page and the API's documentation.
mod pages;
