//! Table `video`: one row and its moves.

use framefarm_api::db::videos::{self, NewVideo, Published};
use framefarm_api::db::{Tx, collections, job};
use framefarm_api::testing::Farm;
use framefarm_shared::id::{CollectionId, VideoId};
use framefarm_shared::state::VideoStatus;
use serde_json::json;
use sqlx::error::ErrorKind;

use super::world::{INSTANT, a_ready_video, a_video, an_ended_job, new_video, published};

/// A video in each status.
async fn one_of_each(farm: &Farm) -> Vec<(VideoStatus, VideoId)> {
    let pending = a_video(farm, "pending").await.id;
    let processing = a_video(farm, "processing").await.id;
    commit!(farm, |tx| videos::begin_if_pending(tx, processing));
    let ready = a_ready_video(farm, "ready").await.id;
    let failed = a_video(farm, "failed").await.id;
    commit!(farm, |tx| videos::fail_if_unpublished(tx, failed, "no"));
    vec![
        (VideoStatus::Pending, pending),
        (VideoStatus::Processing, processing),
        (VideoStatus::Ready, ready),
        (VideoStatus::Failed, failed),
    ]
}

async fn began(tx: &mut Tx, id: VideoId) -> sqlx::Result<bool> {
    videos::begin_if_pending(tx, id).await.map(|video| video.is_some())
}

/// Calls a move on a video in each status: it must answer yes in those of `from` alone, and change nothing else.
macro_rules! moves_only {
    ($farm:expr, $from:expr => $to:expr, |$tx:ident, $id:ident| $call:expr) => {
        for (status, $id) in one_of_each(&$farm).await {
            if $from.contains(&status) {
                assert!(commit!($farm, |$tx| $call), "{status}");
                assert_eq!($farm.video($id).await.status, $to);
            } else {
                assert!(!unchanged!($farm, |$tx| $call), "{status}");
            }
        }
        for (_, $id) in one_of_each(&$farm).await {
            commit!($farm, |tx| videos::delete_softly(tx, $id, $farm.now()));
            assert!(!unchanged!($farm, |$tx| $call), "a deleted video moved");
        }
    };
}

