//! Whether the original of a video is still there.

use framefarm_api::db::collections::{self, Rules};
use framefarm_api::db::sources::{self, Whose};
use framefarm_api::db::videos;
use framefarm_api::testing::Farm;
use framefarm_shared::id::{CollectionId, VideoId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;

use super::world::{INSTANT, a_ready_video, a_video, a_worker, claimed, job_of, left};

async fn due(farm: &Farm, whose: Whose) -> Vec<VideoId> {
    let found = sources::due(&farm.app.db, whose, farm.now(), 10).await.unwrap();
    found.into_iter().map(|(id, size)| (id, assert_eq!(size, 1_000_000)).0).collect()
}

async fn a_collection(farm: &Farm, name: &str, source_retention: Option<&str>) -> CollectionId {
    let source_retention = source_retention.map(ToOwned::to_owned);
    let rules = Rules { source_retention, ..Rules::default() };
    let id = CollectionId::new(&farm.clock);
    commit!(farm, |tx| collections::insert_if_free(tx, id, name, &rules, farm.now())).unwrap().id
}

framefarm_api::on_both_engines! {
    async fn an_original_is_due_from_the_instant_its_video_is_ready_so_long(farm: Farm) {
        a_video(&farm, "waiting").await;
        let ready = a_ready_video(&farm, "clip").await.id;
        let before = farm.now() - INSTANT;
        assert_eq!(sources::due(&farm.app.db, Whose::Others, before, 10).await.unwrap(), []);
        assert_eq!(due(&farm, Whose::Others).await, [ready]);
        assert!(!unchanged!(farm, |tx| sources::give_up_if_unneeded(tx, ready, before, farm.now())));
        assert!(commit!(farm, |tx| sources::give_up_if_unneeded(tx, ready, farm.now(), farm.now())));
        assert_eq!(farm.video(ready).await.source_deleted_at, Some(farm.now()));
        assert!(!unchanged!(farm, |tx| sources::give_up_if_unneeded(tx, ready, farm.now(), farm.now())));
        assert!(due(&farm, Whose::Others).await.is_empty());
    }

    async fn an_original_is_kept_while_a_job_of_any_kind_is_live_or_its_video_is_deleted(farm: Farm) {
        for kind in [QueueType::Transcode, QueueType::Preview, QueueType::Captions] {
            let video = a_ready_video(&farm, "clip").await;
            let give_up = async || {
                let found = due(&farm, Whose::Others).await.contains(&video.id);
                let mut tx = farm.app.db.begin().await.unwrap();
                let given = sources::give_up_if_unneeded(&mut tx, video.id, farm.now(), farm.now()).await.unwrap();
                tx.rollback().await.unwrap();
                assert_eq!(found, given);
                given
            };
            assert!(give_up().await);
            let job = job_of(&farm, &video, kind).await;
            assert!(!give_up().await, "a waiting {kind}");
            farm.sql("UPDATE job SET retranscode = '{\"retranscode_all\":true,\"qualities\":[],\"delete_captions\":false,\
                \"cleanup_on_claim\":false}'").await;
            let worker = a_worker(&farm, "w1").await;
            let job = claimed(&farm, job.id, &worker).await;
            assert!(!give_up().await, "a running {kind}");
            left(&farm, &job, JobStatus::Failed).await;
            assert!(give_up().await, "a failed {kind}");
            commit!(farm, |tx| videos::delete_softly(tx, video.id, farm.now()));
            assert!(!give_up().await, "deleted");
        }
    }

    async fn each_rule_is_about_its_own_videos(farm: Farm) {
        let own = a_collection(&farm, "own", Some("7")).await;
        let none = a_collection(&farm, "none", None).await;
        let mut ids = Vec::new();
        for collection in [Some(own), Some(none), None] {
            let video = a_ready_video(&farm, "clip").await.id;
            commit!(farm, |tx| videos::set_collection(tx, video, collection));
            ids.push(video);
        }
        assert_eq!(due(&farm, Whose::Collection(own)).await, ids[..1]);
        // They are ready since the same instant.
        ids[1..].sort_unstable();
        assert_eq!(due(&farm, Whose::Others).await, ids[1..]);
        assert_eq!(sources::due(&farm.app.db, Whose::Others, farm.now(), 1).await.unwrap().len(), 1);
    }

    async fn a_video_is_held_only_with_its_original(farm: Farm) {
        let video = a_ready_video(&farm, "clip").await.id;
        assert!(unchanged!(farm, |tx| sources::hold_if_kept(tx, video)));
        commit!(farm, |tx| sources::give_up_if_unneeded(tx, video, farm.now(), farm.now()));
        assert!(!unchanged!(farm, |tx| sources::hold_if_kept(tx, video)));
        assert!(!unchanged!(farm, |tx| sources::hold_if_kept(tx, VideoId::new(&farm.clock))));
    }
}
