//! How people hear of what goes wrong.
//!
//! In the order a message travels: [`watcher`] derives alerts from what happened and [`guard`] from how things are;
//! both hand them to [`raise`], which writes the state and one delivery for each endpoint in one transaction.
//! [`deliverer`] sends them: [`payload`] writes the body, [`sign`] signs it, [`wall`] says what may be reached, [`exchange`]
//! is one try, [`schedule`] says what follows from how it ended. [`endpoints`] and [`log`] are the admin's side.

pub mod message;

pub mod guard;
pub mod watcher;

mod conditions;
mod happenings;
mod pattern;

pub mod raise;

pub mod deliverer;
pub mod exchange;
pub mod payload;
pub mod schedule;
pub mod sign;
pub mod wall;

pub mod endpoints;
pub mod log;
pub mod status;

mod address;

use crate::app::App;
use crate::error::Result;

/// At start: the endpoint of the settings, and from where on events are looked at.
pub async fn prepare(app: &App) -> Result<()> {
    endpoints::adopt_settings(app).await?;
    watcher::begin(app).await
}
