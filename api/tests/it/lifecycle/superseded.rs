//! Old jobs of videos that a newer job has published since.

use framefarm_api::db::job;
use framefarm_api::lifecycle::bulk::Choice;
use framefarm_api::lifecycle::retranscode::{self, Request};
use framefarm_api::lifecycle::retry_many::retry_many;
use framefarm_api::lifecycle::{cancel, retry};
use framefarm_api::on_both_engines;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::state::{JobStatus, VideoStatus};

/// A job that failed, and a newer generation of its video that plays.
async fn overtaken(farm: &Farm, worker: &TestWorker) -> (VideoId, JobId) {
    let first = farm.upload("clip").await;
    let job = worker.claim().await;
    worker.fail(&job, ErrorClass::InputInvalid, "no").await.unwrap();
    farm.upload_with("clip", |request| request.force = true).await;
    finish_next(worker).await;
    assert_eq!(farm.video(first.video.id).await.generation, 2);
    (first.video.id, first.job.id)
}

async fn finish_next(worker: &TestWorker) {
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
}

fn everything() -> Request {
    Request { retranscode_all: true, ..Request::default() }
}

on_both_engines! {
    async fn a_job_that_was_overtaken_is_retried_as_a_new_generation(farm: Farm) {
        let worker = farm.worker("w1").await;
        let (video, old) = overtaken(&farm, &worker).await;
        let busy = retry::requeue(&farm.app, old, "admin").await.unwrap();
        assert!(busy);
        let row = farm.job(old).await;
        assert_eq!((row.status, row.generation, row.retranscode.is_some()), (JobStatus::Pending, 3, true));
        finish_next(&worker).await;
        let row = farm.video(video).await;
        assert_eq!((row.status, row.generation), (VideoStatus::Ready, 3));
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
    }

    async fn many_that_were_overtaken_are_retried_the_same_way(farm: Farm) {
        let worker = farm.worker("w1").await;
        let (video, old) = overtaken(&farm, &worker).await;
        let done = retry_many(&farm.app, Choice::Ids(vec![old]), "admin", false).await.unwrap();
        assert_eq!(done.retried, 1);
        let row = farm.job(old).await;
        assert_eq!((row.generation, row.retranscode.is_some()), (3, true));
        finish_next(&worker).await;
        assert_eq!(farm.video(video).await.generation, 3);
    }

    async fn a_cancelled_re_transcode_is_retried_behind_a_newer_one(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = farm.upload("clip").await.video.id;
        finish_next(&worker).await;
        let old = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        cancel::cancel_job(&farm.app, old.id, "admin").await.unwrap();
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        finish_next(&worker).await;
        assert_eq!(farm.video(video).await.generation, 3);
        let done = retry_many(&farm.app, Choice::Ids(vec![old.id]), "admin", false).await.unwrap();
        assert_eq!(done.retried, 1);
        finish_next(&worker).await;
        assert_eq!(farm.video(video).await.generation, 4);
    }

    async fn of_several_old_jobs_of_a_video_one_goes_back(farm: Farm) {
        let worker = farm.worker("w1").await;
        let (video, old) = overtaken(&farm, &worker).await;
        let again = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        cancel::cancel_job(&farm.app, again.id, "admin").await.unwrap();
        farm.sql(&format!("UPDATE job SET identity = 'another' WHERE number = {}", again.number)).await;
        let done = retry_many(&farm.app, Choice::Ids(vec![old, again.id]), "admin", false).await.unwrap();
        assert_eq!((done.retried, done.overtaken), (1, 0));
        assert_eq!(farm.job(again.id).await.status, JobStatus::Pending);
        assert_eq!(farm.job(old).await.status, JobStatus::Failed);
    }

    async fn a_video_has_one_live_job_of_a_kind(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = farm.upload("clip").await.video.id;
        finish_next(&worker).await;
        let job = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        farm.sql(&format!("UPDATE job SET identity = 'another' WHERE number = {}", job.number)).await;
        let refused = retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap_err();
        assert_eq!(refused.code, "already_queued");
        assert_eq!(job::of_video(&farm.app.db, video).await.unwrap().len(), 2);
    }

    async fn what_is_not_published_any_more_ends_its_job(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = farm.upload("clip").await.video.id;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        farm.sql("UPDATE video SET status = 'ready', generation = 7, last_generation = 7").await;
        let refused = worker.complete(&job).await.unwrap_err();
        assert_eq!(refused.code, "claim_lost");
        let row = farm.job(job.job_id).await;
        assert_eq!((row.status, row.worker_id), (JobStatus::Cancelled, None));
        assert_eq!(farm.video(video).await.generation, 7);
        farm.live_through(chrono::Duration::hours(2)).await;
        assert!(worker.try_claim().await.is_none());
    }
}
