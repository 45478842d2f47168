//! What a worker may leave in the storage: only what counts.

use framefarm_api::db::extra_files;
use framefarm_api::db::qualities::GenerationKey;
use framefarm_api::error::Result;
use framefarm_api::on_both_storages;
use framefarm_api::testing::media::{self, video_init, video_segment};
use framefarm_api::testing::{Farm, TestWorker, a_plan, plan_of};
use framefarm_shared::extra_file::{ExtraFile, ImageName};
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::{ClaimedJob, HeldJob, PartReply};

const POSTER: ExtraFile = ExtraFile::Image(ImageName::Poster);

async fn working(farm: &Farm, plan: Plan) -> (TestWorker, ClaimedJob) {
    farm.upload("video").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.plan(&job, plan).await.unwrap();
    (worker, job)
}

/// All segments of 360p, the first of them with a payload of its own.
async fn deliver_with_payload(worker: &TestWorker, job: &ClaimedJob, payload: u8) -> Result<PartReply> {
    let plan = a_plan();
    let mut first = video_segment(plan.boundaries_us[0], plan.boundaries_us[1]);
    *first.last_mut().unwrap() = payload;
    let part = media::part("360p", 0, &plan.boundaries_us).segment(0, first).build();
    worker.deliver_bytes(HeldJob { job_id: job.job_id, fence: job.fence }, "360p", 0, &part).await
}

async fn stored(farm: &Farm) -> usize {
    farm.app.storage.count_below("videos").await
}

fn jpeg(content: &str) -> Vec<u8> {
    [b"\xff\xd8\xff\xe0", content.as_bytes(), b"\xff\xd9"].concat()
}

on_both_storages! {
    async fn a_segment_that_comes_again_with_other_bytes_is_not_stored(farm: Farm) {
        let (worker, job) = working(&farm, a_plan()).await;
        deliver_with_payload(&worker, &job, 0).await.unwrap();
        assert_eq!(stored(&farm).await, 4);
        for payload in 1..5 {
            let error = deliver_with_payload(&worker, &job, payload).await.unwrap_err();
            assert_eq!((error.status.as_u16(), error.code), (409, "segment_differs"));
        }
        assert_eq!(stored(&farm).await, 4, "an init segment and three segments");
    }

    async fn of_two_versions_that_come_at_once_one_is_stored(farm: Farm) {
        let (worker, job) = working(&farm, a_plan()).await;
        let versions = (1..=6).map(|payload| deliver_with_payload(&worker, &job, payload));
        let ended = futures::future::join_all(versions).await;
        assert_eq!(ended.iter().filter(|end| end.is_ok()).count(), 1);
        for error in ended.into_iter().filter_map(Result::err) {
            assert_eq!(error.code, "segment_differs");
        }
        assert_eq!(stored(&farm).await, 4);
    }

    async fn a_segment_that_is_known_is_not_written_again(farm: Farm) {
        let (worker, job) = working(&farm, a_plan()).await;
        deliver_with_payload(&worker, &job, 0).await.unwrap();
        farm.app.storage.delete_prefix("videos").await.unwrap();
        deliver_with_payload(&worker, &job, 0).await.unwrap();
        assert_eq!(stored(&farm).await, 0);
    }

    async fn a_quality_may_have_only_the_bytes_that_its_plan_can_need(farm: Farm) {
        let (worker, job) = working(&farm, a_plan()).await;
        worker.deliver(&job, &a_plan(), "360p", 0..=0).await.unwrap();
        let before = stored(&farm).await;
        farm.sql("UPDATE segment SET size = 1000000000").await;
        let error = worker.deliver(&job, &a_plan(), "360p", 1..=2).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (422, "output_too_large"));
        assert_eq!(stored(&farm).await, before);
        worker.deliver(&job, &a_plan(), "480p", 0..=2).await.unwrap();
    }

    async fn a_quality_may_have_only_so_many_init_segments(farm: Farm) {
        let plan = plan_of(40 * 6_000_000);
        let (worker, job) = working(&farm, plan.clone()).await;
        worker.deliver(&job, &plan, "360p", 0..=38).await.unwrap();
        farm.sql("UPDATE segment SET init_sha256 = sha256").await;
        let before = stored(&farm).await;
        let mut init = video_init(1280, 718);
        let avcc = init.windows(4).position(|kind| kind == b"avcC").unwrap();
        init[avcc + 7] = 0x33;
        let part = media::part("360p", 39, &plan.boundaries_us[39..=40]).init(init).build();
        let held = HeldJob { job_id: job.job_id, fence: job.fence };
        let error = worker.deliver_bytes(held, "360p", 39, &part).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (422, "too_many_inits"));
        assert_eq!(stored(&farm).await, before);
    }

    async fn a_replaced_image_takes_its_object_along(farm: Farm) {
        let (worker, job) = working(&farm, a_plan()).await;
        for content in ["one", "two", "two", "three"] {
            worker.attach(&job, POSTER, &jpeg(content)).await.unwrap();
            assert_eq!(stored(&farm).await, 1, "{content}");
        }
        let key = GenerationKey { video: job.video_id, number: job.generation };
        let row = extra_files::of_generation(&farm.app.db, key).await.unwrap().remove(0);
        assert_eq!(row.size.unsigned_abs(), jpeg("three").len() as u64);
        let prefix = ObjectKey::generation_prefix(job.video_id, job.generation);
        assert_eq!(farm.app.storage.size_below(&prefix).await.unwrap().bytes, row.size.unsigned_abs());
    }

    async fn images_and_subtitles_may_have_only_so_many_bytes(farm: Farm) {
        let (worker, job) = working(&farm, a_plan()).await;
        worker.attach(&job, POSTER, &jpeg("poster")).await.unwrap();
        farm.sql("UPDATE extra_file SET size = 1000000000").await;
        let thumb = ExtraFile::Image(ImageName::Thumb(0));
        let error = worker.attach(&job, thumb, &jpeg("thumb")).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (422, "output_too_large"));
        assert_eq!(stored(&farm).await, 1);
        worker.attach(&job, POSTER, &jpeg("another")).await.unwrap();
    }

    async fn a_nearly_full_disk_delays_deliveries_and_costs_the_job_nothing(farm: Farm) {
        let (worker, job) = working(&farm, a_plan()).await;
        let full = farm.beside(|settings| settings.disk_reserve_bytes = 1 << 60).await;
        let there = worker.at(&full);
        // Longer than a job may be without progress, and longer than a lease.
        for _ in 0..8 {
            farm.wait(chrono::Duration::minutes(10));
            let error = there.deliver(&job, &a_plan(), "360p", 0..=2).await.unwrap_err();
            assert_eq!((error.status.as_u16(), error.code), (507, "disk_full"));
            let error = there.attach(&job, POSTER, &jpeg("poster")).await.unwrap_err();
            assert_eq!((error.status.as_u16(), error.code), (507, "disk_full"));
            worker.beat(&[&job]).await.unwrap();
            farm.reap().await;
        }
        assert_eq!(stored(&farm).await, 0);
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        let row = farm.job(job.job_id).await;
        assert_eq!((row.attempt_number, row.failure_count, row.lost_count), (1, 0, 0));
    }
}
