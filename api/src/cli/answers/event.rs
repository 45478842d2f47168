//! One thing that happened.

use chrono::{DateTime, Utc};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Event {
    pub(crate) at: DateTime<Utc>,
    pub(crate) kind: String,
    pub(crate) actor: String,
    pub(crate) reason: Option<String>,
    pub(crate) video_id: Option<String>,
}

impl Event {
    /// `job_retry_scheduled` → "Job retry scheduled".
    pub(crate) fn words(&self) -> String {
        let mut words = self.kind.replace('_', " ");
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        words
    }
}
