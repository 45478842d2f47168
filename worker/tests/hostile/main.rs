//! Files that nobody should upload and somebody will: each ends in time, with whole segments or with words that a
//! person understands, and touches nothing beside it.
//!
//! `cargo nextest run --test hostile --no-capture` shows what became of each.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bytes;
#[path = "../driver/mod.rs"]
mod driver;
mod seed;
mod trial;
mod yard;

mod boxes;
mod damaged;
mod junk;
mod places;
mod posers;
mod sizes;
