//! A database that was put back to an earlier state.

use framefarm_api::db::events::{self, Event};
use framefarm_api::db::{leader, restored, uploads};
use framefarm_api::testing::Farm;
use framefarm_shared::id::{BootId, UploadId, VideoId};
use framefarm_shared::wire::event::EventKind;

use super::world::{INSTANT, a_job, a_ready_video, a_running_job};

async fn event(farm: &Farm) -> i64 {
    commit!(farm, |tx| events::append(tx, Event::new(EventKind::QueueChanged, "test"), farm.now()));
    events::range(&farm.app.db).await.unwrap().unwrap().1
}

framefarm_api::on_both_engines! {
    async fn every_fence_rises_above_the_base_and_above_itself(farm: Farm) {
        let (running, _) = a_running_job(&farm, "running").await;
        let waiting = a_job(&farm, "waiting").await;
        let listed = commit!(farm, |tx| restored::running(tx));
        assert_eq!(listed.iter().map(|job| job.id).collect::<Vec<_>>(), [running.id]);
        for (base, expected) in [(1_000, 1_000), (2_000, 2_000), (2_000, 1_002_000), (1, 2_002_000)] {
            assert_eq!(commit!(farm, |tx| restored::raise_fences(tx, base)), 2);
            for id in [running.id, waiting.id] {
                assert_eq!(farm.job(id).await.fence, expected);
            }
        }
    }

    async fn numbers_of_events_and_jobs_are_skipped(farm: Farm) {
        let (first, job) = (event(&farm).await, a_job(&farm, "clip").await);
        commit!(farm, |tx| restored::raise_event_ids(tx, 5_000_000));
        assert_eq!(event(&farm).await, 5_000_001);
        commit!(farm, |tx| restored::raise_event_ids(tx, 7));
        assert!((6_000_002..6_000_010).contains(&event(&farm).await));
        assert!(events::is_known(&farm.app.db, first).await.unwrap());
        assert!(!events::is_known(&farm.app.db, first + 1).await.unwrap());
        commit!(farm, |tx| restored::skip_job_numbers(tx, 1_000));
        let next = a_job(&farm, "next").await.number - job.number;
        assert!((1_001..1_010).contains(&next), "{next}");
    }

    async fn open_uploads_are_dropped_and_nobody_leads(farm: Farm) {
        let new = UploadId::new(&farm.clock);
        commit!(farm, |tx| uploads::insert(tx, new, 10, "", &uploads::UploadRequest::default(), farm.now(), farm.now()));
        let until = farm.now() + INSTANT;
        commit!(farm, |tx| leader::lead_if_free_or_mine(tx, "test", BootId::new(&farm.clock), farm.now(), until));
        assert!(restored::is_led(&farm.app.db, farm.now()).await.unwrap());
        assert!(!restored::is_led(&farm.app.db, until).await.unwrap());
        commit!(farm, |tx| restored::forget_leaders(tx));
        assert!(!restored::is_led(&farm.app.db, farm.now()).await.unwrap());
        assert_eq!(commit!(farm, |tx| restored::drop_open_uploads(tx)), 1);
        assert_eq!(unchanged!(farm, |tx| restored::drop_open_uploads(tx)), 0);
    }

    async fn all_videos_are_visited_once(farm: Farm) {
        let mut all = Vec::new();
        for _ in 0..5 {
            all.push(a_ready_video(&farm, "clip").await.id);
        }
        all.sort_unstable();
        let (mut seen, mut after) = (Vec::new(), VideoId(uuid::Uuid::nil()));
        while let Some(page) = Some(restored::videos_after(&farm.app.db, after, 2).await.unwrap()).filter(|p| !p.is_empty()) {
            seen.extend(page.iter().map(|video| video.id));
            after = seen[seen.len() - 1];
        }
        assert_eq!(seen, all);
        assert!(restored::schema(&farm.app.db).await.unwrap() >= 9);
    }
}
