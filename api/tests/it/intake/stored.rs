//! A file by its path, wherever it is stored.

use framefarm_api::intake::queue::Taken;
use framefarm_api::on_both_storages;
use framefarm_shared::intake::IntakeState;

use super::Site;

on_both_storages! {
    async fn a_file_comes_in_by_its_path_and_stays_where_it_is(farm: Farm) {
        let site = Site::open(farm).await;
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
        let path = site.write("holiday/Clip 1.mp4", &bytes);
        let id = site.accepted(&path).await;
        assert!(matches!(site.add(&path).await, Taken::Duplicate(same) if same == id));
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(site.run().await, [0, 0, 0], "once is enough");
        let row = site.row(id).await;
        assert_eq!((row.state, row.received, row.deduplicated), (IntakeState::Done, 3_000_000, Some(false)));
        assert_eq!(site.source(id).await, bytes);
        let video = site.farm.video(row.video_id.unwrap()).await;
        assert_eq!((video.title.as_str(), video.source_name.as_str()), ("Clip 1", "Clip 1.mp4"));
        assert!(site.at("holiday/Clip 1.mp4").exists());

        let copy = site.write("copy.mp4", &bytes);
        let copy = site.accepted(&copy).await;
        assert_eq!(site.run().await, [1, 0, 0]);
        let again = site.row(copy).await;
        assert_eq!((again.deduplicated, again.job_id), (Some(true), row.job_id), "the same content is the same work");
    }
}
