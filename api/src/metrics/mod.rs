//! What this instance counts, and what the farm's database says at a scrape, as text for Prometheus.
//!
//! Every app has a registry of its own: two in one process share nothing. Counters are those of this instance and begin
//! at 0 with it; figures of the whole farm (`farm`) are the same on every instance. What belongs to a change in the
//! database is noted in its transaction and counted when that commits ([`JobChange`]), so no caller can forget it and
//! nothing is counted that did not happen.

mod cache;
mod deliveries;
mod farm;
mod few;
mod gpus;
mod instance;
mod jobs;
mod make;
mod requests;
mod services;
mod sheet;
mod webhooks;

pub use deliveries::Deliveries;
pub use jobs::Jobs;
pub use requests::{Request, Requests};
pub use services::Services;
pub use webhooks::Webhooks;

use std::sync::Arc;

use prometheus::{Registry, TextEncoder};

use self::cache::Cache;
use self::make::Maker;
use crate::app::App;
use crate::db::effects::JobChange;
use crate::error::{ApiError, Result};

/// The format of [`Metrics::text`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Parts>);

#[derive(Debug)]
pub struct Parts {
    registry: Registry,
    pub jobs: Jobs,
    pub deliveries: Deliveries,
    pub requests: Requests,
    pub services: Services,
    pub webhooks: Webhooks,
    farm: Cache,
}

impl std::ops::Deref for Metrics {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Metrics {
    /// To be called after the commit.
    pub fn record(&self, changes: &[JobChange]) {
        for change in changes {
            self.jobs.record(change);
        }
    }

    pub fn new() -> prometheus::Result<Self> {
        let make = Maker::new();
        Ok(Self(Arc::new(Parts {
            jobs: Jobs::new(&make)?,
            deliveries: Deliveries::new(&make)?,
            requests: Requests::new(&make)?,
            services: Services::new(&make)?,
            webhooks: Webhooks::new(&make)?,
            farm: Cache::default(),
            registry: make.registry(),
        })))
    }

    /// Everything, for a scrape. It answers without a database too, and then says so.
    pub async fn text(&self, app: &App) -> Result<String> {
        let mut text = encode(&self.registry)?;
        text += &encode(&instance::sheet(app)?)?;
        text += &self.farm.text(app).await?;
        Ok(text)
    }
}

fn encode(registry: &Registry) -> Result<String> {
    Ok(TextEncoder::new().encode_to_string(&registry.gather())?)
}

/// A name or a label of ours is wrong.
impl From<prometheus::Error> for ApiError {
    fn from(error: prometheus::Error) -> Self {
        Self::internal(&error)
    }
}
