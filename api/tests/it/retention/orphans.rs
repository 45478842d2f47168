//! Orphaned files.

use chrono::Duration;
use framefarm_api::lifecycle::retranscode;
use framefarm_api::on_both_storages;
use framefarm_api::retention::gc::{self, Kind, Walk};
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::extra_file::{ExtraFile, ImageName};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::{MediaFile, Naming, ObjectKey};

use super::{a_ready_video, everything};

fn segment(video: VideoId, generation: i32, digest: u8) -> ObjectKey {
    let digest = Naming::FullDigest.digest([digest; 32]);
    let file = MediaFile::Segment { quality: "360p".to_owned(), index: 0, digest };
    ObjectKey::Media { video, generation, file }
}

async fn put(farm: &Farm, key: &ObjectKey) {
    farm.app.storage.put(key, vec![1; 77].into()).await.unwrap();
}

async fn is_there(farm: &Farm, key: &ObjectKey) -> bool {
    farm.app.storage.head(key).await.is_ok()
}

/// Stored files carry the time of the machine, which is later than the farm's.
fn grow_old(farm: &Farm) {
    farm.wait(Duration::days(1_000));
}

async fn play_again(farm: &Farm, worker: &TestWorker, video: VideoId) {
    retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
    worker.beat(&[]).await.unwrap();
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
}

on_both_storages! {
    async fn files_of_a_living_video_that_no_row_knows_go_when_they_are_old(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "video").await;
        let whole = farm.app.storage.count_below("").await;
        let poster = MediaFile::Extra { file: ExtraFile::Image(ImageName::Poster), digest: Naming::FullDigest.digest([2; 32]) };
        let refused = [
            segment(video, 1, 1), segment(video, 7, 1), ObjectKey::Media { video, generation: 1, file: poster },
        ];
        for key in &refused {
            put(&farm, key).await;
        }
        farm.clean().await;
        assert_eq!(farm.app.storage.count_below("").await, whole + 3, "they are young");
        grow_old(&farm);
        let told = gc::collect(&farm.app, true, "admin").await.unwrap();
        let told = told.kinds.iter().find(|kind| kind.kind == Kind::Orphans).unwrap();
        assert_eq!((told.count, told.bytes), (3, 3 * 77));
        farm.clean().await;
        for key in &refused {
            assert!(!is_there(&farm, key).await, "{}", key.path());
        }
        assert_eq!(farm.app.storage.count_below("").await, whole, "what plays stays");
    }

    async fn while_a_job_works_on_a_generation_its_files_stay(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "video").await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        let early = segment(video, 2, 1);
        put(&farm, &early).await;
        grow_old(&farm);
        farm.clean().await;
        assert!(is_there(&farm, &early).await);
    }

    async fn a_generation_that_may_be_retried_keeps_its_files(farm: Farm) {
        let farm = farm.restarted(|settings| settings.cleanup_partial_on_failure = false).await;
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "video").await;
        retranscode::retranscode(&farm.app, video, everything(), "admin").await.unwrap();
        let job = worker.claim().await;
        worker.plan(&job, a_plan()).await.unwrap();
        worker.fail(&job, ErrorClass::InputInvalid, "damaged").await.unwrap();
        let kept = segment(video, 2, 1);
        put(&farm, &kept).await;
        grow_old(&farm);
        farm.clean().await;
        assert!(is_there(&farm, &kept).await);
    }

    async fn a_video_that_plays_without_rows_of_its_qualities_keeps_its_files(farm: Farm) {
        let worker = farm.worker("w1").await;
        a_ready_video(&farm, &worker, "imported").await;
        farm.sql("DELETE FROM quality").await;
        let whole = farm.app.storage.count_below("").await;
        grow_old(&farm);
        farm.clean().await;
        assert_eq!(farm.app.storage.count_below("").await, whole);
    }

    async fn a_replaced_generation_that_is_still_watched_is_no_orphan(farm: Farm) {
        let worker = farm.worker("w1").await;
        let video = a_ready_video(&farm, &worker, "video").await;
        grow_old(&farm);
        play_again(&farm, &worker, video).await;
        farm.clean().await;
        assert!(farm.app.storage.count_below(&ObjectKey::generation_prefix(video, 1)).await > 0);
    }

    async fn orphans_are_looked_for_once_an_hour(farm: Farm) {
        grow_old(&farm);
        farm.clean().await;
        let orphan = ObjectKey::Source { video: VideoId::new(&farm.clock) };
        put(&farm, &orphan).await;
        farm.wait(Duration::minutes(59));
        farm.clean().await;
        assert!(is_there(&farm, &orphan).await);
        farm.wait(Duration::minutes(1));
        farm.clean().await;
        assert!(!is_there(&farm, &orphan).await);
    }

    async fn a_large_library_is_looked_into_a_little_at_a_time(farm: Farm) {
        let worker = farm.worker("w1").await;
        let mut refused = Vec::new();
        for name in ["a", "b", "c"] {
            let video = a_ready_video(&farm, &worker, name).await;
            refused.push(segment(video, 1, 1));
        }
        for key in &refused {
            put(&farm, key).await;
        }
        grow_old(&farm);
        for expected in [2, 1, 0, 0] {
            let walk = Walk { dry_run: false, most: 1, by_hand: false };
            gc::walk(&farm.app, walk).await.unwrap();
            let mut left = 0;
            for key in &refused {
                left += u32::from(is_there(&farm, key).await);
            }
            assert_eq!(left, expected);
            farm.wait(Duration::hours(1));
        }
    }
}
