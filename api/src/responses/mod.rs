//! What people see: rows of `db` turned into the bodies of answers. Nothing here changes anything.

mod cached;
pub mod collections;
mod condition;
pub mod events;
pub mod health;
pub mod intake;
pub mod job_log;
pub mod jobs;
mod names;
pub mod notes;
pub mod overview;
pub mod page;
pub mod queues;
pub mod readiness;
pub mod stuck;
pub mod uploads;
pub mod videos;
pub mod work;
pub mod workers;