framefarm_api::on_both_engines! {
    async fn a_new_video_waits_for_its_first_generation(farm: Farm) {
        farm.wait(INSTANT);
        let wanted = Some(vec!["720p".to_owned(), "360p".to_owned()]);
        let new = NewVideo { wanted: wanted.clone(), source_size: i64::MAX, ..new_video(&farm, "Größe ☃ 日本") };
        let id = new.id;
        let video = commit!(farm, |tx| videos::insert(tx, new, farm.now()));
        assert_eq!((video.id, video.title.as_str(), video.status), (id, "Größe ☃ 日本", VideoStatus::Pending));
        assert_eq!((video.generation, video.last_generation, video.source_size), (0, 1, i64::MAX));
        assert_eq!((video.created_at, video.ready_at, video.deleted_at), (farm.now(), None, None));
        assert_eq!(video.wanted.as_ref().map(|json| json.0.clone()), wanted);
        let read = videos::get(&farm.app.db, id).await.unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", Some(video)));
    }

    async fn a_video_is_read_by_id_and_by_slug_until_it_is_deleted(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        assert!(commit!(farm, |tx| videos::get_in(tx, video.id)).is_some());
        assert!(videos::by_slug(&farm.app.db, &video.slug).await.unwrap().is_some());
        assert!(videos::by_slug(&farm.app.db, "%").await.unwrap().is_none());
        commit!(farm, |tx| videos::delete_softly(tx, video.id, farm.now()));
        assert!(videos::by_slug(&farm.app.db, &video.slug).await.unwrap().is_none());
        assert!(videos::get(&farm.app.db, video.id).await.unwrap().is_some(), "not swept yet");
        assert!(commit!(farm, |tx| videos::get_in(tx, VideoId::new(&farm.clock))).is_none());
    }

    async fn whoever_locks_a_video_changes_nothing_of_it(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        unchanged!(farm, |tx| videos::lock(tx, video.id));
        unchanged!(farm, |tx| videos::lock(tx, VideoId::new(&farm.clock)));
    }

    async fn two_videos_cannot_share_a_slug(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        commit!(farm, |tx| videos::delete_softly(tx, video.id, farm.now()));
        let twin = NewVideo { slug: video.slug.clone(), ..new_video(&farm, "clip") };
        let kind = refused!(farm, |tx| videos::insert(tx, twin, farm.now()));
        assert_eq!(kind, ErrorKind::UniqueViolation);
    }

    async fn a_claim_begins_a_waiting_video(farm: Farm) {
        let from = [VideoStatus::Pending];
        moves_only!(farm, from => VideoStatus::Processing, |tx, id| began(tx, id));
    }

    async fn a_job_that_goes_back_takes_its_video_along(farm: Farm) {
        let from = [VideoStatus::Processing];
        moves_only!(farm, from => VideoStatus::Pending, |tx, id| videos::wait_if_processing(tx, id));
    }

    async fn a_retry_makes_a_failed_video_wait_without_its_error(farm: Farm) {
        moves_only!(farm, [VideoStatus::Failed] => VideoStatus::Pending, |tx, id| videos::wait_if_failed(tx, id));
        let ended = a_video(&farm, "clip").await.id;
        commit!(farm, |tx| videos::fail_if_unpublished(tx, ended, "no"));
        assert_eq!(farm.video(ended).await.error_message.as_deref(), Some("no"));
        commit!(farm, |tx| videos::wait_if_failed(tx, ended));
        assert_eq!(farm.video(ended).await.error_message, None);
    }

    async fn a_video_is_unpublished_only_while_it_plays(farm: Farm) {
        let from = [VideoStatus::Ready];
        moves_only!(farm, from => VideoStatus::Processing, |tx, id| videos::unpublish_if_ready(tx, id));
        let video = a_ready_video(&farm, "clip").await;
        commit!(farm, |tx| videos::unpublish_if_ready(tx, video.id));
        assert_eq!(farm.video(video.id).await.generation, 0);
    }

    async fn a_video_that_plays_does_not_fail(farm: Farm) {
        for (status, id) in one_of_each(&farm).await {
            let fails = matches!(status, VideoStatus::Pending | VideoStatus::Processing);
            if fails {
                assert!(commit!(farm, |tx| videos::fail_if_unpublished(tx, id, "kaputt ☠")));
                assert_eq!(farm.video(id).await.error_message.as_deref(), Some("kaputt ☠"));
            } else {
                assert!(!unchanged!(farm, |tx| videos::fail_if_unpublished(tx, id, "kaputt")));
            }
        }
    }

    async fn a_cancelled_video_says_so_until_it_is_tried_again(farm: Farm) {
        for (status, id) in one_of_each(&farm).await {
            if matches!(status, VideoStatus::Pending | VideoStatus::Processing) {
                assert!(commit!(farm, |tx| videos::cancel_if_unpublished(tx, id)));
                assert_eq!(farm.video(id).await.status, VideoStatus::Failed);
            } else {
                assert!(!unchanged!(farm, |tx| videos::cancel_if_unpublished(tx, id)));
            }
        }
        let video = a_video(&farm, "clip").await.id;
        commit!(farm, |tx| videos::cancel_if_unpublished(tx, video));
        assert!(farm.video(video).await.cancelled);
        commit!(farm, |tx| videos::wait_if_failed(tx, video));
        assert!(!farm.video(video).await.cancelled);
        commit!(farm, |tx| videos::fail_if_unpublished(tx, video, "no"));
        assert!(!farm.video(video).await.cancelled);
    }

    async fn a_video_switches_to_a_newer_generation_and_never_back(farm: Farm) {
        let from = [VideoStatus::Processing, VideoStatus::Ready];
        moves_only!(farm, from => VideoStatus::Ready, |tx, id| videos::publish(tx, id, published(&farm, 2)));
        let video = a_ready_video(&farm, "clip").await;
        farm.wait(INSTANT);
        assert!(commit!(farm, |tx| videos::publish(tx, video.id, published(&farm, 3))));
        let row = farm.video(video.id).await;
        assert_eq!((row.generation, row.ready_at, row.duration_us), (3, Some(farm.now()), Some(18_000_000)));
        assert_eq!((row.width, row.height), (Some(1280), Some(720)));
        assert_eq!(row.renditions.unwrap().0, json!({ "renditions": [{ "name": "720p" }] }));
        for old in [3, 2] {
            assert!(!unchanged!(farm, |tx| videos::publish(tx, video.id, published(&farm, old))));
        }
    }

    async fn generations_are_numbered_without_gaps_or_repeats(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        for number in 2..5 {
            assert_eq!(commit!(farm, |tx| videos::next_generation(tx, video.id)), Some(number));
        }
        commit!(farm, |tx| videos::delete_softly(tx, video.id, farm.now()));
        assert_eq!(unchanged!(farm, |tx| videos::next_generation(tx, video.id)), None);
    }

    async fn a_video_is_renamed_and_collected_until_it_is_deleted(farm: Farm) {
        let (video, id) = (a_video(&farm, "clip").await, CollectionId::new(&farm.clock));
        let rename = commit!(farm, |tx| videos::rename(tx, video.id, "日本 %_\\"));
        assert_eq!(rename.unwrap().title, "日本 %_\\");
        let kind = refused!(farm, |tx| videos::set_collection(tx, video.id, Some(id)));
        assert_eq!(kind, ErrorKind::ForeignKeyViolation);
        commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        commit!(farm, |tx| videos::set_identity(tx, video.id, "another"));
        assert_eq!(commit!(farm, |tx| videos::newest_by_identity(tx, "another")).unwrap().id, video.id);
        for to in [Some(id), None] {
            let moved = commit!(farm, |tx| videos::set_collection(tx, video.id, to)).unwrap();
            assert_eq!(moved.collection_id, to);
        }
        commit!(farm, |tx| videos::delete_softly(tx, video.id, farm.now()));
        assert!(unchanged!(farm, |tx| videos::rename(tx, video.id, "x")).is_none());
        assert!(unchanged!(farm, |tx| videos::set_collection(tx, video.id, None)).is_none());
    }

    async fn a_deleted_video_is_restored_or_swept(farm: Farm) {
        let ended = an_ended_job(&farm, "clip", framefarm_shared::state::JobStatus::Cancelled).await;
        let id = ended.video_id;
        assert!(unchanged!(farm, |tx| videos::restore(tx, id)).is_none());
        assert!(!unchanged!(farm, |tx| videos::purge_if_deleted(tx, id)));
        assert!(unchanged!(farm, |tx| videos::is_not_deleted(tx, id)));
        assert!(commit!(farm, |tx| videos::delete_softly(tx, id, farm.now())));
        assert!(!unchanged!(farm, |tx| videos::delete_softly(tx, id, farm.now() + INSTANT)));
        assert!(!unchanged!(farm, |tx| videos::is_not_deleted(tx, id)));
        assert_eq!(commit!(farm, |tx| videos::restore(tx, id)).unwrap().deleted_at, None);
        commit!(farm, |tx| videos::delete_softly(tx, id, farm.now()));
        assert!(commit!(farm, |tx| videos::purge_if_deleted(tx, id)));
        assert!(videos::get(&farm.app.db, id).await.unwrap().is_none());
        assert!(job::get(&farm.app.db, ended.id).await.unwrap().is_none());
    }

    async fn of_many_ids_those_are_told_that_there_are(farm: Farm) {
        let (here, gone) = (a_video(&farm, "here").await.id, a_video(&farm, "gone").await.id);
        farm.sql("UPDATE video SET deleted_at = created_at WHERE title = 'gone'").await;
        let known = videos::known(&farm.app.db, &[here, VideoId::new(&farm.clock), gone]).await.unwrap();
        assert_eq!((known.len(), known.contains(&here), known.contains(&gone)), (2, true, true));
        assert!(videos::known(&farm.app.db, &[]).await.unwrap().is_empty());
    }

    async fn what_videos_take_is_read_in_pages(farm: Farm) {
        let nil = VideoId(uuid::Uuid::nil());
        assert!(videos::sizes_after(&farm.app.db, nil, 10).await.unwrap().is_empty());
        let waiting = a_video(&farm, "waiting").await;
        let ready = a_video(&farm, "ready").await;
        commit!(farm, |tx| videos::begin_if_pending(tx, ready.id));
        let renditions = json!({ "renditions": [{ "bytes": 3_000_000_000_i64 }, { "bytes": 5 }, { "name": "old" }] });
        assert!(commit!(farm, |tx| videos::publish(tx, ready.id, Published { renditions, ..published(&farm, 1) })));
        commit!(farm, |tx| videos::delete_softly(tx, ready.id, farm.now()));
        let mut found = Vec::new();
        let mut last = nil;
        while let Some(video) = videos::sizes_after(&farm.app.db, last, 1).await.unwrap().pop() {
            last = video.id;
            found.push((video.id, video.source_size, video.video_size));
        }
        let mut expected = [(waiting.id, 1_000_000, 0), (ready.id, 1_000_000, 3_000_000_005)];
        expected.sort();
        assert_eq!(found, expected);
    }
}
