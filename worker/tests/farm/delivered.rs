//! What the farm has of a video, and who brought it.

use std::collections::BTreeMap;

use framefarm_api::db::events::EventRow;
use framefarm_api::db::job::JobRow;
use framefarm_api::db::qualities::GenerationKey;
use framefarm_api::db::segments::SegmentRow;
use framefarm_api::db::{events, job, qualities, segments};
use framefarm_shared::state::QualityStatus;
use framefarm_shared::wire::event::EventKind;

use crate::api::{Api, Uploaded};
use crate::watch::until;

/// The segments of each quality, in order.
pub(crate) type Segments = BTreeMap<String, Vec<SegmentRow>>;

impl Api {
    pub(crate) async fn job(&self, video: &Uploaded) -> JobRow {
        job::get(&self.app.db, video.job_id).await.unwrap().unwrap()
    }

    pub(crate) async fn segments(&self, video: &Uploaded) -> Segments {
        let key = GenerationKey { video: video.id, number: 1 };
        let mut all = Segments::new();
        for quality in qualities::of_generation(&self.app.db, key).await.unwrap() {
            if quality.status != QualityStatus::Skipped {
                let rows = segments::of_quality(&self.app.db, key, &quality.name).await.unwrap();
                all.insert(quality.name, rows);
            }
        }
        all
    }

    pub(crate) async fn events(&self, video: &Uploaded, kind: EventKind) -> Vec<EventRow> {
        let mut all = events::of_job(&self.app.db, video.job_id).await.unwrap();
        all.retain(|event| event.kind == kind);
        all
    }

    /// Every delivery of each segment: quality, index, fence.
    pub(crate) async fn deliveries(&self, video: &Uploaded) -> Vec<(String, u32, i64)> {
        let mut all = Vec::new();
        for event in self.events(video, EventKind::PartDelivered).await {
            let fence = event.data.unwrap()["fence"].as_i64().unwrap();
            let reason = event.reason.unwrap();
            let (quality, range) = reason.split_once(": segments ").unwrap();
            let (first, last) = range.split_once(" to ").unwrap();
            let indices = first.parse().unwrap()..=last.parse().unwrap();
            all.extend(indices.map(|index| (quality.to_owned(), index, fence)));
        }
        all
    }

    /// Until so many segments of pictures are there.
    pub(crate) async fn until_delivered(&self, video: &Uploaded, quality: &str, count: usize) -> Segments {
        until(&format!("{count} segments of {quality}"), async || {
            let segments = self.segments(video).await;
            (segments.get(quality).map_or(0, Vec::len) >= count).then_some(segments)
        })
        .await
    }

    pub(crate) async fn until_ready(&self, video: &Uploaded) {
        until("the video is ready", async || {
            let status = self.video(video.id).await["status"].clone();
            assert_ne!(status, "failed", "{:?}", self.job(video).await.error);
            (status == "ready").then_some(())
        })
        .await;
    }

    pub(crate) async fn until_event(&self, video: &Uploaded, kind: EventKind) -> EventRow {
        until(&format!("{kind}"), async || self.events(video, kind).await.pop()).await
    }
}
