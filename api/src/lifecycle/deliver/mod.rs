//! A worker delivers a part: verified and judged first, stored under its content's hash, then counted in one transaction.
//!
//! No row is locked while bytes move. The fence is checked before the bytes are taken, to save the work, and again
//! in the transaction that makes them count, which is what decides. What was stored by then and is refused after all
//! (the claim was lost meanwhile) goes with the sweep of orphans.

mod judge;

use std::path::{Path, PathBuf};
use std::time::Instant;

use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::ladder::MediaKind;
use framefarm_shared::object_key::{MediaFile, ObjectKey};
use framefarm_shared::plan::Plan;
use framefarm_shared::state::QualityStatus;
use framefarm_shared::wire::event::{EventData, EventKind};
use framefarm_shared::wire::worker_api::PartReply;
use futures::{StreamExt as _, TryStreamExt as _};

use self::judge::{check_neighbours, judge};
use super::refusal::refuse;
use super::{allowance, upload};
use crate::app::App;
use crate::config::SourceLinks;
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::renew::Holder;
use crate::db::qualities::{GenerationKey, QualityRow, Stream};
use crate::db::segments::SegmentRow;
use crate::db::{Tx, events, generations, job, qualities, segments, videos};
use crate::error::{ApiError, Result};
use crate::parts::{
    self, Expectation, KnownStream, PartError, PartLimits, TrackKind, VerifiedPart, most_demanding,
};

/// Which part a worker says to deliver.
#[derive(Clone, Debug)]
pub struct Delivery {
    pub worker: WorkerId,
    pub job: JobId,
    pub fence: i64,
    pub quality: String,
    pub first_segment: u32,
}

/// What a part must fit, found before its first byte is taken.
#[derive(Clone, Debug)]
pub struct Expected {
    key: GenerationKey,
    expectation: Expectation,
    /// The most bytes that the quality may have.
    most_bytes: u64,
}

/// Frames and audio packets do not fall on every boundary: one frame at 8 fps, or two AAC packets at 22 kHz.
const TOLERANCE_US: u64 = 125_000;

const STORED_AT_ONCE: usize = 4;

/// Refuses early what could not count anyway.
pub async fn expect(app: &App, delivery: &Delivery) -> Result<Expected> {
    let now = app.clock.now();
    let by = Holder { worker: delivery.worker, job: delivery.job, fence: delivery.fence, now };
    let mut tx = app.db.begin().await?;
    // New bytes are on their way: the lease is renewed at the start of a delivery as well as at its end.
    let Some(job) = job::renew::touch_if_held(&mut tx, by, now + app.settings.lease()).await? else {
        return refuse(app, &mut tx, by).await;
    };
    let (key, plan, quality) = planned(&mut tx, &job, &delivery.quality).await?;
    tx.commit().await?;
    // After the renewal: a worker that waits for room keeps its job, and the wait is not held against it.
    upload::check_room_for_delivery(app)?;
    let most_bytes = allowance::of_quality(&plan, quality.bitrate_kbps);
    let kind = match quality.kind {
        MediaKind::Video => TrackKind::Video,
        MediaKind::Audio => TrackKind::Audio,
    };
    let expectation = Expectation {
        quality: delivery.quality.clone(),
        first_segment: delivery.first_segment,
        boundaries_us: plan.boundaries_us.into(),
        kind,
        stream: known_stream(&quality),
        tolerance_us: TOLERANCE_US,
    };
    Ok(Expected { key, expectation, most_bytes })
}

/// What the parts of a quality must have in common, once it has one.
fn known_stream(quality: &QualityRow) -> Option<KnownStream> {
    let timescale = u32::try_from(quality.timescale?).ok()?;
    quality.init_sha256.as_ref()?;
    Some(KnownStream { timescale, codecs: quality.codecs.clone()? })
}

async fn planned(tx: &mut Tx, job: &JobRow, name: &str) -> Result<(GenerationKey, Plan, QualityRow)> {
    let key = GenerationKey { video: job.video_id, number: job.generation };
    let Some(plan) = generations::plan_in(tx, key.video, key.number).await? else {
        return Err(ApiError::conflict("no_plan", "Send the plan of this job before its parts."));
    };
    match qualities::get_in(tx, key, name).await? {
        Some(quality) if quality.status != QualityStatus::Skipped => Ok((key, plan, quality)),
        Some(_) => Err(ApiError::unprocessable(
            "quality_skipped",
            format!("`{name}` is skipped: it is larger than the source."),
        )),
        None => Err(ApiError::unprocessable(
            "unknown_quality",
            format!("The plan of this job has no quality `{name}`."),
        )),
    }
}

