//! What the holder of a job may do to it while it runs.

use chrono::Duration;
use framefarm_api::db::job;
use framefarm_api::db::job::JobRow;
use framefarm_api::db::job::renew::{Holder, Reached};
use framefarm_api::testing::Farm;
use framefarm_shared::state::{JobStatus, Step};
use framefarm_shared::wire::worker_api::HeldJob;
use sqlx::error::ErrorKind;

use super::world::{INSTANT, a_job, a_running_job, a_worker, claimed, holder, left};

fn held(job: &JobRow) -> HeldJob {
    HeldJob { job_id: job.id, fence: job.fence }
}

/// Everyone who does not hold the job: another worker, an old and a coming fence, and the holder from the instant
/// its claim expired.
async fn strangers(farm: &Farm, job: &JobRow) -> Vec<Holder> {
    let (by, other) = (holder(farm, job), a_worker(farm, "stranger").await);
    vec![
        Holder { worker: other.id, ..by },
        Holder { fence: by.fence - 1, ..by },
        Holder { fence: by.fence + 1, ..by },
        Holder { now: job.claim_expires_at.unwrap(), ..by },
    ]
}

fn reached(step: Step, percent: f64) -> Reached {
    Reached { step, percent, eta_seconds: None }
}

framefarm_api::on_both_engines! {
    async fn a_heartbeat_renews_every_live_claim_among_those_it_names(farm: Farm) {
        let (one, worker) = a_running_job(&farm, "one").await;
        let two = claimed(&farm, a_job(&farm, "two").await.id, &worker).await;
        let unnamed = claimed(&farm, a_job(&farm, "unnamed").await.id, &worker).await;
        let (foreign, _) = a_running_job(&farm, "foreign").await;
        farm.wait(INSTANT);
        let until = farm.now() + Duration::hours(1);
        let old_fence = HeldJob { fence: two.fence - 1, ..held(&two) };
        let named = [held(&one), held(&two), held(&one), old_fence, held(&foreign)];
        let mut renewed =
            commit!(farm, |tx| job::renew::renew_if_held(tx, worker.id, &named, farm.now(), until));
        renewed.sort_by_key(|job| job.job_id != one.id);
        assert_eq!(renewed, [held(&one), held(&two)]);
        assert_eq!(farm.job(one.id).await.claim_expires_at, Some(until));
        for job in [unnamed, foreign] {
            assert_eq!(farm.job(job.id).await.claim_expires_at, job.claim_expires_at);
        }
    }

    async fn what_a_worker_holds_is_locked_in_the_order_of_numbers(farm: Farm) {
        let (one, worker) = a_running_job(&farm, "one").await;
        let (other, _) = a_running_job(&farm, "other").await;
        let two = claimed(&farm, a_job(&farm, "two").await.id, &worker).await;
        let gone = claimed(&farm, a_job(&farm, "gone").await.id, &worker).await;
        left(&farm, &gone, JobStatus::Completed).await;
        let claims = unchanged!(farm, |tx| job::renew::claims_of(tx, worker.id));
        let found: Vec<_> = claims.iter().map(|claim| (claim.id, claim.fence, claim.claimed_at)).collect();
        assert_eq!(found, [&one, &two].map(|job| (job.id, job.fence, job.claimed_at)));
        assert_eq!(unchanged!(farm, |tx| job::renew::claims_of(tx, other.worker_id.unwrap())).len(), 1);
    }

    async fn a_claim_is_not_renewed_from_the_instant_it_expired(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let (end, named) = (job.claim_expires_at.unwrap(), [held(&job)]);
        let until = end + Duration::hours(1);
        assert!(unchanged!(farm, |tx| job::renew::renew_if_held(tx, worker.id, &named, end, until)).is_empty());
        assert!(unchanged!(farm, |tx| job::renew::renew_if_held(tx, worker.id, &[], farm.now(), until)).is_empty());
        let just = end - INSTANT;
        assert_eq!(commit!(farm, |tx| job::renew::renew_if_held(tx, worker.id, &named, just, until)), named);
        left(&farm, &job, JobStatus::Pending).await;
        assert!(unchanged!(farm, |tx| job::renew::renew_if_held(tx, worker.id, &named, just, until)).is_empty());
    }

    async fn the_watermark_moves_only_when_something_moved(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let mut moved = Vec::new();
        for (step, percent) in [
            (Step::Transcode, 10.0), (Step::Transcode, 10.0), (Step::Transcode, 5.0), (Step::Transcode, 10.5),
            (Step::Finalize, 10.5),
        ] {
            farm.wait(INSTANT);
            let (by, until) = (holder(&farm, &job), farm.now() + Duration::minutes(30));
            let row = commit!(farm, |tx| job::renew::progress_if_held(tx, by, until, reached(step, percent))).unwrap();
            assert_eq!((row.last_checkpoint, row.claim_expires_at), (Some(farm.now()), Some(until)));
            assert_eq!(row.current_step, Some(step));
            moved.push((row.progressed_at == Some(farm.now()), row.progress_percent));
        }
        assert_eq!(moved, [(true, 10.0), (false, 10.0), (false, 10.0), (true, 10.5), (true, 10.5)]);
    }

    async fn progress_is_a_share_of_a_hundred(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let (by, until) = (holder(&farm, &job), farm.now() + INSTANT);
        let kind = refused!(farm, |tx| job::renew::progress_if_held(tx, by, until, reached(Step::Transcode, 100.5)));
        assert_eq!(kind, ErrorKind::CheckViolation);
        let row = commit!(farm, |tx| job::renew::progress_if_held(tx, by, until, reached(Step::Transcode, 100.0)));
        assert!(row.is_some());
    }

    async fn the_time_left_is_what_was_told_last_and_ends_with_the_claim(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let (by, until) = (holder(&farm, &job), farm.now() + Duration::minutes(30));
        for eta_seconds in [Some(90.5), None, Some(0.0), Some(12.0)] {
            let told = Reached { eta_seconds, ..reached(Step::Transcode, 1.0) };
            let row = commit!(farm, |tx| job::renew::progress_if_held(tx, by, until, told)).unwrap();
            assert_eq!(row.eta_seconds, eta_seconds);
        }
        let negative = Reached { eta_seconds: Some(-1.0), ..reached(Step::Transcode, 1.0) };
        let kind = refused!(farm, |tx| job::renew::progress_if_held(tx, by, until, negative));
        assert_eq!(kind, ErrorKind::CheckViolation);
        assert_eq!(left(&farm, &job, JobStatus::Pending).await.eta_seconds, None);
        assert_eq!(claimed(&farm, job.id, &worker).await.eta_seconds, None);
    }

    async fn a_touch_renews_and_counts_as_progress(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        farm.wait(INSTANT);
        let (by, until) = (holder(&farm, &job), farm.now() + Duration::hours(1));
        let row = commit!(farm, |tx| job::renew::touch_if_held(tx, by, until)).unwrap();
        assert_eq!((row.claim_expires_at, row.last_checkpoint), (Some(until), Some(farm.now())));
        assert_eq!((row.progressed_at, row.fence), (Some(farm.now()), job.fence));
    }

    async fn nobody_but_the_holder_moves_or_reads_a_running_job(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let until = farm.now() + Duration::hours(1);
        for by in strangers(&farm, &job).await {
            assert!(unchanged!(farm, |tx| job::renew::touch_if_held(tx, by, until)).is_none(), "{by:?}");
            assert!(unchanged!(farm, |tx| job::renew::progress_if_held(tx, by, until, reached(Step::Probe, 1.0))).is_none());
            assert!(!job::renew::is_held(&farm.app.db, by).await.unwrap(), "{by:?}");
            assert!(!by.holds(&farm.job(job.id).await), "{by:?}");
        }
        let by = holder(&farm, &job);
        assert!(job::renew::is_held(&farm.app.db, by).await.unwrap());
        let just = Holder { now: job.claim_expires_at.unwrap() - INSTANT, ..by };
        assert!(job::renew::is_held(&farm.app.db, just).await.unwrap());
        left(&farm, &job, JobStatus::Completed).await;
        assert!(!job::renew::is_held(&farm.app.db, by).await.unwrap());
        assert!(unchanged!(farm, |tx| job::renew::touch_if_held(tx, by, until)).is_none());
    }

    async fn claims_are_alive_until_the_instant_they_expire(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        a_job(&farm, "waiting").await;
        let end = job.claim_expires_at.unwrap();
        assert!(commit!(farm, |tx| job::renew::alive_at(tx, end)).is_empty());
        let alive = commit!(farm, |tx| job::renew::alive_at(tx, end - INSTANT));
        assert_eq!((alive.len(), alive[0].id, alive[0].fence), (1, job.id, job.fence));
        assert_eq!((alive[0].claim_expires_at, alive[0].progressed_at), (end, job.progressed_at));
    }

    async fn a_claim_is_extended_unless_it_changed_meanwhile(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let outage = Duration::microseconds(1_234_567);
        let alive = commit!(farm, |tx| job::renew::alive_at(tx, farm.now()));
        assert!(commit!(farm, |tx| job::renew::extend_unless_changed(tx, &alive[0], outage)));
        let row = farm.job(job.id).await;
        assert_eq!(row.claim_expires_at, job.claim_expires_at.map(|at| at + outage));
        assert_eq!(row.progressed_at, job.progressed_at.map(|at| at + outage));
        assert!(!unchanged!(farm, |tx| job::renew::extend_unless_changed(tx, &alive[0], outage)), "renewed");
        let alive = commit!(farm, |tx| job::renew::alive_at(tx, farm.now()));
        left(&farm, &job, JobStatus::Pending).await;
        assert!(!unchanged!(farm, |tx| job::renew::extend_unless_changed(tx, &alive[0], outage)), "left");
    }

    async fn a_claim_that_is_not_named_is_noted_until_it_is(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let since = farm.now();
        commit!(farm, |tx| job::renew::note_absent(tx, job.id, job.fence, since));
        farm.wait(INSTANT);
        unchanged!(farm, |tx| job::renew::note_absent(tx, job.id, job.fence, farm.now()));
        assert_eq!(farm.job(job.id).await.absent_since, Some(since));
        let until = farm.now() + Duration::hours(1);
        commit!(farm, |tx| job::renew::renew_if_held(tx, worker.id, &[held(&job)], farm.now(), until));
        assert_eq!(farm.job(job.id).await.absent_since, None);
        unchanged!(farm, |tx| job::renew::note_absent(tx, job.id, job.fence + 1, farm.now()));
        left(&farm, &job, JobStatus::Cancelled).await;
        unchanged!(farm, |tx| job::renew::note_absent(tx, job.id, job.fence, farm.now()));
    }
}

/// A renewal that had to write to every index would be the largest part of what PostgreSQL does all day.
#[tokio::test]
async fn renewals_write_to_no_index() {
    const COUNTED: &str = "SELECT pg_stat_get_xact_tuples_updated('job'::regclass), \
         pg_stat_get_xact_tuples_hot_updated('job'::regclass)";
    let farm = Farm::postgres().await;
    let (job, _) = a_running_job(&farm, "clip").await;
    let by = holder(&farm, &job);
    let mut tx = farm.app.db.begin().await.unwrap();
    for round in 1..=3 {
        let until = farm.now() + Duration::minutes(round);
        job::renew::renew_if_held(&mut tx, by.worker, &[held(&job)], farm.now(), until).await.unwrap();
        let step = reached(Step::Transcode, f64::from(i32::try_from(round).unwrap()));
        job::renew::progress_if_held(&mut tx, by, until, step).await.unwrap();
        job::renew::touch_if_held(&mut tx, by, until).await.unwrap();
    }
    let framefarm_api::db::Engine::Postgres(conn) = tx.engine() else { unreachable!() };
    let (updated, hot): (i64, i64) = sqlx::query_as(COUNTED).fetch_one(conn).await.unwrap();
    assert_eq!((updated, hot), (9, 9));
}
