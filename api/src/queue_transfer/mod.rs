//! Queue export and import, and import of lists from other systems.
//!
//! [`document`] is the format of an export, [`export`] writes one, [`import`] reads one back; [`list`] parses lists and
//! `fetch_sources` queues an import of each of their sources. `docs/queue.md` says what an import restores and what it
//! cannot.

pub mod document;

pub mod export;

mod check;
mod dry_run;
mod garbage;
pub mod import;
mod rows;
mod stored;

mod fetch_sources;
pub mod list;
pub mod report;
