//! Every URL. Handlers parse, call one lifecycle function, answer; they never touch `db`.
//!
//! Each file has `routes()`; `router` puts them on one page.

#![expect(unused_qualifications, reason = "utoipa writes whole paths where we wrote a name")]

mod attachment;
mod detached;
pub mod extract;
mod layers;
mod names;
pub mod openapi;
mod problems;
mod ranged;
pub mod router;
mod tus;
mod upload_fields;

mod alerts;
mod auth;
mod collections;
mod docs;
mod events;
mod events_log;
mod gc;
mod health;
mod intake;
mod metrics;
mod overview;
mod playback;
mod queue;
mod queue_bulk;
mod queue_jobs;
mod queue_transfer;
mod retry_overtaken;
mod uploads;
mod video_upload;
mod videos;
mod web;
mod worker_api;
mod worker_files;
mod worker_sidecars;
mod workers;
