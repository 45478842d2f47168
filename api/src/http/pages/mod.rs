//! What a browser shows.

pub(super) mod docs;
pub(super) mod web;
