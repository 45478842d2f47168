//! Qualities whose encoder changes on the way.

use framefarm_api::on_both_storages;
use framefarm_api::testing::a_plan;
use framefarm_api::testing::media::{self, video_init};
use framefarm_shared::object_key::{MediaFile, ObjectKey};
use framefarm_shared::wire::worker_api::HeldJob;

/// Of another encoder, which wants more of a decoder.
fn init_of_level(level: u8) -> Vec<u8> {
    let mut init = video_init(1280, 718);
    let avcc = init.windows(4).position(|kind| kind == b"avcC").unwrap();
    // The version, the profile and its constraints come before it.
    init[avcc + 7] = level;
    init
}

on_both_storages! {
    async fn another_encoder_goes_on_with_a_quality_and_the_playlist_says_where(farm: Farm) {
        let upload = farm.upload("clip").await;
        let (worker, plan) = (farm.worker("w1").await, a_plan());
        let job = worker.claim().await;
        worker.plan(&job, plan.clone()).await.unwrap();
        for quality in ["480p", "360p", "audio0"] {
            worker.deliver(&job, &plan, quality, 0..=2).await.unwrap();
        }
        worker.deliver(&job, &plan, "720p", 0..=0).await.unwrap();
        let held = HeldJob { job_id: job.job_id, fence: job.fence };
        let rest = media::part("720p", 1, &plan.boundaries_us[1..=3]).init(init_of_level(0x33));
        worker.deliver_bytes(held, "720p", 1, &rest.build()).await.unwrap();
        let reported = worker.plan(&job, plan.clone()).await.unwrap().qualities;
        let hashes = reported.iter().filter_map(|quality| quality.init_sha256.as_ref().map(String::len));
        assert_eq!(hashes.collect::<Vec<_>>(), [64; 4]);
        worker.complete(&job).await.unwrap();
        let file = MediaFile::Playlist { quality: "720p".to_owned() };
        let key = ObjectKey::Media { video: upload.video.id, generation: 1, file };
        let text = String::from_utf8(farm.app.storage.get(&key).await.unwrap().to_vec()).unwrap();
        let maps: Vec<usize> =
            text.lines().enumerate().filter(|(_, line)| line.starts_with("#EXT-X-MAP")).map(|(at, _)| at).collect();
        let first = text.lines().position(|line| line.starts_with("#EXT-X-MAP")).unwrap();
        assert_eq!(maps, [first, first + 3], "{text}");
        let master = ObjectKey::Master { video: upload.video.id, generation: 1 };
        let master = String::from_utf8(farm.app.storage.get(&master).await.unwrap().to_vec()).unwrap();
        assert_eq!(master.matches("avc1.640033").count(), 1, "the level that covers both: {master}");
    }
}
