//! Claims whose reply never reached the worker.

use chrono::Duration;
use framefarm_api::on_both_engines;
use framefarm_api::testing::a_plan;
use framefarm_shared::state::{JobStatus, VideoStatus};

on_both_engines! {
    async fn a_claim_that_its_worker_never_heard_of_costs_nothing(farm: Farm) {
        let video = farm.upload("clip").await.video.id;
        let worker = farm.worker("w1").await;
        let heartbeat = farm.app.settings.heartbeat();
        for _ in 0..100 {
            let lost = worker.claim().await;
            let began = farm.now();
            while farm.job(lost.job_id).await.status == JobStatus::Running {
                farm.wait(heartbeat);
                worker.beat(&[]).await.unwrap();
                assert!(farm.now() - began < Duration::minutes(3), "it is held for ever");
            }
            let row = farm.job(lost.job_id).await;
            assert_eq!((row.attempt_number, row.lost_count, row.failure_count), (0, 0, 0));
            assert_eq!((row.retry_after, farm.video(video).await.status), (None, VideoStatus::Pending));
        }
        let job = worker.claim().await;
        assert_eq!(job.attempt_number, 1);
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
    }

    async fn a_heartbeat_that_was_on_its_way_takes_nothing(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let heartbeat = farm.app.settings.heartbeat();
        let job = worker.claim().await;
        for _ in 0..5 {
            worker.beat(&[]).await.unwrap();
            farm.wait(heartbeat);
            worker.beat(&[&job]).await.unwrap();
            farm.wait(heartbeat * 2);
        }
        for _ in 0..5 {
            worker.beat(&[]).await.unwrap();
            farm.wait(heartbeat);
            worker.progress(&job, 1.0).await.unwrap();
        }
        assert_eq!(farm.job(job.job_id).await.fence, job.fence);
        assert_eq!(worker.beat(&[&job]).await.unwrap().renewed.len(), 1);
    }

    async fn of_two_claims_only_the_unknown_one_goes_back(farm: Farm) {
        farm.upload("one").await;
        farm.upload("two").await;
        let worker = farm.worker("w1").await;
        let (known, lost) = (worker.claim().await, worker.claim().await);
        for _ in 0..4 {
            farm.wait(farm.app.settings.heartbeat());
            worker.beat(&[&known]).await.unwrap();
        }
        assert_eq!(farm.job(known.job_id).await.status, JobStatus::Running);
        assert_eq!(farm.job(lost.job_id).await.status, JobStatus::Pending);
        assert_eq!(farm.worker_row(worker.id).await.current_job_id, Some(known.job_id));
    }
}
