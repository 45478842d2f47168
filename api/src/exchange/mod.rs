//! Queue export and import, and import of lists from other systems.
//!
//! [`document`] is the format of an export, [`export`] writes one, [`import`] reads one back; [`list`] parses lists and
//! `bring_in` has their sources fetched. `docs/queue.md` says what an import restores and what it cannot.

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
