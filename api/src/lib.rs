//! The API service: keeps the truth about videos, jobs, qualities and workers.
//!
//! The modules stand in the order a video meets them.

// The program's commands.
pub mod cli;

// Settings, checked at start.
pub mod config;

// The parts of a running API and how they are wired.
pub mod app;

// Only one process serves an embedded data directory.
pub mod instance_lock;

// Connections in, answers out, and an orderly end.
pub mod server;

// Who called and under which address, also behind proxies.
pub mod edge;

// Every URL; handlers parse, call one lifecycle function, answer.
pub mod http;

// Who is calling.
pub mod auth;

// What people see: rows of `db` as answers.
pub mod views;

// Bytes of unfinished uploads.
pub mod uploads;

// Deliveries of workers that are under way.
pub mod staging;

// How often workers may call in vain.
pub mod worker_limit;

// Other ways in than an upload.
pub mod intake;

// What happens to a video, one file a step.
pub mod lifecycle;

// Queues that leave the farm and come in.
pub mod exchange;

// The Redis beside the database.
pub mod broker;

// What API instances tell each other.
pub mod between;

// How a waiting worker hears of a job.
pub mod dispatch;

// How a watching page hears of everything.
pub mod events;

// How people hear of what goes wrong.
pub mod alerts;

// What is counted, for Prometheus.
pub mod metrics;

// What happened to a video and how long it took, for OpenTelemetry.
pub mod traces;

// When a job is done, and why it waits.
pub mod estimate;

// A delivered part is checked before it counts.
pub mod parts;

// Delivered images and subtitles are checked before they count.
pub mod extras;

// Playlists from what was verified.
pub mod playlist;

// Where the bytes are.
pub mod storage;

// Every SQL statement.
pub mod db;

// Retention, clean-up, backup and restore.
pub mod keeping;

// Small loops with one duty each.
pub mod services;

// Tries that come back with time.
mod budget;

// Errors a caller sees.
pub mod error;

#[cfg(feature = "testing")]
pub mod testing;
