//! The API service: keeps the truth about videos, jobs, qualities and workers.
//!
//! The modules stand in the order data travels through them.

// --- The process: commands, settings, wiring ---

// The program's commands.
pub mod cli;

// Settings, checked at start.
pub mod config;

// The parts of a running API and how they are wired.
pub mod app;

// Only one process serves an embedded data directory.
pub mod instance_lock;

// --- In: connections, callers, uploads ---

// Connections, TLS, admission, and an orderly shutdown.
pub mod server;

// Forwarded headers, trusted proxies and the public URL.
pub mod proxy;

// Every URL; handlers parse, call one lifecycle function, answer.
pub mod http;

// Who is calling, and what the caller may do.
pub mod auth;

// How often a worker may make calls that lead to nothing.
pub mod worker_limit;

// Bytes of unfinished uploads.
pub mod uploads;

// Files that the farm fetches: by URL, by path, from the watch folder.
pub mod intake;

// Deliveries of workers that are under way.
pub mod staging;

// A delivered part is checked before it counts.
pub mod parts;

// Images and subtitles beside the segments, checked before they count.
pub mod sidecars;

// --- The lifecycle ---

// What happens to a video, one file a step.
pub mod lifecycle;

// Small loops with one duty each.
pub mod services;

// What is deleted when.
pub mod retention;

// --- Out: playback, responses, exports ---

// Playlists from what was verified.
pub mod playlist;

// Response bodies: rows of `db` as the API shows them.
pub mod responses;

// When a job is done, and why it waits.
pub mod estimate;

// Export and import of queues.
pub mod queue_transfer;

// A copy of the whole farm, and back.
pub mod backup;

// --- Notification: workers, pages, people, other instances ---

// What a commit sets off.
pub mod after_commit;

// How a waiting worker learns of a job.
pub mod dispatch;

// The stream of events that pages subscribe to.
pub mod events;

// Alerts: what goes wrong, and who is notified.
pub mod alerts;

// Messages between API instances.
pub mod cluster;

// --- Infrastructure ---

// Every SQL statement.
pub mod db;

// Objects on disk or in an object store.
pub mod storage;

// The connection to Redis, and its breaker.
pub mod broker;

// Outgoing requests reach public addresses only (the SSRF guard).
pub mod egress;

// Prometheus metrics.
pub mod metrics;

// OpenTelemetry spans.
pub mod traces;

// A budget of tries that refills with time.
mod budget;

// Errors a caller sees.
pub mod error;

#[cfg(feature = "testing")]
pub mod testing;
