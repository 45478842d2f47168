//! The integration tests, in one binary so that they link once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod alerts;
mod certificates;
mod cli;
mod commands;
mod conformance;
mod docs;
mod hostile_worker;
mod http;
mod instance_lock;
mod intake;
mod lifecycle;
mod management;
mod maps;
mod metrics;
mod object_store;
mod parts;
mod playback;
mod playlist;
mod proxies;
mod requirements;
mod retention;
mod served;
mod several;
mod subscribers;
mod traces;
mod upload_command;
mod uploads;
mod worker_files;
mod worker_sidecars;
