//! Table `generation`.

use framefarm_api::db::generations;
use framefarm_api::db::qualities::GenerationKey;
use framefarm_api::testing::{a_plan, plan_of};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::Naming;
use framefarm_shared::state::JobStatus;
use sqlx::error::ErrorKind;

use super::world::{INSTANT, a_job, a_ready_video, a_running_job, a_video, an_ended_job};

framefarm_api::on_both_engines! {
    async fn a_number_is_used_once_for_each_video(farm: Farm) {
        let (video, other) = (a_video(&farm, "clip").await, a_video(&farm, "another").await);
        let twice = refused!(farm, |tx| generations::insert(tx, video.id, 1, None, farm.now()));
        assert_eq!(twice, ErrorKind::UniqueViolation);
        commit!(farm, |tx| generations::insert(tx, video.id, 2, None, farm.now()));
        commit!(farm, |tx| generations::insert(tx, other.id, 2, None, farm.now()));
        let orphan = VideoId::new(&farm.clock);
        let kind = refused!(farm, |tx| generations::insert(tx, orphan, 1, None, farm.now()));
        assert_eq!(kind, ErrorKind::ForeignKeyViolation);
    }

    async fn a_plan_comes_back_as_it_was_given(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        let mut plan = a_plan();
        let track = plan.source.video.as_mut().unwrap();
        track.frame_rate = 24_000.0 / 1001.0;
        commit!(farm, |tx| generations::insert(tx, video.id, 2, Some(&plan), farm.now()));
        assert_eq!(generations::plan(&farm.app.db, video.id, 2).await.unwrap(), Some(plan.clone()));
        assert_eq!(commit!(farm, |tx| generations::plan_in(tx, video.id, 2)), Some(plan));
    }

    async fn a_generation_keeps_the_naming_it_began_with(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        let key = GenerationKey { video: video.id, number: 1 };
        assert_eq!(generations::naming(&farm.app.db, key).await.unwrap(), Naming::FullDigest);
        farm.sql("UPDATE generation SET short_names = true").await;
        assert_eq!(generations::naming(&farm.app.db, key).await.unwrap(), Naming::ShortDigest);
    }

    async fn a_generation_without_a_plan_is_told_from_none_at_all(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        assert_eq!(generations::plan(&farm.app.db, video.id, 1).await.unwrap(), None);
        assert_eq!(commit!(farm, |tx| generations::plan_in(tx, video.id, 1)), None);
        assert!(commit!(farm, |tx| generations::plan_row(tx, video.id, 1)).is_some_and(|plan| plan.is_none()));
        assert!(commit!(farm, |tx| generations::plan_row(tx, video.id, 2)).is_none());
    }

    async fn the_first_plan_stays(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        assert!(commit!(farm, |tx| generations::set_plan_if_none(tx, video.id, 1, &a_plan())));
        let later = plan_of(60_000_000);
        assert!(!unchanged!(farm, |tx| generations::set_plan_if_none(tx, video.id, 1, &later)));
        assert!(!unchanged!(farm, |tx| generations::set_plan_if_none(tx, video.id, 2, &later)));
        let row = commit!(farm, |tx| generations::plan_row(tx, video.id, 1)).unwrap();
        assert_eq!(row.map(|json| json.0), Some(a_plan()));
    }

    async fn the_generation_that_plays_is_not_deleted(farm: Farm) {
        let video = a_ready_video(&farm, "clip").await;
        commit!(farm, |tx| generations::insert(tx, video.id, 2, None, farm.now()));
        assert!(!unchanged!(farm, |tx| generations::delete_unless_published(tx, video.id, 1)));
        assert!(commit!(farm, |tx| generations::delete_unless_published(tx, video.id, 2)));
        assert!(!unchanged!(farm, |tx| generations::delete_unless_published(tx, video.id, 2)));
    }

    async fn a_generation_has_a_live_job_until_it_ends(farm: Farm) {
        let (waiting, (running, _)) = (a_job(&farm, "waiting").await, a_running_job(&farm, "running").await);
        let ended = an_ended_job(&farm, "ended", JobStatus::Failed).await;
        for (job, lives) in [(waiting, true), (running, true), (ended, false)] {
            let key = GenerationKey { video: job.video_id, number: job.generation };
            assert_eq!(generations::has_live_job(&farm.app.db, key).await.unwrap(), lives);
            let next = GenerationKey { number: key.number + 1, ..key };
            assert!(!generations::has_live_job(&farm.app.db, next).await.unwrap());
        }
    }

    async fn a_generation_is_forsaken_when_its_job_is_gone_and_it_does_not_play(farm: Farm) {
        let ready = a_ready_video(&farm, "ready").await;
        let job = a_job(&farm, "waiting").await;
        commit!(farm, |tx| generations::insert(tx, ready.id, 2, None, farm.now()));
        let forsaken = async |instant| generations::forsaken(&farm.app.db, instant, 10).await.unwrap();
        assert_eq!(forsaken(farm.now() - INSTANT).await, []);
        assert_eq!(forsaken(farm.now()).await, [(ready.id, 2)]);
        assert_eq!(generations::of_video(&farm.app.db, ready.id).await.unwrap(), [1, 2]);
        farm.sql("DELETE FROM job").await;
        assert_eq!(forsaken(farm.now()).await.len(), 2);
        assert!(forsaken(farm.now()).await.contains(&(job.video_id, 1)));
        assert_eq!(generations::forsaken(&farm.app.db, farm.now(), 1).await.unwrap().len(), 1);
    }
}
