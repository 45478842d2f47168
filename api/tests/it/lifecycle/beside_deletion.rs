//! What others do while a video is deleted.

use framefarm_api::lifecycle::retranscode::{Request, retranscode};
use framefarm_api::lifecycle::{delete, retry};
use framefarm_api::on_both_engines;
use framefarm_api::testing::{Farm, a_plan};
use framefarm_shared::failure::ErrorClass;

const ROUNDS: usize = 30;

/// Jobs that nobody can ever claim.
async fn stranded(farm: &Farm) -> i64 {
    const SQL: &str = "SELECT count(*) FROM job j JOIN video v ON v.id = j.video_id \
         WHERE j.status IN ('pending', 'running') AND v.deleted_at IS NOT NULL";
    farm.number(SQL).await
}

on_both_engines! {
    async fn an_upload_is_not_swallowed_by_a_deleted_video(farm: Farm) {
        let first = farm.upload("clip").await;
        farm.sql("UPDATE video SET deleted_at = created_at").await;
        let second = farm.upload("clip").await;
        assert!(!second.deduplicated && second.source_kept);
        assert_ne!(first.video.id, second.video.id);
        assert_eq!(stranded(&farm).await, 0);
        assert_eq!(farm.worker("w1").await.claim().await.video_id, second.video.id);
    }

    async fn a_re_transcode_that_begins_meanwhile_goes_too(farm: Farm) {
        let worker = farm.worker("w1").await;
        for round in 0..ROUNDS {
            let video = farm.upload(&format!("clip {round}")).await.video.id;
            let job = worker.claim().await;
            worker.encode(&job, &a_plan()).await;
            worker.complete(&job).await.unwrap();
            let request = Request { retranscode_all: true, ..Request::default() };
            let (deleted, _) = tokio::join!(
                delete::delete(&farm.app, video, "admin"),
                retranscode(&farm.app, video, request, "admin"),
            );
            deleted.unwrap();
            assert_eq!(stranded(&farm).await, 0, "round {round}");
        }
    }

    async fn a_retry_that_begins_meanwhile_goes_too(farm: Farm) {
        let worker = farm.worker("w1").await;
        for round in 0..ROUNDS {
            let upload = farm.upload(&format!("clip {round}")).await;
            let job = worker.claim().await;
            worker.fail(&job, ErrorClass::InputInvalid, "no").await.unwrap();
            let (deleted, _) = tokio::join!(
                delete::delete(&farm.app, upload.video.id, "admin"),
                retry::requeue(&farm.app, upload.job.id, "admin"),
            );
            deleted.unwrap();
            assert_eq!(stranded(&farm).await, 0, "round {round}");
        }
    }
}
