//! Table `attempt`.

use chrono::Duration;
use framefarm_api::db::job;
use framefarm_shared::state::AttemptOutcome;
use sqlx::error::ErrorKind;

use super::world::{a_running_job, a_worker};

framefarm_api::on_both_engines! {
    async fn an_attempt_is_begun_once_for_each_fence(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| job::attempts::begin(tx, &job, worker.id, &worker.name, farm.now()));
        let attempt = commit!(farm, |tx| job::attempts::get(tx, job.id, job.fence)).unwrap();
        assert_eq!((attempt.job_id, attempt.fence, attempt.number), (job.id, 1, 1));
        assert_eq!((attempt.worker_id, attempt.worker_name.as_str()), (worker.id, "clip"));
        assert_eq!((attempt.started_at, attempt.ended_at), (farm.now(), None));
        assert_eq!((attempt.outcome, attempt.error_class, attempt.error), (None, None, None));
        let twice = refused!(farm, |tx| job::attempts::begin(tx, &job, worker.id, &worker.name, farm.now()));
        assert_eq!(twice, ErrorKind::UniqueViolation);
    }

    async fn there_is_no_attempt_of_a_fence_that_was_never_granted(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| job::attempts::begin(tx, &job, worker.id, &worker.name, farm.now()));
        assert!(commit!(farm, |tx| job::attempts::get(tx, job.id, job.fence + 1)).is_none());
    }

    async fn a_log_is_kept_with_an_attempt_that_has_ended(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| job::attempts::begin(tx, &job, worker.id, &worker.name, farm.now()));
        unchanged!(farm, |tx| job::attempts::keep_log(tx, job.id, job.fence, "too early"));
        commit!(farm, |tx| job::attempts::end(tx, job.id, job.fence, AttemptOutcome::Failed, None, farm.now()));
        unchanged!(farm, |tx| job::attempts::keep_log(tx, job.id, job.fence + 1, "of nobody"));
        commit!(farm, |tx| job::attempts::keep_log(tx, job.id, job.fence, "last words"));
        let attempt = commit!(farm, |tx| job::attempts::get(tx, job.id, job.fence)).unwrap();
        assert_eq!(attempt.log.as_deref(), Some("last words"));
    }

    async fn the_outcome_is_written_once(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| job::attempts::begin(tx, &job, worker.id, &worker.name, farm.now()));
        farm.wait(Duration::microseconds(1));
        let error = Some(("transfer", "connexion coupée"));
        commit!(farm, |tx| job::attempts::end(tx, job.id, job.fence, AttemptOutcome::Failed, error, farm.now()));
        let attempt = commit!(farm, |tx| job::attempts::get(tx, job.id, job.fence)).unwrap();
        assert_eq!(attempt.ended_at, Some(farm.now()));
        assert_eq!(attempt.outcome, Some(AttemptOutcome::Failed));
        assert_eq!(attempt.error_class.as_deref(), Some("transfer"));
        assert_eq!(attempt.error.as_deref(), Some("connexion coupée"));
        unchanged!(farm, |tx| job::attempts::end(tx, job.id, job.fence, AttemptOutcome::Completed, None, farm.now()));
        unchanged!(farm, |tx| job::attempts::end(tx, job.id, job.fence + 1, AttemptOutcome::Completed, None, farm.now()));
    }

    async fn the_attempts_of_a_job_are_listed_by_fence(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        for fence in [3, 1, 2] {
            let mut granted = job.clone();
            granted.fence = fence;
            commit!(farm, |tx| job::attempts::begin(tx, &granted, worker.id, &worker.name, farm.now()));
        }
        let (other, _) = a_running_job(&farm, "another").await;
        commit!(farm, |tx| job::attempts::begin(tx, &other, worker.id, &worker.name, farm.now()));
        let fences: Vec<i64> =
            job::attempts::of_job(&farm.app.db, job.id).await.unwrap().iter().map(|a| a.fence).collect();
        assert_eq!(fences, [1, 2, 3]);
    }

    async fn who_once_held_a_job_is_known_after_the_attempt_ended(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let stranger = a_worker(&farm, "stranger").await;
        commit!(farm, |tx| job::attempts::begin(tx, &job, worker.id, &worker.name, farm.now()));
        commit!(farm, |tx| job::attempts::end(tx, job.id, job.fence, AttemptOutcome::Lost, None, farm.now()));
        assert!(commit!(farm, |tx| job::attempts::ever_held(tx, job.id, worker.id)));
        assert!(!commit!(farm, |tx| job::attempts::ever_held(tx, job.id, stranger.id)));
    }
}