/// Checks the archive against the plan on a blocking thread; what is verified lies in `scratch`.
pub async fn verify(
    app: &App,
    archive: PathBuf,
    scratch: &Path,
    expected: &Expected,
) -> Result<VerifiedPart> {
    let began = Instant::now();
    let _turn = app.verifying.acquire().await.map_err(|error| ApiError::internal(&error))?;
    let limits = PartLimits { max_archive_bytes: app.settings.max_part_bytes, ..PartLimits::default() };
    let (scratch, expectation) = (scratch.to_owned(), expected.expectation.clone());
    let verified = tokio::task::spawn_blocking(move || {
        let mut file = std::fs::File::open(archive).map_err(ApiError::from)?;
        parts::verify(&mut file, &scratch, &limits, &expectation).map_err(|error| refused_part(&error))
    });
    let verified = verified.await?;
    app.metrics.deliveries.verified(began.elapsed());
    verified
}

fn refused_part(error: &PartError) -> ApiError {
    if error.is_ours() {
        return ApiError::internal(error);
    }
    ApiError::unprocessable(error.code(), error.to_string())
}

/// Stores a verified part and makes it count.
pub async fn accept(
    app: &App,
    delivery: &Delivery,
    expected: &Expected,
    part: &VerifiedPart,
) -> Result<PartReply> {
    let GenerationKey { video, number } = expected.key;
    let _turn = app.staging.turn(&ObjectKey::quality_prefix(video, number, &delivery.quality)).await;
    let held_by = |now| Holder { worker: delivery.worker, job: delivery.job, fence: delivery.fence, now };
    if !job::renew::is_held(&app.db, held_by(app.clock.now())).await? {
        let mut tx = app.db.begin().await?;
        return refuse(app, &mut tx, held_by(app.clock.now())).await;
    }
    let new = judge(app, expected, part).await?;
    store(app, expected, part, &new).await?;
    let now = app.clock.now();
    let by = held_by(now);
    let mut tx = app.db.begin().await?;
    let Some(job) = job::renew::touch_if_held(&mut tx, by, now + app.settings.lease()).await? else {
        return refuse(app, &mut tx, by).await;
    };
    let row = count(app, &mut tx, &job, delivery, expected, part).await?;
    tx.commit().await?;
    let bytes = part.segments.iter().map(|segment| segment.size).sum();
    app.metrics.deliveries.counted(&delivery.quality, part.segments.len(), bytes);
    Ok(PartReply {
        quality: row.name,
        segments_completed: row.segments_completed,
        segments_total: row.segments_total,
        status: row.status,
        lease_seconds: app.settings.lease_seconds(),
    })
}

async fn store(app: &App, expected: &Expected, part: &VerifiedPart, new: &judge::New) -> Result<()> {
    let quality = || expected.expectation.quality.clone();
    let naming = generations::naming(&app.db, expected.key).await?;
    if new.init {
        let init = MediaFile::Init { quality: quality(), digest: naming.digest(part.init.sha256) };
        app.storage.adopt(&part.init.path, &expected.key.object(init)).await?;
    }
    let mut stored = Vec::with_capacity(part.segments.len());
    for segment in part.segments.iter().filter(|segment| new.segments.contains(&segment.index)) {
        let digest = naming.digest(segment.sha256);
        let key =
            expected.key.object(MediaFile::Segment { quality: quality(), index: segment.index, digest });
        stored.push(async move { app.storage.adopt(&segment.path, &key).await });
    }
    // An object store is far away: one after the other, the way there and back would add up.
    futures::stream::iter(stored).buffer_unordered(STORED_AT_ONCE).try_collect::<()>().await?;
    Ok(())
}

