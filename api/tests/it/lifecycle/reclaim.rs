//! Lost workers: who is believed dead, when, and what that costs.

use std::sync::Arc;

use chrono::Duration;
use framefarm_api::db::{job, workers};
use framefarm_api::lifecycle::{self, startup};
use framefarm_api::on_both_engines;
use framefarm_api::testing::a_plan;
use framefarm_shared::queue::RedeliveryPosition;
use framefarm_shared::state::{JobStatus, VideoStatus, WorkerStatus};

on_both_engines! {
    async fn a_crashed_workers_job_comes_back_with_its_segments(farm: Farm) {
        let upload = farm.upload("clip").await;
        let (one, two, plan) = (farm.worker("w1").await, farm.worker("w2").await, a_plan());
        let job = one.claim().await;
        one.plan(&job, plan.clone()).await.unwrap();
        one.deliver(&job, &plan, "720p", 0..=1).await.unwrap();
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        let row = farm.job(job.job_id).await;
        assert_eq!((row.status, row.lost_count, row.failure_count), (JobStatus::Pending, 1, 0));
        assert_eq!((row.claimed_at, row.claim_expires_at, row.worker_id, row.current_step), (None, None, None, None));
        assert_eq!(row.processed_by_worker_id, Some(one.id));
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Pending);
        farm.pass_redelivery();
        let again = two.claim().await;
        let have = &again.qualities.iter().find(|q| q.quality.name == "720p").unwrap().have;
        assert_eq!((have[0].first, have[0].last), (0, 1));
    }

    async fn an_offline_worker_keeps_its_job_until_the_claim_expires(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(6));
        farm.reap().await;
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Offline);
        assert_eq!(farm.worker_row(worker.id).await.current_job_id, None);
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running);
        farm.wait(Duration::minutes(25));
        farm.reap().await;
        let row = farm.job(job.job_id).await;
        assert_eq!((row.status, row.lost_count), (JobStatus::Pending, 1), "expired after the worker was marked offline");
    }

    async fn an_expired_claim_of_a_live_worker_is_left_alone_for_twice_its_length(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(89));
        worker.beat(&[]).await.unwrap();
        lifecycle::reclaim::release_abandoned(&farm.app).await.unwrap();
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running);
        farm.wait(Duration::minutes(1));
        worker.beat(&[]).await.unwrap();
        lifecycle::reclaim::release_abandoned(&farm.app).await.unwrap();
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending);
    }

    async fn the_reaper_logs_one_line_with_the_count_and_none_where_it_did_nothing(farm: Farm) {
        let log = tempfile::NamedTempFile::new().unwrap();
        let lines = tracing_subscriber::fmt().without_time().with_ansi(false).with_writer(Arc::new(log.reopen().unwrap()));
        let _ours = tracing::subscriber::set_default(lines.finish());
        let told = || {
            let text = std::fs::read_to_string(log.path()).unwrap();
            text.lines().filter(|line| line.contains("stale")).map(str::to_owned).collect::<Vec<_>>()
        };
        for (clip, worker) in [("one", "w1"), ("two", "w2")] {
            farm.upload(clip).await;
            farm.worker(worker).await.claim().await;
        }
        farm.reap().await;
        assert_eq!(told(), [""; 0]);
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        farm.reap().await;
        let [line] = &told()[..] else { panic!("not one line: {:?}", told()) };
        assert!(line.ends_with("released stale running jobs count=2"), "{line}");
    }

    async fn a_heartbeat_during_the_offline_check_wins(farm: Farm) {
        let worker = farm.worker("w1").await;
        farm.wait(Duration::minutes(6));
        let since = farm.now() - Duration::minutes(5);
        let silent = workers::silent_since(&farm.app.db, since).await.unwrap();
        assert_eq!(silent.len(), 1);
        worker.beat(&[]).await.unwrap();
        let mut tx = farm.app.db.begin().await.unwrap();
        assert!(!workers::offline_if_silent(&mut tx, worker.id, since).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Idle);
    }

    async fn a_renewal_between_scan_and_release_wins(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(6));
        farm.reap().await;
        farm.wait(Duration::minutes(24));
        let now = farm.now();
        let suspects = job::end::abandoned(&farm.app.db, now, now - Duration::hours(1), 0).await.unwrap();
        assert_eq!(suspects.len(), 1);
        let again = worker.claim_this(job.job_id).await.unwrap();
        let mut tx = farm.app.db.begin().await.unwrap();
        let guard = job::end::Guard::Abandoned { now, cap: now - Duration::hours(1) };
        for fence in [suspects[0].fence, again.fence] {
            let job_end = job::end::JobEnd::to(JobStatus::Pending, now);
            assert!(job::end::end_if(&mut tx, job.job_id, fence, guard, &job_end).await.unwrap().is_none());
        }
        tx.rollback().await.unwrap();
    }

    async fn a_live_claim_of_a_silent_worker_can_not_be_released(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(6));
        farm.reap().await;
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Offline);
        let now = farm.now();
        let guard = job::end::Guard::Abandoned { now, cap: now - Duration::hours(1) };
        let job_end = job::end::JobEnd::to(JobStatus::Pending, now);
        let mut tx = farm.app.db.begin().await.unwrap();
        assert!(job::end::end_if(&mut tx, job.job_id, job.fence, guard, &job_end).await.unwrap().is_none());
        tx.rollback().await.unwrap();
    }

    async fn a_worker_that_never_beat_is_judged_by_its_registration(farm: Farm) {
        let worker = farm.worker("w1").await;
        farm.sql("UPDATE worker SET last_heartbeat = NULL").await;
        farm.wait(Duration::minutes(5));
        farm.reap().await;
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Active);
        farm.wait(Duration::microseconds(1));
        farm.reap().await;
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Offline);
    }

    async fn an_offline_worker_returns_with_its_next_heartbeat(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(6));
        farm.reap().await;
        worker.beat(&[&job]).await.unwrap();
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Busy);
        worker.release(&job).await.unwrap();
        farm.wait(Duration::minutes(6));
        farm.reap().await;
        worker.beat(&[]).await.unwrap();
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Idle);
        let log = framefarm_api::db::events::list(&farm.app.db, None, 100).await.unwrap();
        assert_eq!(log.iter().filter(|event| event.kind.as_str() == "worker_recovered").count(), 2);
    }

    async fn a_new_boot_of_the_same_worker_releases_the_old_ones_jobs_at_once(farm: Farm) {
        farm.upload("clip").await;
        let old = farm.worker("w1").await;
        let job = old.claim().await;
        let new = old.restarted();
        new.beat(&[]).await.unwrap();
        let row = farm.job(job.job_id).await;
        assert_eq!((row.status, row.lost_count), (JobStatus::Pending, 1));
        assert_eq!(old.progress(&job, 5.0).await.unwrap_err().code, "claim_lost");
        assert_eq!(old.beat(&[&job]).await.unwrap_err().code, "superseded", "the old process may not speak again");
    }

    async fn a_lost_job_waits_for_the_redelivery_delay(farm: Farm) {
        farm.upload("clip").await;
        let (one, two) = (farm.worker("w1").await, farm.worker("w2").await);
        one.claim().await;
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        farm.wait(Duration::seconds(10) - Duration::microseconds(1));
        assert!(two.try_claim().await.is_none());
        farm.wait(Duration::microseconds(1));
        assert!(two.try_claim().await.is_some());
    }

    async fn a_job_that_takes_three_workers_down_is_poison(farm: Farm) {
        let upload = farm.upload("clip").await;
        for round in 1..=3 {
            let worker = farm.worker(&format!("w{round}")).await;
            worker.claim().await;
            farm.wait(Duration::minutes(31));
            farm.reap().await;
            farm.pass_redelivery();
        }
        let job = farm.job(upload.job.id).await;
        assert_eq!((job.status, job.lost_count, job.failure_count), (JobStatus::Failed, 3, 0));
        assert_eq!(job.error_class.unwrap().as_str(), "poison");
        let video = farm.video(upload.video.id).await;
        assert_eq!(video.status, VideoStatus::Failed);
        assert!(video.error_message.unwrap().contains("3 times"));
    }

    async fn disabling_a_worker_revokes_its_claims(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        lifecycle::workers::disable(&farm.app, worker.id, "admin").await.unwrap();
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Disabled);
        assert_eq!(worker.progress(&job, 5.0).await.unwrap_err().code, "claim_lost");
        assert_eq!(worker.beat(&[&job]).await.unwrap_err().status.as_u16(), 401);
        farm.pass_redelivery();
        assert!(farm.worker("w2").await.try_claim().await.is_some());
        lifecycle::workers::enable(&farm.app, worker.id, "admin").await.unwrap();
        worker.beat(&[]).await.unwrap();
        assert_eq!(farm.worker_row(worker.id).await.status, WorkerStatus::Idle);
    }

    async fn revoking_a_key_releases_what_its_worker_holds(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        lifecycle::workers::revoke_key(&farm.app, worker.id, "admin").await.unwrap();
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending);
    }

    async fn no_progress_is_a_counted_failure_whatever_the_heartbeat_says(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        for _ in 0..6 {
            farm.wait(Duration::minutes(5));
            worker.beat(&[&job]).await.unwrap();
            worker.progress(&job, 0.0).await.unwrap();
            farm.wait(Duration::zero());
        }
        // The first report of a step is progress; thirty minutes have passed since.
        farm.wait(Duration::minutes(5));
        worker.beat(&[&job]).await.unwrap();
        farm.reap().await;
        let row = farm.job(job.job_id).await;
        assert_eq!((row.status, row.failure_count, row.lost_count), (JobStatus::Pending, 1, 0));
        assert_eq!(row.error.as_deref(), Some("Timeout after 1800s"));
    }

    async fn a_long_job_with_progress_is_never_taken(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        for step in 1..=50 {
            farm.wait(Duration::minutes(10));
            worker.beat(&[&job]).await.unwrap();
            worker.progress(&job, f64::from(step)).await.unwrap();
            farm.reap().await;
        }
        assert_eq!(farm.job(job.job_id).await.attempt_number, 1);
    }

    async fn one_bad_job_keeps_the_reaper_from_no_other(farm: Farm) {
        const JOBS: usize = 230;
        let mut first = None;
        for number in 0..JOBS {
            first.get_or_insert(farm.upload(&format!("clip {number}")).await.job.number);
        }
        let worker = farm.worker("w1").await;
        for _ in 0..JOBS {
            worker.claim().await;
        }
        farm.break_job(first.unwrap()).await;
        farm.wait(Duration::minutes(31));
        assert!(lifecycle::reclaim::sweep(&farm.app).await.is_err(), "and it says so");
        // The watchdog for attempts without progress would have found them, too, at the cost of a failure each.
        assert_eq!(farm.number("SELECT count(*) FROM job WHERE lost_count = 1 AND failure_count = 0").await, 229);
    }

    async fn nothing_is_released_in_the_grace_after_an_outage(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        startup::tick(&farm.app).await.unwrap();
        farm.wait(Duration::hours(5));
        let farm = farm.restarted(|_| {}).await;
        let outage = startup::recover(&farm.app).await.unwrap();
        assert_eq!((outage.lasted, outage.leases_extended), (Some(Duration::hours(5)), 1));
        farm.wait(Duration::seconds(119));
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running);
        worker.at(&farm.app).progress(&job, 5.0).await.unwrap();
    }

    async fn even_an_ancient_claim_is_not_released_in_the_grace(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::hours(2));
        startup::tick(&farm.app).await.unwrap();
        farm.wait(Duration::hours(1));
        let farm = farm.restarted(|_| {}).await;
        startup::recover(&farm.app).await.unwrap();
        farm.live_through(Duration::seconds(120) - Duration::microseconds(1)).await;
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running);
        farm.wait(Duration::microseconds(1));
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending);
    }

    async fn leases_are_extended_by_exactly_the_outage(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(10));
        startup::tick(&farm.app).await.unwrap();
        farm.wait(Duration::minutes(60));
        let farm = farm.restarted(|_| {}).await;
        startup::recover(&farm.app).await.unwrap();
        assert_eq!(farm.job(job.job_id).await.claim_expires_at, Some(farm.now() + Duration::minutes(20)));
        farm.live_through(Duration::minutes(21)).await;
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending, "an outage is no licence to hold for ever");
    }

    async fn short_restarts_do_not_keep_the_reaper_away(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        let mut farm = farm;
        startup::recover(&farm.app).await.unwrap();
        for _ in 0..100 {
            farm.live_through(Duration::seconds(30)).await;
            farm.reap().await;
            farm.wait(Duration::seconds(3));
            farm = farm.restarted(|_| {}).await;
            startup::recover(&farm.app).await.unwrap();
        }
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending);
    }

    async fn a_claim_that_was_dead_before_the_outage_stays_dead(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(45));
        startup::tick(&farm.app).await.unwrap();
        farm.wait(Duration::minutes(1));
        let farm = farm.restarted(|_| {}).await;
        assert_eq!(startup::recover(&farm.app).await.unwrap().leases_extended, 0);
        farm.live_through(Duration::minutes(6)).await;
        farm.reap().await;
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Pending);
    }

    async fn redelivery_goes_where_the_setting_says(farm: Farm) {
        let mut farm = farm;
        for (position, expected) in [
            (RedeliveryPosition::Original, ["a", "b", "c"]),
            (RedeliveryPosition::Front, ["b", "a", "c"]),
            (RedeliveryPosition::Back, ["a", "c", "b"]),
        ] {
            farm = farm.restarted(|settings| settings.redelivery_position = position).await;
            farm.sql("DELETE FROM job").await;
            farm.sql("DELETE FROM video").await;
            let (loser, taker) = (farm.worker("loser").await, farm.worker("taker").await);
            let mut jobs = Vec::new();
            for name in ["a", "b", "c"] {
                jobs.push(farm.upload(name).await.job.id);
                farm.wait(Duration::seconds(1));
            }
            loser.claim_this(jobs[1]).await.unwrap();
            farm.wait(Duration::minutes(31));
            farm.reap().await;
            farm.pass_redelivery();
            let mut order = Vec::new();
            while let Some(job) = taker.try_claim().await {
                order.push(job.source.name);
            }
            assert_eq!(order, expected, "{position}");
        }
    }

    async fn without_a_reaper_whoever_wants_work_finds_the_lost_jobs(farm: Farm) {
        let farm = farm.restarted(|settings| settings.stale_job_check_interval = 0).await;
        farm.upload("clip").await;
        let (gone, other) = (farm.worker("gone").await, farm.worker("other").await);
        let job = gone.claim().await;
        farm.wait(Duration::minutes(31));
        assert!(other.try_claim().await.is_none(), "found, and in its redelivery delay");
        farm.pass_redelivery();
        assert_eq!(other.claim().await.job_id, job.job_id);
    }

    async fn a_claim_held_by_a_removed_worker_is_released(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.sql("DELETE FROM worker").await;
        farm.wait(Duration::minutes(31));
        farm.reap().await;
        let row = farm.job(job.job_id).await;
        assert_eq!((row.status, row.lost_count), (JobStatus::Pending, 1));
        assert_eq!(row.processed_by_worker_name.as_deref(), Some("w1"), "who processed it is known for ever");
    }
}
