//! A ready video is encoded again into a new generation while the old one goes on playing.

use framefarm_shared::extra_file::ExtraKind;
use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{QualityStatus, VideoStatus};
use framefarm_shared::wire::event::{EventData, EventKind};

use super::collections::own_ladder;
use super::enqueue::identity_of;
use crate::app::App;
use crate::config::Cleanup;
use crate::db::events::Event;
use crate::db::job::{JobRow, NewJob, Retranscode};
use crate::db::qualities::GenerationKey;
use crate::db::videos::VideoRow;
use crate::db::{Tx, collections, events, extra_files, generations, job, qualities, sources, videos};
use crate::error::{ApiError, Result};

/// What a person asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub retranscode_all: bool,
    pub qualities: Vec<String>,
    pub delete_captions: bool,
    /// Its collection's if absent.
    pub priority: Option<i32>,
}

pub async fn retranscode(app: &App, id: VideoId, request: Request, actor: &str) -> Result<JobRow> {
    let mut tx = app.db.begin().await?;
    let Some(video) = videos::get_in(&mut tx, id).await?.filter(|video| video.deleted_at.is_none()) else {
        return Err(ApiError::no_such("video"));
    };
    if video.status != VideoStatus::Ready {
        let detail = format!("The video is {}; only ready videos can be re-transcoded.", video.status);
        return Err(ApiError::conflict("not_ready", detail));
    }
    if request.retranscode_all != request.qualities.is_empty() {
        let detail = "Send either retranscode_all or the qualities to encode again, not both.";
        return Err(ApiError::bad_request("bad_retranscode", detail));
    }
    let job = begin(app, &mut tx, &video, request, actor).await?;
    tx.commit().await?;
    Ok(job)
}

/// A forced upload of content that a video has already. A video that never became ready simply starts over.
pub(super) async fn begin_again(
    app: &App,
    tx: &mut Tx,
    video: &VideoRow,
    priority: i32,
    actor: &str,
) -> Result<JobRow> {
    videos::wait_if_failed(tx, video.id).await?;
    begin(
        app,
        tx,
        video,
        Request { retranscode_all: true, priority: Some(priority), ..Request::default() },
        actor,
    )
    .await
}

/// Every quality anew, as the farm's settings want it.
pub(crate) fn everything(app: &App) -> Retranscode {
    Retranscode {
        retranscode_all: true,
        qualities: Vec::new(),
        delete_captions: false,
        cleanup_on_claim: app.settings.retranscode_cleanup == Cleanup::OnClaim,
    }
}

async fn begin(app: &App, tx: &mut Tx, video: &VideoRow, request: Request, actor: &str) -> Result<JobRow> {
    let now = app.clock.now();
    // It holds the row, too: a deletion waits for us, or we see it.
    let Some(generation) = videos::next_generation(tx, video.id).await? else {
        return Err(ApiError::no_such("video"));
    };
    if !sources::hold_if_kept(tx, video.id).await? {
        return Err(ApiError::source_needed());
    }
    let partial = !request.retranscode_all;
    let plan = if partial { generations::plan_in(tx, video.id, video.generation).await? } else { None };
    generations::insert(tx, video.id, generation, plan.as_ref(), now).await?;
    if partial {
        carry_the_others(tx, video, generation, &request).await?;
    }
    let collection = match video.collection_id {
        Some(id) => collections::get_in(tx, id).await?,
        None => None,
    };
    // Everything anew follows the ladder that counts for the video now; it may have been moved.
    let identity = if partial {
        video.identity.clone()
    } else {
        let wanted = video.wanted.as_ref().map(|wanted| wanted.0.as_slice());
        let own = own_ladder(app, collection.as_ref());
        identity_of(app, video.id, &video.source_sha256, wanted, own.as_ref())
    };
    videos::set_identity(tx, video.id, &identity).await?;
    let cleanup_on_claim = app.settings.retranscode_cleanup == Cleanup::OnClaim && !partial;
    let new = NewJob {
        id: JobId::new(&app.clock),
        video_id: video.id,
        // As it is now: it may have been deleted since the video was read.
        collection_id: collection.as_ref().map(|row| row.id),
        queue_type: QueueType::Transcode,
        identity,
        priority: request.priority.or(collection.as_ref().map(|row| row.priority)).unwrap_or_default(),
        generation,
        retranscode: (video.status == VideoStatus::Ready).then_some(Retranscode {
            retranscode_all: request.retranscode_all,
            qualities: request.qualities,
            delete_captions: request.delete_captions,
            cleanup_on_claim,
        }),
        max_attempts: app.settings.max_retry_attempts.into(),
        max_lost: app.settings.max_lost.into(),
    };
    let Some(job) = job::insert_unless_live(tx, new, now).await? else {
        let detail =
            "This video, or the same content with the same ladder, is already queued or being encoded.";
        return Err(ApiError::conflict("already_queued", detail));
    };
    let data = EventData { retranscode: Some(true), ..EventData::default() };
    let event = Event::of_job(EventKind::JobEnqueued, actor, &job).because("re-transcode").and(data);
    events::append(tx, event, now).await?;
    Ok(job)
}

/// Qualities that are not encoded again come along; they follow the same plan, so that all segments line up.
/// So do images and subtitles, until the worker delivers new ones.
async fn carry_the_others(tx: &mut Tx, video: &VideoRow, generation: i32, request: &Request) -> Result<()> {
    let again = &request.qualities;
    let old = GenerationKey { video: video.id, number: video.generation };
    let new = GenerationKey { video: video.id, number: generation };
    let existing = qualities::of_generation_in(tx, old).await?;
    let encoded =
        |name: &str| existing.iter().any(|q| q.name == name && q.status == QualityStatus::Completed);
    if let Some(unknown) = again.iter().find(|name| !encoded(name)) {
        let known: Vec<&str> = existing
            .iter()
            .filter(|q| q.status == QualityStatus::Completed)
            .map(|q| q.name.as_str())
            .collect();
        let detail = format!("This video has no quality `{unknown}`; it has {}.", known.join(", "));
        return Err(ApiError::bad_request("unknown_quality", detail));
    }
    for quality in existing {
        // What the video went without is tried again; nothing of it could come along.
        if again.contains(&quality.name) || quality.status == QualityStatus::Failed {
            qualities::insert_again(tx, new, &quality).await?;
        } else {
            qualities::carry_over(tx, new, old.number, &quality.name).await?;
        }
    }
    extra_files::carry_over(tx, new, old.number, ExtraKind::Image).await?;
    if !request.delete_captions {
        extra_files::carry_over(tx, new, old.number, ExtraKind::Subtitle).await?;
    }
    Ok(())
}
