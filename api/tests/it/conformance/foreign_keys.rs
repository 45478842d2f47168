//! What goes with a row that is deleted, and what stays.

use framefarm_api::db::events::{self, Event};
use framefarm_api::db::job::JobRow;
use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::db::worker_keys::{self, KeyRow};
use framefarm_api::db::{collections, generations, job, qualities, segments, videos, workers};
use framefarm_api::testing::Farm;
use framefarm_shared::extra_file::ExtraFile;
use framefarm_shared::id::{CollectionId, WorkerId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::EventKind;

use super::count;
use super::world::{
    a_job, a_running_job, a_video, an_ended_job, an_extra_file, job_of, left, quality,
    segments as some_segments,
};

/// A running job with an attempt, a quality with segments and an event.
async fn a_job_with_everything(farm: &Farm) -> JobRow {
    let (job, worker) = a_running_job(farm, "clip").await;
    let key = qualities::GenerationKey { video: job.video_id, number: 1 };
    commit!(farm, |tx| job::attempts::begin(tx, &job, worker.id, &worker.name, farm.now()));
    commit!(farm, |tx| qualities::insert(tx, key, 0, &quality("720p"), 3));
    commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &some_segments(0..3)));
    an_extra_file(farm, key, ExtraFile::Subtitle(0)).await;
    commit!(farm, |tx| events::append(tx, Event::of_job(EventKind::JobClaimed, "test", &job), farm.now()));
    job
}

async fn counts(farm: &Farm, tables: &[&str]) -> Vec<usize> {
    let mut counted = Vec::new();
    for table in tables {
        counted.push(count(farm, table).await);
    }
    counted
}

framefarm_api::on_both_engines! {
    async fn a_collection_takes_its_jobs_along_and_leaves_its_videos(farm: Farm) {
        let (id, kept) = (CollectionId::new(&farm.clock), a_job(&farm, "outside").await);
        commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        let video = a_video(&farm, "inside").await;
        let video = commit!(farm, |tx| videos::set_collection(tx, video.id, Some(id))).unwrap();
        let job = job_of(&farm, &video, QueueType::Transcode).await;
        assert_eq!(job.collection_id, Some(id));
        assert!(commit!(farm, |tx| collections::delete(tx, id)));
        assert!(job::get(&farm.app.db, job.id).await.unwrap().is_none());
        assert!(job::get(&farm.app.db, kept.id).await.unwrap().is_some());
        assert_eq!(farm.video(video.id).await.collection_id, None);
        assert_eq!(counts(&farm, &["video", "generation"]).await, [2, 2]);
    }

    async fn a_worker_takes_its_keys_along_and_leaves_its_name(farm: Farm) {
        let job = a_job_with_everything(&farm).await;
        let worker = job.worker_id.unwrap();
        let key = KeyRow {
            id: WorkerId::new(&farm.clock).0, worker_id: worker, key_hash: vec![1], key_prefix: "aaaa".to_owned(),
            hash_version: 1, created_at: farm.now(), revoked_at: None,
        };
        commit!(farm, |tx| worker_keys::insert(tx, &key));
        assert!(commit!(farm, |tx| workers::delete(tx, worker)));
        let row = farm.job(job.id).await;
        assert_eq!((row.status, row.worker_id), (JobStatus::Running, None));
        assert_eq!(row.processed_by_worker_id, Some(worker));
        assert_eq!(row.processed_by_worker_name.as_deref(), Some("clip"));
        assert_eq!(row.claim_expires_at, job.claim_expires_at, "the reaper finds it by that");
        assert!(commit!(farm, |tx| job::attempts::ever_held(tx, job.id, worker)));
        assert_eq!(counts(&farm, &["worker_api_key", "attempt", "event"]).await, [0, 1, 1]);
    }

    async fn a_video_takes_everything_of_its_own_along(farm: Farm) {
        let (job, other) = (a_job_with_everything(&farm).await, a_job_with_everything(&farm).await);
        let tables = ["video", "job", "attempt", "generation", "quality", "segment", "extra_file", "event"];
        assert_eq!(counts(&farm, &tables).await, [2, 2, 2, 2, 2, 6, 2, 2]);
        commit!(farm, |tx| videos::delete_softly(tx, job.video_id, farm.now()));
        assert!(commit!(farm, |tx| videos::purge_if_deleted(tx, job.video_id)));
        assert_eq!(counts(&farm, &tables).await, [1, 1, 1, 1, 1, 3, 1, 2], "the timeline outlives its video");
        assert!(job::get(&farm.app.db, other.id).await.unwrap().is_some());
    }

    async fn a_generation_takes_its_qualities_along_and_leaves_its_job(farm: Farm) {
        let job = a_job_with_everything(&farm).await;
        assert!(commit!(farm, |tx| generations::delete_unless_published(tx, job.video_id, 1)));
        assert_eq!(counts(&farm, &["quality", "segment", "extra_file", "job", "attempt"]).await, [0, 0, 0, 1, 1]);
    }

    async fn a_cleared_job_takes_its_attempts_along_and_leaves_what_plays(farm: Farm) {
        let job = a_job_with_everything(&farm).await;
        left(&farm, &job, JobStatus::Completed).await;
        an_ended_job(&farm, "another", JobStatus::Failed).await;
        let filter = JobFilter { status: Some(JobStatus::Completed), ..JobFilter::default() };
        assert_eq!(commit!(farm, |tx| job::lists::delete_ended(tx, &filter, None, 10)), 1);
        let tables = ["job", "attempt", "video", "generation", "quality", "segment"];
        assert_eq!(counts(&farm, &tables).await, [1, 0, 2, 2, 1, 3]);
        assert!(a_job(&farm, "newest").await.number > job.number, "a number is never used twice");
    }
}
