//! A video switches to a new generation: its playlists are written from what was verified, then one statement, in the
//! transaction that ends the job, makes it play.

mod master;
mod media;
pub(crate) mod sidecars;

use chrono::Duration;
use framefarm_shared::ladder::MediaKind;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::plan::Plan;
use framefarm_shared::state::QualityStatus;
use framefarm_shared::wire::event::EventKind;
use serde_json::{Value, json};

use self::master::master_text;
use self::media::Rendition;
pub(crate) use self::media::media_files;
pub use self::sidecars::{PublishedSidecars, PublishedSubtitle};
use crate::app::App;
use crate::db::events::Event;
use crate::db::qualities::{GenerationKey, QualityRow};
use crate::db::videos::{Published, VideoRow};
use crate::db::{Tx, events, garbage, generations, segments, videos};
use crate::error::Result;

/// A generation of which everything was delivered.
pub(super) struct Delivered {
    pub key: GenerationKey,
    pub plan: Plan,
    pub qualities: Vec<QualityRow>,
}

/// Puts every file where a player will ask for it. Nobody does before [`switch`].
pub(super) async fn write_files(app: &App, delivered: Delivered) -> Result<Published> {
    let Delivered { key, plan, qualities } = delivered;
    let naming = generations::naming(&app.db, key).await?;
    let mut renditions = Vec::new();
    for row in qualities.into_iter().filter(|row| row.status == QualityStatus::Completed) {
        let segments = segments::of_quality(&app.db, key, &row.name).await?;
        let rendition = Rendition::new(row, segments);
        media::carry_objects(app, key, naming, &rendition).await?;
        media::write_playlist(app, key, naming, &rendition).await?;
        renditions.push(rendition);
    }
    let sidecars = sidecars::write(app, key, &plan).await?;
    app.storage.put(&key.master(), master_text(key.number, &plan, &renditions, &sidecars).into()).await?;
    Ok(published(app, key, &plan, &renditions, &sidecars))
}

fn published(
    app: &App,
    key: GenerationKey,
    plan: &Plan,
    renditions: &[Rendition],
    sidecars: &PublishedSidecars,
) -> Published {
    let list: Vec<Value> = renditions
        .iter()
        .map(|rendition| {
            let bytes: i64 = rendition.segments.iter().map(|segment| segment.size).sum();
            json!({
                "name": rendition.row.name, "kind": rendition.row.kind, "codecs": rendition.row.codecs,
                "width": rendition.row.width, "height": rendition.row.height, "bytes": bytes,
                "bandwidth": rendition.rates.peak, "average_bandwidth": rendition.rates.average,
                "segments": rendition.segments.len(),
            })
        })
        .collect();
    let best = renditions.iter().filter(|r| r.row.kind == MediaKind::Video).max_by_key(|r| r.row.height);
    Published {
        generation: key.number,
        duration_us: i64::try_from(plan.source.duration_us).unwrap_or(i64::MAX),
        width: best.map(|rendition| rendition.row.width),
        height: best.map(|rendition| rendition.row.height),
        renditions: json!({ "duration_us": plan.source.duration_us, "renditions": list, "extras": sidecars }),
        now: app.clock.now(),
    }
}

/// One step: the video switches to the new generation, the old one becomes garbage once nobody can be watching it. `false`
/// if the video was deleted or has a newer generation.
pub(super) async fn switch(app: &App, tx: &mut Tx, key: GenerationKey, new: Published) -> Result<bool> {
    let now = app.clock.now();
    let Some(video) = videos::get_in(tx, key.video).await? else { return Ok(false) };
    if !videos::publish(tx, video.id, new).await? {
        return Ok(false);
    }
    if video.generation > 0 {
        let prefix = ObjectKey::generation_prefix(video.id, video.generation);
        let until = now + longest_view(&video);
        garbage::add_kept_until(tx, &prefix, "replaced by a new generation", now, until).await?;
        generations::delete_unless_published(tx, video.id, video.generation).await?;
    }
    let event = Event::of_video(EventKind::VideoPublished, "farm", video.id);
    events::append(tx, event.because(format!("generation {}", key.number)), now).await?;
    Ok(true)
}

/// Who began to watch a generation before it was replaced is done with it after this: a playlist is read once, and its
/// segments as the video goes on. People pause.
fn longest_view(video: &VideoRow) -> Duration {
    Duration::microseconds(video.duration_us.unwrap_or_default()) + Duration::hours(1)
}
