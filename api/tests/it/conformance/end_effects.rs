//! What the end of a claim writes beside its job.

use framefarm_api::db::events::{self, Event};
use framefarm_api::db::job::JobRow;
use framefarm_api::db::job::end::{Guard, JobEnd};
use framefarm_api::db::job::end_effects::AttemptEnd;
use framefarm_api::db::workers::WorkerRow;
use framefarm_api::db::{job, workers};
use framefarm_api::testing::Farm;
use framefarm_shared::id::BootId;
use framefarm_shared::state::{AttemptOutcome, JobStatus, WorkerStatus};
use framefarm_shared::wire::event::EventKind;

use super::world::{INSTANT, a_running_job};

/// A job that was granted and has left.
async fn a_job_that_left(farm: &Farm) -> (JobRow, WorkerRow) {
    let (job, worker) = a_running_job(farm, "clip").await;
    let (event, boot) = (claimed(&job), BootId::new(&farm.clock));
    commit!(farm, |tx| job::claim_effects::record_unless_disabled(
        tx,
        &job,
        &worker,
        boot,
        event,
        farm.now()
    ));
    farm.wait(INSTANT);
    let job_end = JobEnd::to(JobStatus::Completed, farm.now());
    commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end));
    (job, worker)
}

fn claimed(job: &JobRow) -> Event {
    Event::of_job(EventKind::JobClaimed, "w", job)
}

fn end<'a>(farm: &Farm, job: &JobRow) -> AttemptEnd<'a> {
    let event = Event::of_job(EventKind::JobFailed, "wörker", job).because("no space");
    AttemptEnd {
        fence: job.fence,
        outcome: AttemptOutcome::Failed,
        error: Some(("storage", "plein")),
        event,
        now: farm.now(),
    }
}

framefarm_api::on_both_engines! {
    async fn a_departure_ends_the_attempt_frees_the_worker_and_is_told(farm: Farm) {
        let (job, worker) = a_job_that_left(&farm).await;
        let end = end(&farm, &job);
        let told = end.event.clone();
        commit!(farm, |tx| job::end_effects::record(tx, end));
        let attempt = commit!(farm, |tx| job::attempts::get(tx, job.id, job.fence)).unwrap();
        assert_eq!((attempt.ended_at, attempt.outcome), (Some(farm.now()), Some(AttemptOutcome::Failed)));
        assert_eq!((attempt.error_class.as_deref(), attempt.error.as_deref()), (Some("storage"), Some("plein")));
        let row = farm.worker_row(worker.id).await;
        assert_eq!((row.status, row.current_job_id), (WorkerStatus::Idle, None));
        let row = events::of_job(&farm.app.db, job.id).await.unwrap().pop().unwrap();
        assert_eq!((row.at, row.kind, row.actor.as_str()), (farm.now(), EventKind::JobFailed, "wörker"));
        assert_eq!((row.video_id, row.job_id, row.worker_id), (Some(job.video_id), Some(job.id), told.worker_id));
        assert_eq!((row.reason.as_deref(), row.data.map(|data| data.0)), (Some("no space"), told.data));
        farm.app.db.event_appended().await;
    }

    async fn a_departure_of_nobody_leaves_workers_alone(farm: Farm) {
        let (job, worker) = a_job_that_left(&farm).await;
        let mut end = end(&farm, &job);
        end.event.worker_id = None;
        commit!(farm, |tx| job::end_effects::record(tx, end));
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Busy);
    }

    async fn a_disabled_worker_is_not_made_idle_by_a_departure(farm: Farm) {
        let (job, worker) = a_job_that_left(&farm).await;
        commit!(farm, |tx| workers::disable(tx, worker.id));
        let end = end(&farm, &job);
        commit!(farm, |tx| job::end_effects::record(tx, end));
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Disabled);
    }
}
