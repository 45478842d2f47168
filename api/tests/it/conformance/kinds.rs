//! Every kind of job takes the same road: insert, claim, fail, retry, complete, clear.

use framefarm_api::db::job;

use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::db::job::{JobRow, NewJob, Retranscode};
use framefarm_api::db::videos::VideoRow;
use framefarm_api::db::{generations, videos};
use framefarm_api::lifecycle::{claim, complete, queues, retry};
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::worker_api::{ClaimRequest, ClaimedJob, CompleteRequest};
use serde_json::{Value, json};

use super::world::new_job;

/// A job of this kind on a video that plays; a transcode makes the next generation.
async fn insert(farm: &Farm, video: &VideoRow, kind: QueueType) -> JobRow {
    let mut new = NewJob { generation: video.generation, ..new_job(farm, video, kind) };
    if kind.makes_generation() {
        new.generation = commit!(farm, |tx| videos::next_generation(tx, video.id)).unwrap();
        commit!(farm, |tx| generations::insert(tx, video.id, new.generation, None, farm.now()));
        let (retranscode_all, qualities) = (true, Vec::new());
        let (delete_captions, cleanup_on_claim) = (false, false);
        new.retranscode = Some(Retranscode { retranscode_all, qualities, delete_captions, cleanup_on_claim });
    }
    commit!(farm, |tx| job::insert_unless_live(tx, new, farm.now())).unwrap()
}

async fn claim(farm: &Farm, worker: &TestWorker, kind: QueueType) -> ClaimedJob {
    let request = ClaimRequest { queue_types: Some(vec![kind]), ..worker.claim_request() };
    let reply = claim::claim_now(&farm.app, worker.id, &request).await.unwrap();
    reply.job.unwrap_or_else(|| panic!("no {kind} job: {:?}", reply.detail))
}

fn results(kind: QueueType) -> Option<Value> {
    match kind {
        QueueType::Transcode => None,
        QueueType::Preview => Some(json!({ "images": 3 })),
        QueueType::Captions => Some(json!({ "tracks": 1 })),
    }
}

async fn finish(farm: &Farm, worker: &TestWorker, job: &ClaimedJob) {
    if job.queue_type.makes_generation() {
        worker.encode(job, &a_plan()).await;
    }
    let (job_id, fence) = (job.job_id, job.fence);
    let request = CompleteRequest { job_id, fence, results: results(job.queue_type), left_out: vec![] };
    complete::complete(&farm.app, worker.id, &request).await.unwrap();
}

framefarm_api::on_both_engines! {
    async fn every_kind_of_job_takes_the_same_road(farm: Farm) {
        let worker = farm.worker("w1").await;
        let upload = farm.upload("clip").await;
        finish(&farm, &worker, &worker.claim().await).await;
        for kind in QueueType::ALL.iter().copied() {
            let video = farm.video(upload.video.id).await;
            let waiting = insert(&farm, &video, kind).await;
            let twin = new_job(&farm, &video, kind);
            assert!(commit!(farm, |tx| job::insert_unless_live(tx, twin, farm.now())).is_none(), "{kind}");

            let first = claim(&farm, &worker, kind).await;
            assert_eq!((first.job_id, first.queue_type, first.fence), (waiting.id, kind, 1));
            worker.fail(&first, ErrorClass::InputInvalid, "not a video").await.unwrap();
            let failed = farm.job(waiting.id).await;
            assert_eq!((failed.status, failed.error.as_deref()), (JobStatus::Failed, Some("not a video")));

            assert!(retry::requeue(&farm.app, waiting.id, "test").await.unwrap(), "{kind}");
            let second = claim(&farm, &worker, kind).await;
            assert_eq!((second.job_id, second.fence), (waiting.id, 2));
            assert!(worker.fail(&first, ErrorClass::Transfer, "late").await.is_err(), "{kind}");
            finish(&farm, &worker, &second).await;
            assert_eq!(farm.job(waiting.id).await.status, JobStatus::Completed);
            assert_eq!(farm.video(video.id).await.status, VideoStatus::Ready, "{kind}");

            let filter = JobFilter { queue_type: Some(kind), ..JobFilter::default() };
            let cleared = queues::clear(&farm.app, &filter, &[JobStatus::Completed], "", "test", false).await.unwrap().cleared;
            assert_eq!(cleared, 1 + u64::from(kind.makes_generation()), "{kind}: the upload's own job too");
            assert!(job::lists::list(&farm.app.db, &filter, None, 10).await.unwrap().is_empty());
            let totals = job::lists::removed_totals(&farm.app.db).await.unwrap();
            assert!(totals.iter().any(|row| row.queue_type == kind && row.status == JobStatus::Completed));
        }
    }
}
