//! What a granted claim writes beside its job.

use framefarm_api::db::events::{self, Event};
use framefarm_api::db::{job, workers};
use framefarm_shared::id::BootId;
use framefarm_shared::state::WorkerStatus;
use framefarm_shared::wire::event::EventKind;
use serde_json::json;

use super::world::{INSTANT, a_running_job};

framefarm_api::on_both_engines! {
    async fn a_grant_makes_its_worker_busy_begins_an_attempt_and_is_told(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        farm.wait(INSTANT);
        let boot = BootId::new(&farm.clock);
        let event = Event::of_job(EventKind::JobClaimed, "wörker", &job).because("attempt 1");
        let told = event.clone();
        assert!(commit!(farm, |tx| job::claim_effects::record_unless_disabled(tx, &job, &worker, boot, event, farm.now())));
        let row = farm.worker_row(worker.id).await;
        assert_eq!((row.status, row.current_job_id, row.boot_id), (WorkerStatus::Busy, Some(job.id), Some(boot)));
        let attempt = commit!(farm, |tx| job::attempts::get(tx, job.id, job.fence)).unwrap();
        assert_eq!((attempt.number, attempt.worker_id), (job.attempt_number, worker.id));
        assert_eq!((attempt.worker_name.as_str(), attempt.started_at), (worker.name.as_str(), farm.now()));
        assert_eq!((attempt.ended_at, attempt.outcome), (None, None));
        let row = events::of_job(&farm.app.db, job.id).await.unwrap().pop().unwrap();
        assert_eq!((row.at, row.kind, row.actor.as_str()), (farm.now(), EventKind::JobClaimed, "wörker"));
        assert_eq!((row.video_id, row.job_id, row.worker_id), (Some(job.video_id), Some(job.id), Some(worker.id)));
        assert_eq!((row.reason.as_deref(), row.data.map(|data| data.0)), (Some("attempt 1"), told.data));
        farm.app.db.event_appended().await;
    }

    async fn a_disabled_worker_is_granted_nothing(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| workers::disable(tx, worker.id));
        let event = Event::of_job(EventKind::JobClaimed, "w", &job).with(json!({}));
        let boot = BootId::new(&farm.clock);
        assert!(!unchanged!(farm, |tx| job::claim_effects::record_unless_disabled(tx, &job, &worker, boot, event, farm.now())));
    }
}
