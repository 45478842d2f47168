//! A worker says that all is delivered: playlists are written from what was verified, then job, video and worker
//! change in one transaction and the new generation plays.

mod master;

use framefarm_shared::id::WorkerId;
use framefarm_shared::ladder::MediaKind;
use framefarm_shared::object_key::{MediaFile, Naming, ObjectKey};
use framefarm_shared::plan::Plan;
use framefarm_shared::state::{AttemptOutcome, JobStatus, QualityStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{CompleteReply, CompleteRequest, LeftOut, check_results};
use futures::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};

use self::master::master_text;
use super::job_end::{Exit, leave};
use super::left_out::{self, missing};
use super::publish_sidecars::{self, PublishedExtras};
use super::refusal::refuse;
use super::{play, trace};
use crate::app::App;
use crate::cluster::ClusterMessage;
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::end::{Completed, JobEnd};
use crate::db::job::renew::Holder;
use crate::db::qualities::{GenerationKey, QualityRow};
use crate::db::segments::SegmentRow;
use crate::db::videos::Published;
use crate::db::{Tx, events, garbage, generations, job, qualities, segments, videos, workers};
use crate::error::{ApiError, Result};
use crate::lifecycle::FARM;
use crate::playlist::{Bitrates, MediaPlaylistInput, MediaSegment, media_playlist};

pub async fn complete(app: &App, worker: WorkerId, request: &CompleteRequest) -> Result<CompleteReply> {
    let now = app.clock.now();
    let by = Holder { worker, job: request.job_id, fence: request.fence, now };
    let Some(job) = job::get(&app.db, request.job_id).await? else {
        return Err(ApiError::no_such("job"));
    };
    // A look before the work; the guard of the statement that ends the claim decides.
    if !by.holds(&job) {
        return already_completed(app, by).await;
    }
    check_results(job.queue_type, request.results.as_ref())
        .map_err(|detail| ApiError::bad_request("bad_results", detail))?;
    let published = if job.queue_type.makes_generation() {
        Some(write_playlists(app, &job, &request.left_out).await?)
    } else {
        None
    };
    let results = published.as_ref().map(|new| new.renditions.clone()).or_else(|| request.results.clone());

    // Without anything to publish it is one statement.
    let mut tx = if published.is_some() { app.db.begin().await? } else { app.db.begin_single().await? };
    let reason = format!("generation {}", job.generation);
    let Some(Completed { job, has_others }) = job::end::complete(&mut tx, by, results, &reason).await? else {
        return refuse(app, &mut tx, by).await;
    };
    trace::ended(&mut tx, &job, now).await?;
    if let Some(new) = published {
        left_out::record(&mut tx, &job, by, &request.left_out).await?;
        if !publish(app, &mut tx, &job, new).await? {
            tx.rollback().await?;
            return superseded(app, by).await;
        }
    }
    tx.commit().await?;
    if has_others {
        let mut tx = app.db.begin().await?;
        workers::lock(&mut tx, worker).await?;
        workers::settle(&mut tx, worker).await?;
        tx.commit().await?;
    }
    app.cluster.tell(ClusterMessage::Completed { video_id: job.video_id });
    Ok(CompleteReply { job_id: job.id, status: job.status, generation: job.generation })
}

/// The answer to a completion may get lost; asking again under the same fence gives it again.
async fn already_completed(app: &App, by: Holder) -> Result<CompleteReply> {
    let mut tx = app.db.begin().await?;
    let held =
        job::attempts::get(&mut tx, by.job, by.fence).await?.filter(|attempt| attempt.worker_id == by.worker);
    if held.is_some_and(|attempt| attempt.outcome == Some(AttemptOutcome::Completed))
        && let Some(job) = job::get_in(&mut tx, by.job).await?
    {
        return Ok(CompleteReply { job_id: job.id, status: job.status, generation: job.generation });
    }
    refuse(app, &mut tx, by).await
}

/// The result is no longer needed, and must not be made again.
async fn superseded(app: &App, by: Holder) -> Result<CompleteReply> {
    let why = "The video was deleted, or a newer generation is already published.";
    let exit = Exit {
        guard: by.into(),
        leave: JobEnd::to(JobStatus::Cancelled, by.now),
        kind: EventKind::JobCancelled,
        outcome: AttemptOutcome::Superseded,
        actor: FARM,
        reason: Some(why.to_owned()),
        worker: Some(by.worker),
    };
    let mut tx = app.db.begin().await?;
    leave(&mut tx, by.job, by.fence, exit).await?;
    tx.commit().await?;
    Err(ApiError::conflict("claim_lost", why))
}

/// One step: the video switches to the new generation, the old one becomes garbage once nobody can be watching it. `false`
/// if the video was deleted or has a newer generation.
async fn publish(app: &App, tx: &mut Tx, job: &JobRow, new: Published) -> Result<bool> {
    let now = app.clock.now();
    let Some(video) = videos::get_in(tx, job.video_id).await? else { return Ok(false) };
    if !videos::publish(tx, video.id, new).await? {
        return Ok(false);
    }
    if video.generation > 0 {
        let prefix = ObjectKey::generation_prefix(video.id, video.generation);
        let until = now + play::longest_view(&video);
        garbage::add_kept_until(tx, &prefix, "replaced by a new generation", now, until).await?;
        generations::delete_unless_published(tx, video.id, video.generation).await?;
    }
    let event = Event::of_video(EventKind::VideoPublished, "farm", video.id);
    events::append(tx, event.because(format!("generation {}", job.generation)), now).await?;
    Ok(true)
}

/// One finished rendition with its segments.
struct Rendition {
    row: QualityRow,
    segments: Vec<SegmentRow>,
    rates: Bitrates,
}

