//! Audio tracks that a video goes without, because its source does not let them be made.

use framefarm_shared::failure::error_text;
use framefarm_shared::ladder::MediaKind;
use framefarm_shared::state::QualityStatus;
use framefarm_shared::wire::event::{EventData, EventKind};
use framefarm_shared::wire::worker_api::LeftOut;

use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::renew::Holder;
use crate::db::qualities::{GenerationKey, QualityRow};
use crate::db::{Tx, events, qualities};
use crate::error::Result;

/// What a generation lacks to be published, in words. A video track is never left out, and something has to be left.
pub(super) fn missing(rows: &[QualityRow], left_out: &[LeftOut]) -> Vec<String> {
    let something = rows.iter().any(|row| row.status == QualityStatus::Completed);
    let may_lack = |row: &QualityRow| {
        something && row.kind == MediaKind::Audio && left_out.iter().any(|one| one.quality == row.name)
    };
    let open =
        rows.iter().filter(|row| !matches!(row.status, QualityStatus::Completed | QualityStatus::Skipped));
    open.filter(|row| !may_lack(row))
        .map(|row| match &row.error_message {
            Some(error) => format!("{} (failed: {error})", row.name),
            None => format!("{} ({} of {} segments)", row.name, row.segments_completed, row.segments_total),
        })
        .collect()
}

/// The track stays listed as failed, with the reason, and an event says so.
pub(super) async fn record(tx: &mut Tx, job: &JobRow, by: Holder, left_out: &[LeftOut]) -> Result<()> {
    let key = GenerationKey { video: job.video_id, number: job.generation };
    for LeftOut { quality, error } in left_out {
        let error = error_text(error);
        if qualities::fail_if_open(tx, key, quality, &error).await? {
            let event = Event::of_job(EventKind::QualityFailed, "worker", job).by_worker(by.worker);
            events::append(tx, quality_failed(event, quality, error), by.now).await?;
        }
    }
    Ok(())
}

pub(super) fn quality_failed(event: Event, quality: &str, error: String) -> Event {
    let reason = format!("{quality}: {error}");
    let data = EventData { quality: Some(quality.to_owned()), error: Some(error), ..EventData::default() };
    event.because(reason).and(data)
}
