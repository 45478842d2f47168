//! Counts the bytes of sources and videos, from what the rows say of them.
//!
//! A sum over every video would hold a large farm up, so it walks through them in pages and leaves its result in the
//! database, where every instance finds it.

use std::time::Duration;

use framefarm_shared::id::VideoId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Counts;
use crate::app::App;
use crate::db::{key_value, videos};
use crate::error::Result;

const PAGE: i64 = 500;
/// Others get in between.
const REST: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stored {
    pub videos: i64,
    pub source_bytes: i64,
    pub video_bytes: i64,
}

pub async fn run_once(app: App) -> Result<Counts> {
    let mut stored = Stored::default();
    let mut last = VideoId(Uuid::nil());
    loop {
        let page = videos::sizes_after(&app.db, last, PAGE).await?;
        let Some(end) = page.last() else { break };
        last = end.id;
        for video in &page {
            stored.videos += 1;
            stored.source_bytes += video.source_size;
            stored.video_bytes += video.video_size;
        }
        tokio::select! { () = tokio::time::sleep(REST) => {}, () = app.shutdown.cancelled() => return Ok(Counts::new()) }
    }
    let text = serde_json::to_string(&stored).map_err(|error| crate::error::ApiError::internal(&error))?;
    let mut tx = app.db.begin().await?;
    key_value::set(&mut tx, key_value::STORED_BYTES, &text).await?;
    tx.commit().await?;
    Ok(Counts::new())
}

/// What was counted last, by whichever instance.
pub async fn found(app: &App) -> Result<Option<Stored>> {
    let text = key_value::get(&app.db, key_value::STORED_BYTES).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}
