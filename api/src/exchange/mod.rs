//! Queues that leave the farm and come in: an export of our own, and lists of others.
//!
//! [`document`] is the form of an export, [`export`] writes one, [`import`] takes one back; [`list`] reads lists and
//! `bring_in` has their sources fetched. What an
//! import restores, and what it cannot, is in `docs/queue.md`.

pub mod document;

pub mod export;

mod check;
mod given_up;
pub mod import;
mod rows;
mod stored;
mod tried;

mod bring_in;
pub mod list;
pub mod report;
