//! Alerts: how people learn that something is wrong.
//!
//! In the order a message travels: [`event_detector`] derives alerts from events and [`condition_detector`] from the
//! current state; both hand them to [`raise`], which writes the state and one delivery per endpoint in one transaction.
//! [`deliverer`] sends them: [`payload`] builds the body, [`sign`] signs it, [`http`] is one attempt, within the SSRF
//! guard of [`crate::egress`], and [`schedule`] decides what follows from its outcome. [`endpoints`] and [`log`] are the
//! admin's side.

pub mod message;

pub mod condition_detector;
pub mod event_detector;

pub(crate) mod conditions;
mod event_messages;
mod pattern;

pub mod raise;

pub mod deliverer;
pub mod http;
pub mod payload;
pub mod schedule;
pub mod sign;

pub mod endpoints;
pub mod log;
pub mod status;

mod address;

use crate::app::App;
use crate::error::Result;

/// At start: the endpoint from the settings, and the event from which alerts are derived.
pub async fn prepare(app: &App) -> Result<()> {
    endpoints::adopt_settings(app).await?;
    event_detector::begin(app).await
}
