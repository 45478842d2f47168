//! Uploads, originals, generations and videos that go. Their files become garbage, which is removed a little later.

use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::retention::SourceRetention;
use framefarm_shared::wire::event::EventKind;

use super::gc::{Sweep, Swept, Walk, days_ago, hours_ago};
use crate::app::App;
use crate::db::events::Event;
use crate::db::sources::{self as originals, Whose};
use crate::db::{self, collections, events, garbage, generations, job, videos};
use crate::error::Result;
use crate::lifecycle::{FARM, delete, upload};

pub(super) async fn uploads(app: &App, walk: Walk) -> Result<Swept> {
    let mut sweep = Sweep::default();
    for (id, bytes) in db::uploads::expired(&app.db, app.clock.now(), walk.most).await? {
        let went = if walk.dry_run { Ok(true) } else { upload::expire(app, id).await };
        sweep.note(went, bytes.unsigned_abs());
    }
    let old = hours_ago(app, app.settings.orphan_hours);
    for (id, bytes) in app.uploads.forsaken(&app.db, old).await? {
        let went = if walk.dry_run { Ok(()) } else { app.uploads.remove(id).await };
        sweep.note(went.map(|()| true).map_err(Into::into), bytes);
    }
    sweep.end()
}

/// Output of a generation that does not play and will not.
struct Leftover {
    /// Its job, unless that has left the history.
    job: Option<JobId>,
    video: VideoId,
    generation: i32,
}

pub(super) async fn leftovers(app: &App, walk: Walk) -> Result<Swept> {
    let mut sweep = Sweep::default();
    if !app.settings.cleanup_partial_on_failure {
        return sweep.end();
    }
    let old = hours_ago(app, app.settings.orphan_hours);
    let of_jobs = job::leftovers(&app.db, old, walk.most).await?.into_iter().map(|left| Leftover {
        job: Some(left.id),
        video: left.video_id,
        generation: left.generation,
    });
    let of_none = generations::forsaken(&app.db, old, walk.most).await?;
    let of_none = of_none.into_iter().map(|(video, generation)| Leftover { job: None, video, generation });
    for leftover in of_jobs.chain(of_none) {
        let prefix = ObjectKey::generation_prefix(leftover.video, leftover.generation);
        let bytes = bytes_below(app, &prefix).await;
        let went = if walk.dry_run { Ok(true) } else { drop_leftover(app, &leftover, &prefix).await };
        sweep.note(went, bytes);
    }
    sweep.end()
}

async fn drop_leftover(app: &App, leftover: &Leftover, prefix: &str) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let held = match leftover.job {
        Some(job) => job::hold_if_ended(&mut tx, job).await?,
        None => true,
    };
    if !held || !generations::delete_unless_published(&mut tx, leftover.video, leftover.generation).await? {
        return Ok(false);
    }
    garbage::add(&mut tx, prefix, "its job ended without success", app.clock.now()).await?;
    tx.commit().await?;
    Ok(true)
}

/// By the rule of the video's collection, or the farm's.
pub(super) async fn sources(app: &App, walk: Walk) -> Result<Swept> {
    let mut sweep = Sweep::default();
    let mut rules = vec![(Whose::Others, app.settings.retention.source_retention)];
    for collection in collections::all(&app.db).await? {
        let Some(text) = &collection.source_retention else { continue };
        match text.parse() {
            Ok(rule) => rules.push((Whose::Collection(collection.id), rule)),
            // Of a newer version, perhaps. What is kept too long can still be removed, the reverse cannot be mended.
            Err(error) => {
                tracing::warn!(collection = collection.name, %error, "keeping originals: cannot parse the retention of the collection");
            }
        }
    }
    for (whose, rule) in rules {
        let ready_by = match rule {
            SourceRetention::Keep => continue,
            SourceRetention::DeleteAfterReady => app.clock.now(),
            SourceRetention::Days(days) => days_ago(app, days),
        };
        for (video, size) in originals::due(&app.db, whose, ready_by, walk.most).await? {
            let went = if walk.dry_run { Ok(true) } else { give_up_source(app, video, ready_by).await };
            sweep.note(went, size.unsigned_abs());
        }
    }
    sweep.end()
}

async fn give_up_source(app: &App, video: VideoId, ready_by: chrono::DateTime<chrono::Utc>) -> Result<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    if !originals::give_up_if_unneeded(&mut tx, video, ready_by, now).await? {
        return Ok(false);
    }
    garbage::add(&mut tx, &ObjectKey::source_prefix(video), "its retention period ended", now).await?;
    events::append(&mut tx, Event::of_video(EventKind::SourceDeleted, FARM, video), now).await?;
    tx.commit().await?;
    Ok(true)
}

pub(super) async fn deleted_videos(app: &App, walk: Walk) -> Result<Swept> {
    let mut sweep = Sweep::default();
    let old = hours_ago(app, app.settings.deleted_video_hours);
    for video in videos::deleted_by(&app.db, old, walk.most).await? {
        let output = bytes_below(app, &ObjectKey::video_prefix(video)).await;
        let source = bytes_below(app, &ObjectKey::source_prefix(video)).await;
        let went = if walk.dry_run { Ok(true) } else { delete::purge(app, video).await };
        sweep.note(went, output + source);
    }
    sweep.end()
}

/// For the report alone: a store that does not answer keeps nothing from being given up.
async fn bytes_below(app: &App, prefix: &str) -> u64 {
    app.storage.size_below(prefix).await.map_or(0, |found| found.bytes)
}