impl Rendition {
    fn seconds(&self, ticks: i64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "ticks of a day fit in 52 bits")]
        let seconds = ticks as f64 / self.row.timescale.unwrap_or(1).max(1) as f64;
        seconds
    }
}

async fn write_playlists(app: &App, job: &JobRow, left_out: &[LeftOut]) -> Result<Published> {
    let key = GenerationKey { video: job.video_id, number: job.generation };
    let rows = qualities::of_generation(&app.db, key).await?;
    let plan = generations::plan(&app.db, key.video, key.number).await?;
    let Some(mut plan) = plan.filter(|_| !rows.is_empty()) else {
        return Err(ApiError::unprocessable("not_complete", "No plan or part was delivered for this job."));
    };
    plan.source = plan.source.with_normal_languages();
    let missing = missing(&rows, left_out);
    if !missing.is_empty() {
        return Err(ApiError::unprocessable(
            "not_complete",
            format!("Still missing: {}.", missing.join(", ")),
        ));
    }
    let naming = generations::naming(&app.db, key).await?;
    let mut renditions = Vec::new();
    for row in rows.into_iter().filter(|row| row.status == QualityStatus::Completed) {
        let segments = segments::of_quality(&app.db, key, &row.name).await?;
        let mut rendition = Rendition { row, segments, rates: Bitrates::default() };
        let measured: Vec<(u64, f64)> = rendition
            .segments
            .iter()
            .map(|segment| (segment.size.unsigned_abs(), rendition.seconds(segment.duration_ticks)))
            .collect();
        rendition.rates = Bitrates::measure(&measured);
        carry_objects(app, key, naming, &rendition).await?;
        write_media(app, key, naming, &rendition).await?;
        renditions.push(rendition);
    }
    let sidecars = publish_sidecars::write(app, key, &plan).await?;
    let master = ObjectKey::Master { video: key.video, generation: key.number };
    app.storage.put(&master, master_text(key.number, &plan, &renditions, &sidecars).into()).await?;
    Ok(published(app, job, &plan, &renditions, &sidecars))
}

/// The init segment that a segment goes with.
fn init_file(row: &QualityRow, segment: &SegmentRow, naming: Naming) -> Option<MediaFile> {
    let sha256 = segment.init_sha256.as_deref().or(row.init_sha256.as_deref())?;
    let digest = naming.digest(sha256.try_into().ok()?);
    Some(MediaFile::Init { quality: row.name.clone(), digest })
}

fn segment_file(quality: &str, segment: &SegmentRow, naming: Naming) -> Option<MediaFile> {
    let sha256: [u8; 32] = segment.sha256.as_slice().try_into().ok()?;
    let index = u32::try_from(segment.position).ok()?;
    Some(MediaFile::Segment { quality: quality.to_owned(), index, digest: naming.digest(sha256) })
}

/// What a quality is made of: its init segments, then its segments.
pub(crate) fn media_files<'a>(
    row: &'a QualityRow,
    segments: &'a [SegmentRow],
    naming: Naming,
) -> impl Iterator<Item = MediaFile> + 'a {
    let mut inits: Vec<MediaFile> = Vec::new();
    for init in segments.iter().filter_map(|segment| init_file(row, segment, naming)) {
        if !inits.contains(&init) {
            inits.push(init);
        }
    }
    inits.into_iter().chain(segments.iter().filter_map(move |s| segment_file(&row.name, s, naming)))
}

const COPIES_AT_ONCE: usize = 16;

/// A quality that was not encoded again gets its files into the new generation.
async fn carry_objects(app: &App, key: GenerationKey, naming: Naming, rendition: &Rendition) -> Result<()> {
    let Some(from) = rendition.row.carried_from else { return Ok(()) };
    let old_naming = generations::naming(&app.db, GenerationKey { number: from, ..key }).await?;
    let files = |naming| media_files(&rendition.row, &rendition.segments, naming);
    let mut copies = Vec::new();
    for (old, new) in files(old_naming).zip(files(naming)) {
        let old = ObjectKey::Media { video: key.video, generation: from, file: old };
        let new = ObjectKey::Media { video: key.video, generation: key.number, file: new };
        copies.push(async move { app.storage.copy(&old, &new).await });
    }
    // A long video has thousands of segments, each of which is a request to the store.
    futures::stream::iter(copies).buffer_unordered(COPIES_AT_ONCE).try_collect::<()>().await?;
    Ok(())
}

async fn write_media(app: &App, key: GenerationKey, naming: Naming, rendition: &Rendition) -> Result<()> {
    let row = &rendition.row;
    let input = MediaPlaylistInput {
        segments: rendition
            .segments
            .iter()
            .filter_map(|segment| {
                Some(MediaSegment {
                    uri: segment_file(&row.name, segment, naming)?.file_name(),
                    seconds: rendition.seconds(segment.duration_ticks),
                    init_uri: init_file(row, segment, naming).map(|file| file.file_name()),
                })
            })
            .collect(),
        independent: true,
    };
    let file = MediaFile::Playlist { quality: row.name.clone() };
    let key = ObjectKey::Media { video: key.video, generation: key.number, file };
    app.storage.put(&key, media_playlist(&input).into()).await?;
    Ok(())
}

fn published(
    app: &App,
    job: &JobRow,
    plan: &Plan,
    renditions: &[Rendition],
    sidecars: &PublishedExtras,
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
        generation: job.generation,
        duration_us: i64::try_from(plan.source.duration_us).unwrap_or(i64::MAX),
        width: best.map(|rendition| rendition.row.width),
        height: best.map(|rendition| rendition.row.height),
        renditions: json!({ "duration_us": plan.source.duration_us, "renditions": list, "extras": sidecars }),
        now: app.clock.now(),
    }
}