async fn count(
    app: &App,
    tx: &mut Tx,
    job: &JobRow,
    delivery: &Delivery,
    expected: &Expected,
    part: &VerifiedPart,
) -> Result<QualityRow> {
    let now = app.clock.now();
    let (key, name) = (expected.key, delivery.quality.as_str());
    let mut rows = rows_of(part)?;
    let stream = Stream {
        init_sha256: &part.init.sha256,
        init_size: signed(part.init.size)?,
        timescale: part.init.timescale.into(),
        codecs: &part.init.codecs,
    };
    qualities::set_stream_if_none(tx, key, name, &stream).await?;
    let Some(known) = qualities::get_in(tx, key, name).await? else {
        return Err(ApiError::conflict("claim_lost", "The generation of this job no longer exists."));
    };
    if known.init_sha256.as_deref() != Some(&part.init.sha256) {
        // Another encoder continues it: a GPU that became ready, or the CPU after a GPU failed.
        for row in &mut rows {
            row.init_sha256 = Some(part.init.sha256.to_vec());
        }
        raise_codecs(tx, key, &known, &part.init.codecs).await?;
    }
    check_neighbours(tx, key, name, &rows).await?;
    segments::insert_missing(tx, key, name, &rows).await?;
    let row = qualities::settle(tx, key, name, now).await?;
    let last = rows.last().map_or(0, |segment| segment.position);
    let reason = format!("{name}: segments {} to {last}", delivery.first_segment);
    let of_quality = EventData { quality: Some(name.to_owned()), ..EventData::default() };
    let data = EventData {
        first_segment: Some(delivery.first_segment),
        last_segment: u32::try_from(last).ok(),
        ..of_quality.clone()
    };
    let event = Event::of_job(EventKind::PartDelivered, "worker", job).because(reason).and(data);
    events::append(tx, event, now).await?;
    if row.status == QualityStatus::Completed && known.status != QualityStatus::Completed {
        let event = Event::of_job(EventKind::QualityCompleted, "worker", job).because(name).and(of_quality);
        events::append(tx, event, now).await?;
    }
    Ok(row)
}

/// The playlist names a codec string that covers all parts.
async fn raise_codecs(tx: &mut Tx, key: GenerationKey, known: &QualityRow, new: &str) -> Result<()> {
    let Some(told) = known.codecs.as_deref() else { return Ok(()) };
    let needed = most_demanding(told, new);
    if needed != told && !qualities::set_codecs_if(tx, key, &known.name, told, &needed).await? {
        let detail =
            format!("Another part of {} was delivered at the same time; send this one again.", known.name);
        return Err(ApiError::unavailable("part_in_flight", detail));
    }
    Ok(())
}

fn rows_of(part: &VerifiedPart) -> Result<Vec<SegmentRow>> {
    part.segments.iter().map(row_of).collect()
}

fn row_of(segment: &parts::VerifiedSegment) -> Result<SegmentRow> {
    Ok(SegmentRow {
        position: i32::try_from(segment.index).map_err(|error| ApiError::internal(&error))?,
        sha256: segment.sha256.to_vec(),
        size: signed(segment.size)?,
        start_ticks: signed(segment.start_ticks)?,
        duration_ticks: signed(segment.duration_ticks)?,
        init_sha256: None,
    })
}

fn signed(value: u64) -> Result<i64> {
    i64::try_from(value)
        .map_err(|_| ApiError::unprocessable("part_timeline", "A time or size is out of range."))
}

/// A source that its job's holder may read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub key: ObjectKey,
    pub sha256: String,
}

/// The source, for the worker that holds its job.
pub async fn source_of(app: &App, worker: WorkerId, job: JobId, fence: i64) -> Result<SourceFile> {
    let by = Holder { worker, job, fence, now: app.clock.now() };
    if !job::renew::is_held(&app.db, by).await? {
        let mut tx = app.db.begin().await?;
        return refuse(app, &mut tx, by).await;
    }
    let row = job::get(&app.db, job).await?.ok_or_else(|| ApiError::no_such("job"))?;
    let video = videos::get(&app.db, row.video_id).await?.ok_or_else(|| ApiError::no_such("video"))?;
    Ok(SourceFile { key: ObjectKey::Source { video: video.id }, sha256: video.source_sha256 })
}

/// A link by which the source comes straight from the object store, where there is one that signs and the settings
/// allow it.
pub async fn link_to(app: &App, source: &SourceFile) -> Option<String> {
    let remote = app.storage.remote().filter(|_| app.settings.source_links == SourceLinks::Auto)?;
    match remote.link_to(&source.key).await {
        Ok(url) => Some(url.into()),
        Err(error) => {
            tracing::debug!(%error, "the object store cannot sign a URL; serving the source directly");
            None
        }
    }
}
