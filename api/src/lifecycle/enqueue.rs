//! A whole source becomes a video with its job, in one transaction; or is found to be here already.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::{CollectionId, JobId, VideoId};
use framefarm_shared::ladder::Ladder;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::config::{Dedupe, DedupeSettings};
use crate::db::effects::Traced;
use crate::db::events::Event;
use crate::db::job::{JobRow, NewJob};
use crate::db::uploads::UploadRequest;
use crate::db::videos::{NewVideo, VideoRow};
use crate::db::{Tx, collections, events, generations, job, videos};
use crate::error::{ApiError, Result};
use crate::lifecycle::collections::own_ladder;
use crate::lifecycle::{FARM, cancel, file_name, retranscode, trace};
use crate::traces;

/// A source whose every byte has arrived.
#[derive(Clone, Debug)]
pub struct Source {
    /// The id under which its bytes are stored already.
    pub video: VideoId,
    pub size: i64,
    pub sha256: String,
    /// When its upload began.
    pub since: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub struct Enqueued {
    pub video: VideoRow,
    /// Absent if the video was here already and its job has left the history.
    pub job: Option<JobRow>,
    /// The same content was here before; nothing new was made.
    pub deduplicated: bool,
    /// Whether the stored bytes of [`Source::video`] are in use now.
    pub source_kept: bool,
}

/// What a video is the same as. Where nothing is, every video is alone.
pub(super) fn identity_of(
    app: &App,
    video: VideoId,
    sha256: &str,
    wanted: Option<&[String]>,
    own: Option<&Ladder>,
) -> String {
    let identity = identity(sha256, wanted, own);
    match app.settings.dedupe.dedupe {
        Dedupe::Off => hex::encode(Sha256::digest(format!("{identity}|{video}"))),
        Dedupe::Live | Dedupe::All | Dedupe::Window => identity,
    }
}

/// The same content with the same ladder is the same work, whatever the file is called. `own` is the ladder of its
/// collection, if that has one.
fn identity(sha256: &str, wanted: Option<&[String]>, own: Option<&Ladder>) -> String {
    let mut hash = Sha256::new();
    hash.update(sha256.trim().to_ascii_lowercase());
    let mut names: Vec<&str> = wanted.unwrap_or_default().iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    hash.update(names.join(","));
    if let Some(ladder) = own {
        hash.update(format!("|{ladder}"));
    }
    hex::encode(hash.finalize())
}

/// Refuses a request that could never become a video, before its bytes are taken.
pub async fn check_request(app: &App, request: &UploadRequest) -> Result<()> {
    check_text("title", request.title.as_deref(), 300)?;
    check_text("collection", request.collection.as_deref(), 100)?;
    check_text("file name", Some(&request.file_name), file_name::LONGEST)?;
    let Some(qualities) = &request.qualities else { return Ok(()) };
    let collection = match &request.collection {
        Some(name) => collections::by_name(&app.db, name.trim()).await?,
        None => None,
    };
    let own = own_ladder(app, collection.as_ref());
    check_qualities(own.as_ref().unwrap_or(&app.settings.ladder), qualities)
}

fn check_qualities(ladder: &Ladder, qualities: &[String]) -> Result<()> {
    for name in qualities {
        if !ladder.has(name) {
            let detail = format!("Unknown quality `{name}`; choose from {}.", ladder.names().join(", "));
            return Err(ApiError::bad_request("unknown_quality", detail));
        }
    }
    if qualities.is_empty() {
        return Err(ApiError::bad_request(
            "unknown_quality",
            "List at least one quality, or omit `qualities`.",
        ));
    }
    Ok(())
}

pub fn check_text(what: &str, text: Option<&str>, limit: usize) -> Result<()> {
    let Some(text) = text else { return Ok(()) };
    if text.trim().is_empty() || text.chars().count() > limit || text.chars().any(char::is_control) {
        let detail = format!("The {what} must be 1 to {limit} characters without control characters.");
        return Err(ApiError::bad_request("bad_text", detail));
    }
    Ok(())
}

pub async fn enqueue(app: &App, source: Source, request: UploadRequest, actor: &str) -> Result<Enqueued> {
    let mut tx = app.db.begin().await?;
    let enqueued = enqueue_in(app, &mut tx, source, request, actor).await?;
    tx.commit().await?;
    Ok(enqueued)
}

/// Same, as part of a larger transaction (sealing an upload).
pub async fn enqueue_in(
    app: &App,
    tx: &mut Tx,
    source: Source,
    request: UploadRequest,
    actor: &str,
) -> Result<Enqueued> {
    let collection = match &request.collection {
        Some(name) => collections::by_name_in(tx, name.trim()).await?,
        None => None,
    };
    let ladder = own_ladder(app, collection.as_ref());
    let wanted = request.qualities.as_deref();
    let identity = identity_of(app, source.video, &source.sha256, wanted, ladder.as_ref());
    let priority = request.named_priority().or(collection.map(|row| row.priority)).unwrap_or_default();
    if request.force {
        if let Some(again) = force_again(app, tx, &identity, &request, priority, actor).await? {
            return Ok(again);
        }
    } else if let Some(existing) = find_here(app, tx, &identity).await? {
        return met(tx, existing, request.named_priority()).await;
    }
    create(app, tx, source, request, Work { identity, priority, ladder }, actor).await
}

/// What the rules of its collection make of an upload.
struct Work {
    identity: String,
    priority: i32,
    /// The collection's own, if it has one.
    ladder: Option<Ladder>,
}

/// The same content, as far as the settings want it found again.
async fn find_here(app: &App, tx: &mut Tx, identity: &str) -> Result<Option<Enqueued>> {
    let DedupeSettings { dedupe, dedupe_hours } = app.settings.dedupe;
    if let Some(live) = find_live(app, tx, identity).await? {
        return Ok(Some(live));
    }
    let since = match dedupe {
        Dedupe::Live | Dedupe::Off => return Ok(None),
        Dedupe::All => None,
        Dedupe::Window => app.clock.now().checked_sub_signed(Duration::hours(dedupe_hours.into())),
    };
    let is_found = |video: &VideoRow| {
        video.status == VideoStatus::Ready && since.is_none_or(|since| video.created_at >= since)
    };
    let Some(video) = videos::newest_by_identity(tx, identity).await?.filter(is_found) else {
        return Ok(None);
    };
    let job = job::newest_of_video(tx, video.id, QueueType::Transcode).await?;
    Ok(Some(Enqueued { video, job, deduplicated: true, source_kept: false }))
}

/// Somebody else uploaded the same before. Whoever is in a greater hurry sets the pace.
async fn met(tx: &mut Tx, mut existing: Enqueued, named: Option<i32>) -> Result<Enqueued> {
    let hurry = existing.job.as_ref().zip(named);
    if let Some((job, priority)) = hurry.filter(|(job, priority)| *priority > job.priority)
        && let Some(job) = job::set_priority_if_pending(tx, job.id, priority).await?
    {
        existing.job = Some(job);
    }
    Ok(existing)
}

/// The same work, if it waits or runs.
async fn find_live(app: &App, tx: &mut Tx, identity: &str) -> Result<Option<Enqueued>> {
    let Some(job) = job::live_by_identity(tx, identity, QueueType::Transcode).await? else {
        return Ok(None);
    };
    let Some(video) = videos::get_in(tx, job.video_id).await? else { return Ok(None) };
    if video.deleted_at.is_some() {
        // Nobody will ever claim it; what comes now is not to wait behind it.
        cancel::cancel_in(app, tx, &job, FARM, Some("its video was deleted")).await?;
        return Ok(None);
    }
    Ok(Some(Enqueued { video, job: Some(job), deduplicated: true, source_kept: false }))
}

/// `force`: the same content runs again as a new generation of the video that has it.
async fn force_again(
    app: &App,
    tx: &mut Tx,
    identity: &str,
    request: &UploadRequest,
    priority: i32,
    actor: &str,
) -> Result<Option<Enqueued>> {
    if let Some(live) = job::live_by_identity(tx, identity, QueueType::Transcode).await? {
        if live.status == JobStatus::Running && !request.cancel_running {
            let detail = format!(
                "Job {} is encoding the same content; send cancel_running=true to cancel it and start over.",
                live.number
            );
            return Err(ApiError::conflict("duplicate_running", detail));
        }
        cancel::cancel_in(app, tx, &live, actor, Some("replaced by a forced upload")).await?;
    }
    // A video without its original cannot be encoded again: what was uploaded now becomes a video of its own.
    let found = videos::newest_by_identity(tx, identity).await?;
    let Some(video) = found.filter(|video| video.source_deleted_at.is_none()) else { return Ok(None) };
    let job = retranscode::begin_again(app, tx, &video, priority, actor).await?;
    let video = videos::get_in(tx, video.id).await?.unwrap_or(video);
    Ok(Some(Enqueued { video, job: Some(job), deduplicated: false, source_kept: false }))
}

async fn create(
    app: &App,
    tx: &mut Tx,
    source: Source,
    request: UploadRequest,
    work: Work,
    actor: &str,
) -> Result<Enqueued> {
    let Work { identity, priority, ladder } = work;
    let named = request.named_priority();
    let (now, since, size) = (app.clock.now(), source.since, source.size);
    let collection_id = match &request.collection {
        Some(name) => {
            Some(collections::ensure(tx, CollectionId::new(&app.clock), name.trim(), now).await?.id)
        }
        None => None,
    };
    let title = request
        .title
        .as_deref()
        .map_or_else(|| title_from(&request.file_name), |text| text.trim().to_owned());
    let video = videos::insert(
        tx,
        NewVideo {
            id: source.video,
            slug: slug(&title, source.video),
            title,
            collection_id,
            source_name: request.file_name,
            source_size: source.size,
            source_sha256: source.sha256,
            identity: identity.clone(),
            wanted: request.qualities,
        },
        now,
    )
    .await?;
    generations::insert(tx, video.id, 1, None, now).await?;
    let new = NewJob {
        id: JobId::new(&app.clock),
        video_id: video.id,
        collection_id,
        queue_type: QueueType::Transcode,
        identity: identity.clone(),
        priority,
        generation: 1,
        retranscode: None,
        max_attempts: app.settings.max_retry_attempts.into(),
        max_lost: app.settings.max_lost.into(),
    };
    let Some(job) = job::insert_unless_live(tx, new, now).await? else {
        // Somebody enqueued the same content between our look and our insert.
        let detail = "Another upload is queuing the same content; retry.";
        return match find_live(app, tx, &identity).await? {
            Some(existing) => {
                videos::delete_softly(tx, video.id, now).await?;
                videos::purge_if_deleted(tx, video.id).await?;
                met(tx, existing, named).await
            }
            None => Err(ApiError::conflict("duplicate_in_flight", detail)),
        };
    };
    if let Some(ladder) = ladder {
        // What the farm's ladder needs of a GPU would be the wrong guess.
        job::set_gpu_needs(tx, job.id, ladder.needs()).await?;
    }
    events::append(tx, Event::of_video(EventKind::VideoCreated, actor, video.id), now).await?;
    let entered = trace::since(Event::of_job(EventKind::JobEnqueued, actor, &job), since);
    events::append(tx, entered, now).await?;
    tx.trace(|| Some(Traced::Span(Box::new(traces::upload(&job, since, size)?))));
    Ok(Enqueued { video, job: Some(job), deduplicated: false, source_kept: true })
}

/// `Holiday 2026.final.mov` → `Holiday 2026.final`.
fn title_from(file_name: &str) -> String {
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let title = if stem.trim().is_empty() { name } else { stem };
    let title: String = title.chars().filter(|c| !c.is_control()).take(300).collect();
    if title.trim().is_empty() { "Untitled".to_owned() } else { title.trim().to_owned() }
}

/// Readable in ASCII, whatever the script of the title, and unique by the random end of the id.
fn slug(title: &str, id: VideoId) -> String {
    let mut words = String::new();
    for c in deunicode::deunicode_with_tofu(title, " ").chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            words.push(c);
        } else if !words.ends_with('-') && !words.is_empty() {
            words.push('-');
        }
        if words.len() >= 60 {
            break;
        }
    }
    let unique = id.0.simple().to_string();
    let unique = &unique[unique.len() - 12..];
    let words = words.trim_end_matches('-');
    if words.is_empty() { unique.to_owned() } else { format!("{words}-{unique}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_ignores_the_spelling_of_the_hash_and_the_order_of_qualities() {
        let names = |list: &[&str]| Some(list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        let one = identity("ABCDEF", names(&["720p", "360p"]).as_deref(), None);
        assert_eq!(one, identity(" abcdef ", names(&["360p", "720p", "720p"]).as_deref(), None));
        assert_ne!(one, identity("abcdef", None, None));
        let own: Ladder = "720p:2500".parse().unwrap();
        assert_ne!(identity("abcdef", None, None), identity("abcdef", None, Some(&own)));
    }

    #[test]
    fn titles_come_from_file_names() {
        assert_eq!(title_from("C:\\tmp\\Holiday 2026.final.mov"), "Holiday 2026.final");
        assert_eq!(title_from(".mp4"), ".mp4");
        assert_eq!(title_from(""), "Untitled");
    }

    #[test]
    fn slugs_are_url_safe_whatever_the_title() {
        let id = VideoId(uuid::Uuid::from_u128(0x1234_5678_9abc));
        for (title, told) in [
            ("Holiday 2026", "holiday-2026-123456789abc"),
            ("Größe & Höhe!", "grosse-hohe-123456789abc"),
            ("Ďábel à l'été", "dabel-a-l-ete-123456789abc"),
            ("日本", "ri-ben-123456789abc"),
            ("Москва́", "moskva-123456789abc"),
            ("\u{202e}\u{0}!", "123456789abc"),
        ] {
            assert_eq!(slug(title, id), told, "{title}");
        }
        assert!(slug(&"日本".repeat(200), id).len() < 80);
    }
}
