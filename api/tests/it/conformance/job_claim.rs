//! How a job becomes running.

use chrono::Duration;
use framefarm_api::db::job::end::{Guard, JobEnd};
use framefarm_api::db::job::renew::Reached;
use framefarm_api::db::job::{NewJob, Retranscode};
use framefarm_api::db::{Engine, job, videos};
use framefarm_api::dispatch::Hint;
use framefarm_api::testing::Farm;
use framefarm_shared::id::JobId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, Step};

use super::world::{
    INSTANT, a_job, a_ready_video, a_running_job, a_video, a_worker, claimed, claimer, ended_as, holder,
    job_of, left, new_job,
};

async fn next(farm: &Farm, kind: QueueType) -> Option<JobId> {
    let worker = a_worker(farm, "claimer").await;
    commit!(farm, |tx| job::claim::claim_next(tx, claimer(farm, &worker), kind, farm.now(), false))
        .map(|job| job.id)
}

framefarm_api::on_both_engines! {
    async fn a_grant_writes_every_field_of_the_claim(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        let worker = a_worker(&farm, "wörker").await;
        farm.wait(INSTANT);
        let by = claimer(&farm, &worker);
        let got = commit!(farm, |tx| job::claim::claim_next(tx, by, QueueType::Transcode, farm.now(), false)).unwrap();
        assert_eq!((got.id, got.status, got.fence), (job.id, JobStatus::Running, 1));
        assert_eq!((got.worker_id, got.claimed_at), (Some(worker.id), Some(farm.now())));
        assert_eq!(got.claim_expires_at, Some(by.expires));
        assert_eq!((got.attempt_number, got.attempt_started_at), (1, Some(farm.now())));
        assert_eq!((got.started_at, got.progressed_at), (Some(farm.now()), Some(farm.now())));
        assert_eq!(got.processed_by_worker_id, Some(worker.id));
        assert_eq!(got.processed_by_worker_name.as_deref(), Some("wörker"));
        assert!(unchanged!(farm, |tx| job::claim::claim_next(tx, by, QueueType::Transcode, farm.now(), false)).is_none());
    }

    async fn a_second_grant_forgets_the_liveness_of_the_first_run(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let by = holder(&farm, &job);
        let reached = Reached { step: Step::Transcode, percent: 40.0, eta_seconds: Some(60.0) };
        commit!(farm, |tx| job::renew::progress_if_held(tx, by, farm.now() + INSTANT, reached));
        left(&farm, &job, JobStatus::Pending).await;
        farm.wait(Duration::minutes(1));
        let again = claimed(&farm, job.id, &worker).await;
        assert_eq!((again.fence, again.attempt_number), (2, 2));
        assert_eq!((again.last_checkpoint, again.current_step), (None, None));
        assert!(again.progress_percent.abs() < f64::EPSILON);
        assert_eq!((again.started_at, again.progressed_at), (job.started_at, Some(farm.now())));
    }

    async fn a_claim_takes_one_job_whatever_the_planner_does(farm: Farm) {
        for title in ["one", "two", "three", "four", "five"] {
            a_job(&farm, title).await;
        }
        let worker = a_worker(&farm, "w1").await;
        let mut tx = farm.app.db.begin().await.unwrap();
        if let Engine::Postgres(conn) = tx.engine() {
            // What is left is a nested loop that asks the subquery again for each job, if it may.
            let plain = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_sort = off; \
                SET LOCAL enable_hashagg = off; SET LOCAL enable_material = off; SET LOCAL enable_memoize = off";
            sqlx::raw_sql(plain).execute(conn).await.unwrap();
        }
        let by = claimer(&farm, &worker);
        assert!(job::claim::claim_next(&mut tx, by, QueueType::Transcode, farm.now(), false).await.unwrap().is_some());
        assert_eq!(job::claim::count_running(&mut tx, QueueType::Transcode).await.unwrap(), 1);
    }

    async fn a_claim_takes_only_its_own_kind(farm: Farm) {
        let video = a_ready_video(&farm, "clip").await;
        let preview = job_of(&farm, &video, QueueType::Preview).await;
        for kind in [QueueType::Transcode, QueueType::Captions] {
            assert_eq!(next(&farm, kind).await, None);
        }
        assert_eq!(next(&farm, QueueType::Preview).await, Some(preview.id));
    }

    async fn a_job_may_be_claimed_from_the_instant_it_is_claimable(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        let worker = a_worker(&farm, "w1").await;
        let (by, early) = (claimer(&farm, &worker), farm.now() - INSTANT);
        assert!(unchanged!(farm, |tx| job::claim::claim_next(tx, by, QueueType::Transcode, early, false)).is_none());
        assert!(unchanged!(farm, |tx| job::claim::claim_this(tx, by, job.id, early)).is_none());
        assert!(commit!(farm, |tx| job::claim::claim_this(tx, by, job.id, farm.now())).is_some());
        assert!(unchanged!(farm, |tx| job::claim::claim_this(tx, by, job.id, farm.now())).is_none());
    }

    async fn only_videos_that_wait_or_play_give_jobs(farm: Farm) {
        let deleted = a_job(&farm, "deleted").await;
        commit!(farm, |tx| videos::delete_softly(tx, deleted.video_id, farm.now()));
        let processing = a_job(&farm, "processing").await;
        commit!(farm, |tx| videos::begin_if_pending(tx, processing.video_id));
        let failed = a_job(&farm, "failed").await;
        commit!(farm, |tx| videos::fail_if_unpublished(tx, failed.video_id, "no"));
        let ready = a_ready_video(&farm, "ready").await;
        let plain = job_of(&farm, &ready, QueueType::Transcode).await;
        let worker = a_worker(&farm, "w1").await;
        let by = claimer(&farm, &worker);
        assert!(unchanged!(farm, |tx| job::claim::claim_next(tx, by, QueueType::Transcode, farm.now(), false)).is_none());
        for id in [deleted.id, processing.id, failed.id, plain.id] {
            assert!(unchanged!(farm, |tx| job::claim::claim_this(tx, by, id, farm.now())).is_none());
        }
    }

    async fn a_video_that_plays_gives_its_re_transcode(farm: Farm) {
        let video = a_ready_video(&farm, "clip").await;
        let request =
            Retranscode { retranscode_all: true, qualities: vec![], delete_captions: false, cleanup_on_claim: false };
        let new = NewJob { retranscode: Some(request), generation: 2, ..new_job(&farm, &video, QueueType::Transcode) };
        let job = commit!(farm, |tx| job::insert_unless_live(tx, new, farm.now())).unwrap();
        assert_eq!(next(&farm, QueueType::Transcode).await, Some(job.id));
    }

    async fn a_waiting_retry_is_promoted_at_its_instant_and_not_before(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let due = farm.now() + Duration::seconds(30);
        let job_end = JobEnd { retry_after: Some(due), ..ended_as(JobStatus::Pending, farm.now()) };
        commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end));
        farm.wait(Duration::hours(1));
        let by = claimer(&farm, &worker);
        assert!(unchanged!(farm, |tx| job::claim::claim_next(tx, by, QueueType::Transcode, farm.now(), false)).is_none());
        assert!(!commit!(farm, |tx| job::claim::any_claimable(tx, QueueType::Transcode)));
        assert_eq!(unchanged!(farm, |tx| job::claim::promote_due(tx, due - INSTANT)), 0);
        assert_eq!(commit!(farm, |tx| job::claim::promote_due(tx, due)), 1);
        assert!(commit!(farm, |tx| job::claim::any_claimable(tx, QueueType::Transcode)));
        assert_eq!(farm.job(job.id).await.claimable_at, due);
        assert_eq!(next(&farm, QueueType::Transcode).await, Some(job.id));
    }

    async fn many_due_retries_are_promoted_by_the_hundred(farm: Farm) {
        let worker = a_worker(&farm, "w1").await;
        for _ in 0..101 {
            let job = claimed(&farm, a_job(&farm, "clip").await.id, &worker).await;
            let job_end = JobEnd { retry_after: Some(farm.now()), ..ended_as(JobStatus::Pending, farm.now()) };
            commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end));
        }
        assert_eq!(commit!(farm, |tx| job::claim::promote_due(tx, farm.now())), 100);
        assert_eq!(commit!(farm, |tx| job::claim::promote_due(tx, farm.now())), 1);
        assert_eq!(commit!(farm, |tx| job::claim::promote_due(tx, farm.now())), 0);
    }

    async fn the_holder_takes_its_own_claim_again_from_the_instant_it_expired(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let other = a_worker(&farm, "other").await;
        farm.wait(job.claim_expires_at.unwrap() - farm.now() - INSTANT);
        let by = claimer(&farm, &worker);
        assert!(unchanged!(farm, |tx| job::claim::reclaim_own_expired(tx, by, job.id)).is_none());
        farm.wait(INSTANT);
        let stranger = claimer(&farm, &other);
        assert!(unchanged!(farm, |tx| job::claim::reclaim_own_expired(tx, stranger, job.id)).is_none());
        let by = claimer(&farm, &worker);
        let again = commit!(farm, |tx| job::claim::reclaim_own_expired(tx, by, job.id)).unwrap();
        assert_eq!((again.fence, again.claim_expires_at), (job.fence + 1, Some(by.expires)));
        left(&farm, &again, JobStatus::Pending).await;
        farm.wait(Duration::hours(1));
        let by = claimer(&farm, &worker);
        assert!(unchanged!(farm, |tx| job::claim::reclaim_own_expired(tx, by, job.id)).is_none());
    }

    async fn running_jobs_are_counted_by_kind(farm: Farm) {
        let (_, worker) = a_running_job(&farm, "one").await;
        a_running_job(&farm, "two").await;
        a_job(&farm, "waiting").await;
        let video = a_video(&farm, "three").await;
        let preview = job_of(&farm, &video, QueueType::Preview).await;
        assert!(commit!(farm, |tx| job::claim::any_claimable(tx, QueueType::Preview)));
        claimed(&farm, preview.id, &worker).await;
        assert!(!commit!(farm, |tx| job::claim::any_claimable(tx, QueueType::Preview)));
        for (kind, running) in [(QueueType::Transcode, 2), (QueueType::Preview, 1), (QueueType::Captions, 0)] {
            assert_eq!(commit!(farm, |tx| job::claim::count_running(tx, kind)), running);
        }
    }

    async fn a_cheap_question_tells_whether_anything_is_due(farm: Farm) {
        let due = |kinds: Vec<QueueType>, now| {
            let farm = &farm;
            async move { job::claim::anything_due(&farm.app.db, &kinds, now).await.unwrap() }
        };
        let all = QueueType::ALL.to_vec();
        assert!(!due(all.clone(), farm.now()).await);
        let job = a_job(&farm, "clip").await;
        assert!(due(all.clone(), farm.now()).await);
        assert!(!due(vec![QueueType::Captions], farm.now()).await, "not of that kind");
        let worker = a_worker(&farm, "w").await;
        let running = claimed(&farm, job.id, &worker).await;
        assert!(!due(all.clone(), farm.now()).await);
        let later = farm.now() + Duration::minutes(1);
        let job_end = JobEnd { retry_after: Some(later), ..JobEnd::to(JobStatus::Pending, farm.now()) };
        commit!(farm, |tx| job::end::end_if(tx, running.id, running.fence, Guard::Whatever, &job_end)).unwrap();
        assert!(!due(all.clone(), later - INSTANT).await);
        assert!(due(all, later).await);
    }

    async fn what_cannot_be_claimed_is_not_worth_a_look(farm: Farm) {
        let due = || async { job::claim::anything_due(&farm.app.db, &[QueueType::Transcode], farm.now()).await.unwrap() };
        let job = a_job(&farm, "clip").await;
        assert!(due().await);
        farm.sql("UPDATE queue SET paused = TRUE").await;
        assert!(!due().await, "paused");
        farm.sql("UPDATE queue SET paused = FALSE, max_running = 1").await;
        assert!(due().await);
        let (running, _) = a_running_job(&farm, "running").await;
        assert!(!due().await, "as many run as may");
        let job_end = JobEnd::to(JobStatus::Cancelled, farm.now());
        commit!(farm, |tx| job::end::end_if(tx, running.id, running.fence, Guard::Whatever, &job_end)).unwrap();
        assert!(due().await);
        let video = job.video_id;
        commit!(farm, |tx| videos::delete_softly(tx, video, farm.now()));
        assert!(!due().await, "its video was deleted");
    }

    async fn what_waits_since_an_instant_is_told_best_first(farm: Farm) {
        let first = farm.now();
        for (name, priority) in [("low", -5), ("high", 5), ("normal", 0)] {
            let video = a_video(&farm, name).await;
            let new = NewJob { priority, ..new_job(&farm, &video, QueueType::Transcode) };
            commit!(farm, |tx| job::insert_unless_live(tx, new, farm.now()));
            farm.wait(INSTANT);
        }
        let told = |since, limit| {
            let farm = &farm;
            async move {
                let jobs = job::claim::claimable_since(&farm.app.db, since, limit).await.unwrap();
                jobs.iter().map(|job| Hint::from(*job).level.name()).collect::<Vec<_>>()
            }
        };
        assert_eq!(told(farm.now(), 10).await, ["high", "normal", "low"]);
        assert_eq!(told(farm.now(), 1).await, ["high"]);
        assert_eq!(told(first, 10).await, ["low"]);
    }
}
