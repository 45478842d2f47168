//! How a job stops running, and who may say so.

use chrono::{DateTime, Duration, Utc};
use framefarm_api::db::job;
use framefarm_api::db::job::JobRow;
use framefarm_api::db::job::end::{Guard, JobEnd};
use framefarm_api::db::job::renew::Holder;
use framefarm_api::db::workers;
use framefarm_api::testing::Farm;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::state::{JobStatus, Step};
use serde_json::json;

use super::dump;
use super::world::{INSTANT, a_job, a_running_job, a_worker, an_ended_job, claimed, ended_as, holder, left};

/// Whether the claim ended; if it did not, nothing changed.
async fn ends(farm: &Farm, job: &JobRow, fence: i64, guard: Guard) -> bool {
    let before = dump(farm).await;
    let job_end = ended_as(JobStatus::Pending, farm.now());
    let ended = commit!(farm, |tx| job::end::end_if(tx, job.id, fence, guard, &job_end)).is_some();
    assert_eq!(ended, dump(farm).await != before);
    ended
}

async fn suspected(farm: &Farm, now: DateTime<Utc>, cap: DateTime<Utc>) -> usize {
    job::end::abandoned(&farm.app.db, now, cap, 0).await.unwrap().len()
}

framefarm_api::on_both_engines! {
    async fn a_completed_job_keeps_its_results_and_no_error(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        left(&farm, &job, JobStatus::Failed).await;
        commit!(farm, |tx| job::retry_if_ended(tx, job.id, farm.now()));
        let job = claimed(&farm, job.id, &worker).await;
        farm.wait(INSTANT);
        let results = json!({ "renditions": [{ "name": "größe", "bytes": i64::MAX, "rate": 0.1 }], "none": null });
        let job_end = JobEnd { results: Some(results.clone()), ..ended_as(JobStatus::Completed, farm.now()) };
        let guard = Guard::from(holder(&farm, &job));
        let done = commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, guard, &job_end)).unwrap();
        assert_eq!((done.status, done.finished_at), (JobStatus::Completed, Some(farm.now())));
        assert_eq!((done.claimed_at, done.claim_expires_at, done.worker_id), (None, None, None));
        assert_eq!((done.error, done.error_class, done.current_step), (None, None, Some(Step::Finalize)));
        assert!((done.progress_percent - 100.0).abs() < f64::EPSILON);
        assert_eq!(done.results.map(|json| json.0), Some(results));
        assert_eq!(done.processed_by_worker_id, Some(worker.id));
    }

    async fn a_job_that_goes_back_waits_for_its_time_at_its_place(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let (due, place) = (farm.now() + Duration::seconds(30), DateTime::UNIX_EPOCH);
        let error = Some((ErrorClass::Encoder, "NVENC ☠".to_owned()));
        let job_end = JobEnd {
            retry_after: Some(due), sort_at: Some(place), error, failures: 1, losses: 2, refund: 1,
            ..JobEnd::to(JobStatus::Pending, farm.now())
        };
        let back = commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end)).unwrap();
        assert_eq!((back.status, back.finished_at, back.current_step), (JobStatus::Pending, None, None));
        assert_eq!((back.retry_after, back.claimable_at, back.sort_at), (Some(due), due, place));
        assert_eq!((back.failure_count, back.lost_count, back.encoder_failures), (1, 2, 1));
        assert_eq!((back.attempt_number, back.fence), (0, job.fence));
        assert_eq!((back.error_class, back.error.as_deref()), (Some(ErrorClass::Encoder), Some("NVENC ☠")));
    }

    async fn what_is_not_said_stays_as_it_was(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let error = Some((ErrorClass::Storage, "full".to_owned()));
        let job_end = JobEnd { error, ..ended_as(JobStatus::Pending, farm.now()) };
        commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end));
        farm.wait(INSTANT);
        let again = left(&farm, &claimed(&farm, job.id, &worker).await, JobStatus::Cancelled).await;
        assert_eq!((again.error_class, again.error.as_deref()), (Some(ErrorClass::Storage), Some("full")));
        assert_eq!((again.sort_at, again.claimable_at, again.retry_after), (job.sort_at, farm.now(), None));
        assert_eq!((again.failure_count, again.lost_count, again.encoder_failures), (0, 0, 0));
    }

    async fn the_holder_may_leave_until_the_instant_its_claim_expires(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let other = a_worker(&farm, "other").await;
        let end = job.claim_expires_at.unwrap();
        let held = |worker, now| Guard::Held { worker, now };
        assert!(!ends(&farm, &job, job.fence, held(worker.id, end)).await);
        assert!(!ends(&farm, &job, job.fence, held(other.id, farm.now())).await);
        assert!(!ends(&farm, &job, job.fence - 1, held(worker.id, farm.now())).await);
        assert!(ends(&farm, &job, job.fence, held(worker.id, end - INSTANT)).await);
        assert!(!ends(&farm, &job, job.fence, held(worker.id, farm.now())).await);
    }

    async fn only_the_holder_completes_and_only_while_its_claim_lives(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let (other, by) = (a_worker(&farm, "other").await.id, holder(&farm, &job));
        for late in [
            Holder { now: job.claim_expires_at.unwrap(), ..by },
            Holder { worker: other, ..by },
            Holder { fence: by.fence - 1, ..by },
        ] {
            assert!(unchanged!(farm, |tx| job::end::complete(tx, late, None, "late")).is_none());
        }
        let results = Some(json!({ "tracks": 1 }));
        let done = commit!(farm, |tx| job::end::complete(tx, by, results.clone(), "in time")).unwrap();
        assert_eq!((done.job.status, done.job.results.map(|json| json.0)), (JobStatus::Completed, results));
        assert!(unchanged!(farm, |tx| job::end::complete(tx, by, None, "twice")).is_none());
    }

    async fn the_reaper_ends_an_expired_claim_of_a_worker_that_is_gone(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let end = job.claim_expires_at.unwrap();
        let abandoned = |now, cap| Guard::Abandoned { now, cap };
        assert_eq!(suspected(&farm, end, end - INSTANT).await, 0, "its worker is there");
        assert!(!ends(&farm, &job, job.fence, abandoned(end, end - INSTANT)).await);
        commit!(farm, |tx| workers::disable(tx, worker.id));
        assert_eq!(suspected(&farm, end - INSTANT, end - INSTANT).await, 0, "not expired");
        assert!(!ends(&farm, &job, job.fence, abandoned(end - INSTANT, end - INSTANT)).await);
        assert_eq!(suspected(&farm, end, end - INSTANT).await, 1);
        assert!(!ends(&farm, &job, job.fence + 1, abandoned(end, end - INSTANT)).await);
        assert!(ends(&farm, &job, job.fence, abandoned(end, end - INSTANT)).await);
        assert_eq!(suspected(&farm, end, end).await, 0);
    }

    async fn the_reaper_ends_a_claim_expired_by_the_cap_whatever_its_worker(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let end = job.claim_expires_at.unwrap();
        assert_eq!(suspected(&farm, end + INSTANT, end).await, 1);
        assert!(ends(&farm, &job, job.fence, Guard::Abandoned { now: end + INSTANT, cap: end }).await);
    }

    async fn the_claim_of_a_deleted_worker_is_abandoned_when_it_expires(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| workers::delete(tx, worker.id));
        let end = job.claim_expires_at.unwrap();
        let found = job::end::abandoned(&farm.app.db, end, end - INSTANT, 0).await.unwrap();
        assert_eq!((found[0].id, found[0].fence, found[0].worker_id), (job.id, job.fence, None));
        assert_eq!((found[0].lost_count, found[0].max_lost), (0, 3));
        assert_eq!((found[0].failure_count, found[0].max_attempts), (0, 3));
        assert!(ends(&farm, &job, job.fence, Guard::Abandoned { now: end, cap: end - INSTANT }).await);
    }

    async fn the_watchdog_ends_what_did_not_move_since_an_instant(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let moved = job.progressed_at.unwrap();
        assert!(job::end::stalled(&farm.app.db, moved - INSTANT, 0).await.unwrap().is_empty());
        assert!(!ends(&farm, &job, job.fence, Guard::Stalled { since: moved - INSTANT }).await);
        let found = job::end::stalled(&farm.app.db, moved, 0).await.unwrap();
        assert_eq!((found[0].id, found[0].worker_id), (job.id, job.worker_id));
        assert!(ends(&farm, &job, job.fence, Guard::Stalled { since: moved }).await);
        assert!(job::end::stalled(&farm.app.db, moved, 0).await.unwrap().is_empty());
    }

    async fn a_job_that_does_not_run_cannot_leave(farm: Farm) {
        for status in [JobStatus::Completed, JobStatus::Failed, JobStatus::Cancelled, JobStatus::Pending] {
            let job = an_ended_job(&farm, "clip", status).await;
            assert!(!ends(&farm, &job, job.fence, Guard::Whatever).await, "{status}");
        }
    }

    async fn what_a_worker_holds_is_read_in_the_order_of_numbers(farm: Farm) {
        let (one, worker) = a_running_job(&farm, "one").await;
        let (other, _) = a_running_job(&farm, "other").await;
        let two = claimed(&farm, a_job(&farm, "two").await.id, &worker).await;
        let gone = claimed(&farm, a_job(&farm, "gone").await.id, &worker).await;
        left(&farm, &gone, JobStatus::Completed).await;
        let held = unchanged!(farm, |tx| job::end::held_by(tx, worker.id));
        assert_eq!(held.iter().map(|job| job.id).collect::<Vec<_>>(), [one.id, two.id]);
        assert_eq!(unchanged!(farm, |tx| job::end::held_by(tx, other.worker_id.unwrap())).len(), 1);
    }
}
