//! Rows to begin with, made by the functions under test.

use chrono::{DateTime, Duration, Utc};
use framefarm_api::db::extra_files::{self, ExtraFileRow};
use framefarm_api::db::generations;
use framefarm_api::db::job;
use framefarm_api::db::job::claim::Claimer;
use framefarm_api::db::job::end::{Guard, JobEnd};
use framefarm_api::db::job::renew::Holder;
use framefarm_api::db::job::{JobRow, NewJob};
use framefarm_api::db::qualities::{self, GenerationKey};
use framefarm_api::db::segments::SegmentRow;
use framefarm_api::db::videos::{self, NewVideo, Published, VideoRow};
use framefarm_api::db::workers::{self, NewWorker, ReadyGpus, WorkerRow};
use framefarm_api::testing::{Farm, a_plan};
use framefarm_shared::extra_file::ExtraFile;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::ladder::{MediaKind, PlannedQuality, VideoCodec};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::worker_api::WorkerType;
use serde_json::json;

/// The smallest step of time.
pub(super) const INSTANT: Duration = Duration::microseconds(1);

pub(super) fn lease() -> Duration {
    Duration::minutes(30)
}

pub(super) fn new_video(farm: &Farm, title: &str) -> NewVideo {
    let id = VideoId::new(&farm.clock);
    NewVideo {
        id,
        slug: id.to_string(),
        title: title.to_owned(),
        collection_id: None,
        source_name: format!("{title}.mp4"),
        source_size: 1_000_000,
        source_sha256: "ab".repeat(32),
        identity: format!("identity of {id}"),
        wanted: None,
    }
}

/// A video that waits, with its first generation.
pub(super) async fn a_video(farm: &Farm, title: &str) -> VideoRow {
    let video = commit!(farm, |tx| videos::insert(tx, new_video(farm, title), farm.now()));
    commit!(farm, |tx| generations::insert(tx, video.id, 1, None, farm.now()));
    video
}

/// A video whose first generation plays.
pub(super) async fn a_ready_video(farm: &Farm, title: &str) -> VideoRow {
    let video = a_video(farm, title).await;
    assert!(commit!(farm, |tx| videos::begin_if_pending(tx, video.id)).is_some());
    assert!(commit!(farm, |tx| videos::publish(tx, video.id, published(farm, 1))));
    farm.video(video.id).await
}

pub(super) fn published(farm: &Farm, generation: i32) -> Published {
    let (width, height) = (Some(1280), Some(720));
    let renditions = json!({ "renditions": [{ "name": "720p" }] });
    Published { generation, duration_us: 18_000_000, width, height, renditions, now: farm.now() }
}

pub(super) fn new_job(farm: &Farm, video: &VideoRow, queue_type: QueueType) -> NewJob {
    NewJob {
        id: JobId::new(&farm.clock),
        video_id: video.id,
        collection_id: video.collection_id,
        queue_type,
        identity: video.identity.clone(),
        priority: 0,
        generation: 1,
        retranscode: None,
        max_attempts: 3,
        max_lost: 3,
    }
}

pub(super) async fn job_of(farm: &Farm, video: &VideoRow, kind: QueueType) -> JobRow {
    let new = new_job(farm, video, kind);
    commit!(farm, |tx| job::insert_unless_live(tx, new, farm.now())).unwrap()
}

/// A new video and its waiting transcode job.
pub(super) async fn a_job(farm: &Farm, title: &str) -> JobRow {
    let video = a_video(farm, title).await;
    job_of(farm, &video, QueueType::Transcode).await
}

pub(super) async fn a_worker(farm: &Farm, name: &str) -> WorkerRow {
    let new = NewWorker {
        id: WorkerId::new(&farm.clock),
        name: name.to_owned(),
        worker_type: WorkerType::Remote,
        gpus: ReadyGpus::default(),
        capabilities: json!({}),
        metadata: json!({}),
    };
    commit!(farm, |tx| workers::insert(tx, new, farm.now()))
}

pub(super) fn claimer<'a>(farm: &Farm, worker: &'a WorkerRow) -> Claimer<'a> {
    let now = farm.now();
    Claimer { worker: worker.id, worker_name: &worker.name, now, expires: now + lease() }
}

pub(super) async fn claimed(farm: &Farm, job: JobId, worker: &WorkerRow) -> JobRow {
    let by = claimer(farm, worker);
    commit!(farm, |tx| job::claim::claim_this(tx, by, job, farm.now())).expect("not to be had")
}

/// A new job, held by a new worker.
pub(super) async fn a_running_job(farm: &Farm, title: &str) -> (JobRow, WorkerRow) {
    let (job, worker) = (a_job(farm, title).await, a_worker(farm, title).await);
    (claimed(farm, job.id, &worker).await, worker)
}

pub(super) fn holder(farm: &Farm, job: &JobRow) -> Holder {
    Holder { worker: job.worker_id.unwrap(), job: job.id, fence: job.fence, now: farm.now() }
}

pub(super) fn ended_as(status: JobStatus, now: DateTime<Utc>) -> JobEnd {
    let failed = (ErrorClass::Transfer, "connection reset".to_owned());
    let error = (status == JobStatus::Failed).then_some(failed);
    JobEnd { error, ..JobEnd::to(status, now) }
}

/// Ends the claim, whatever its guard.
pub(super) async fn left(farm: &Farm, job: &JobRow, status: JobStatus) -> JobRow {
    let job_end = ended_as(status, farm.now());
    commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end)).unwrap()
}

/// A new job that ended so.
pub(super) async fn an_ended_job(farm: &Farm, title: &str, status: JobStatus) -> JobRow {
    let (job, _) = a_running_job(farm, title).await;
    left(farm, &job, status).await
}

pub(super) fn quality(name: &str) -> PlannedQuality {
    let (name, kind) = (name.to_owned(), MediaKind::Video);
    PlannedQuality {
        name,
        kind,
        width: 1280,
        height: 720,
        bitrate_kbps: 2_500,
        codec: VideoCodec::H264,
        skipped: false,
    }
}

/// A planned generation with these qualities of three segments each, in this order.
pub(super) async fn a_generation(farm: &Farm, names: &[&str]) -> GenerationKey {
    let video = a_video(farm, "clip").await;
    commit!(farm, |tx| generations::set_plan_if_none(tx, video.id, 1, &a_plan()));
    let key = GenerationKey { video: video.id, number: 1 };
    for (position, name) in (0..).zip(names) {
        commit!(farm, |tx| qualities::insert(tx, key, position, &quality(name), 3));
    }
    key
}

pub(super) fn segment(position: i32) -> SegmentRow {
    let start_ticks = i64::from(position) * 90_000;
    SegmentRow {
        position,
        sha256: vec![7; 32],
        size: 1_234,
        start_ticks,
        duration_ticks: 90_000,
        init_sha256: None,
    }
}

pub(super) fn segments(positions: std::ops::Range<i32>) -> Vec<SegmentRow> {
    positions.map(segment).collect()
}

pub(super) async fn an_extra_file(farm: &Farm, key: GenerationKey, file: ExtraFile) -> ExtraFileRow {
    let (kind, name) = (file.kind(), file.name());
    let row = ExtraFileRow { kind, name, carried_from: None, sha256: vec![5; 32], size: 321 };
    commit!(farm, |tx| extra_files::put(tx, key, &row, farm.now()));
    row
}
