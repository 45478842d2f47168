//! What travels between the programs.

pub mod event;
pub mod worker_api;
