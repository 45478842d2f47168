//! The farm as a whole: what happens, what happened, how it is, what it no longer needs.

pub(super) mod audit;
pub(super) mod events;
pub(super) mod gc;
pub(super) mod health;
pub(super) mod metrics;
pub(super) mod overview;
