//! Claiming: order, guards, deferral, limits.

use chrono::Duration;
use framefarm_api::db::job;
use framefarm_api::lifecycle;
use framefarm_api::on_both_engines;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobState, JobStatus, VideoStatus, WorkerStatus};
use framefarm_shared::wire::worker_api::NoJobReason;

on_both_engines! {
    async fn a_claim_writes_every_field_in_one_transaction(farm: Farm) {
        let upload = farm.upload("clip.mp4").await;
        assert_eq!(upload.video.status, VideoStatus::Pending);
        assert_eq!(upload.job.state(farm.now()), JobState::Unclaimed);
        let worker = farm.worker("w1").await;
        let claimed = worker.claim().await;

        let job = farm.job(claimed.job_id).await;
        assert_eq!(job.status, JobStatus::Running);
        assert_eq!(job.state(farm.now()), JobState::Claimed);
        assert_eq!(job.worker_id, Some(worker.id));
        assert_eq!(job.claimed_at, Some(farm.now()));
        assert_eq!(job.claim_expires_at, Some(farm.now() + Duration::minutes(30)));
        assert_eq!(job.started_at, Some(farm.now()));
        assert_eq!((job.attempt_number, job.fence), (1, 1));
        assert_eq!(job.processed_by_worker_id, Some(worker.id));
        assert_eq!(job.processed_by_worker_name.as_deref(), Some("w1"));
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Processing);
        let row = farm.worker_row(worker.id).await;
        assert_eq!((row.status, row.current_job_id), (WorkerStatus::Busy, Some(job.id)));
        let kinds: Vec<_> = framefarm_api::db::events::of_job(&farm.app.db, job.id).await.unwrap()
            .into_iter().map(|event| event.kind.to_string()).collect();
        assert_eq!(kinds, ["job_enqueued", "job_claimed"]);
    }

    async fn an_empty_queue_gives_none_and_says_why(farm: Farm) {
        let reply = farm.worker("w1").await.ask().await;
        assert!(reply.job.is_none());
        assert_eq!(reply.reason, Some(NoJobReason::Empty));
    }

    async fn jobs_come_by_priority_then_age(farm: Farm) {
        let mut names = Vec::new();
        for (name, priority) in [("a", 0), ("b", 100), ("c", 0), ("d", -100), ("e", 100)] {
            farm.upload_with(name, |request| request.priority = priority).await;
            farm.wait(Duration::milliseconds(1));
        }
        let worker = farm.worker("w1").await;
        while let Some(job) = worker.try_claim().await {
            names.push(job.source.name);
        }
        assert_eq!(names, ["b", "e", "a", "c", "d"]);
    }

    async fn job_numbers_rise_over_all_kinds(farm: Farm) {
        let first = farm.upload("a").await.job.number;
        let second = farm.upload("b").await.job.number;
        assert!(second > first);
    }

    async fn a_job_is_invisible_until_its_time_and_others_pass_it_by(farm: Farm) {
        farm.upload("early").await;
        let worker = farm.worker("w1").await;
        let early = worker.claim().await;
        worker.fail(&early, ErrorClass::Transfer, "connection reset").await.unwrap();
        let due = farm.job(early.job_id).await.retry_after.unwrap();
        assert_eq!(farm.job(early.job_id).await.state(farm.now()), JobState::Retrying);
        farm.wait(Duration::seconds(1));
        farm.upload("late").await;
        let overtaking = worker.claim().await;
        assert_eq!(overtaking.source.name, "late");
        farm.wait(due - farm.now() - Duration::microseconds(1));
        assert!(worker.try_claim().await.is_none(), "claimed a microsecond early");
        farm.wait(Duration::microseconds(1));
        assert_eq!(worker.claim().await.job_id, early.job_id);
    }

    async fn a_second_claim_keeps_the_first_start_and_resets_liveness(farm: Farm) {
        farm.upload("clip").await;
        let (first, second) = (farm.worker("w1").await, farm.worker("w2").await);
        let one = first.claim().await;
        let started = farm.now();
        farm.wait(Duration::minutes(1));
        first.progress(&one, 40.0).await.unwrap();
        first.release(&one).await.unwrap();
        farm.wait(Duration::minutes(1));
        let two = second.claim().await;
        let job = farm.job(two.job_id).await;
        assert_eq!(job.started_at, Some(started));
        assert_eq!(job.attempt_started_at, Some(farm.now()));
        assert_eq!(job.progressed_at, Some(farm.now()), "the watchdog must judge the new run by itself");
        assert_eq!((job.last_checkpoint, job.current_step), (None, None));
        assert!(job.progress_percent.abs() < f64::EPSILON);
        assert_eq!(job.fence, 2);
    }

    async fn a_paused_queue_gives_nothing_and_running_work_goes_on(farm: Farm) {
        farm.upload("a").await;
        farm.upload("b").await;
        let worker = farm.worker("w1").await;
        let running = worker.claim().await;
        lifecycle::queues::set_paused(&farm.app, QueueType::ALL, true, "test").await.unwrap();
        assert_eq!(worker.ask().await.reason, Some(NoJobReason::Paused));
        worker.progress(&running, 10.0).await.unwrap();
        lifecycle::queues::set_paused(&farm.app, QueueType::ALL, false, "test").await.unwrap();
        assert!(worker.try_claim().await.is_some());
    }

    async fn exclusive_mode_never_runs_two(farm: Farm) {
        for name in 0..20 {
            farm.upload(&format!("clip {name}")).await;
        }
        let one = lifecycle::queues::Change { max_running: Some(Some(1)), ..Default::default() };
        lifecycle::queues::change(&farm.app, QueueType::Transcode, one, "admin").await.unwrap();
        let mut claimers = tokio::task::JoinSet::new();
        for name in 0..8 {
            let worker = farm.worker(&format!("w{name}")).await;
            claimers.spawn(async move { worker.try_claim().await });
        }
        let granted: Vec<_> = claimers.join_all().await.into_iter().flatten().collect();
        assert_eq!(granted.len(), 1);
        let mut tx = farm.app.db.begin().await.unwrap();
        assert_eq!(job::claim::count_running(&mut tx, QueueType::Transcode).await.unwrap(), 1);
        tx.rollback().await.unwrap();
        assert_eq!(farm.worker("late").await.ask().await.reason, Some(NoJobReason::AtCapacity));
    }

    async fn a_draining_worker_gets_nothing(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        lifecycle::workers::drain(&farm.app, worker.id, true, "admin").await.unwrap();
        assert_eq!(worker.ask().await.reason, Some(NoJobReason::Draining));
    }

    async fn a_cpu_worker_leaves_a_fresh_job_to_an_idle_gpu_worker(farm: Farm) {
        let gpu = farm.gpu_worker("gpu-1").await;
        let cpu = farm.worker("cpu-1").await;
        farm.upload("clip").await;
        let reply = cpu.ask().await;
        assert_eq!(reply.reason, Some(NoJobReason::WaitingForGpu));
        assert_eq!(reply.detail.as_deref(), Some("waiting for gpu-1, at most 60 s"));
        assert!(gpu.try_claim().await.is_some());
    }

    async fn a_cpu_worker_waits_for_a_silent_gpu_worker_no_longer_than_two_heartbeats(farm: Farm) {
        farm.gpu_worker("gpu-1").await;
        let cpu = farm.worker("cpu-1").await;
        farm.upload("clip").await;
        farm.wait(Duration::seconds(59));
        assert!(cpu.try_claim().await.is_none());
        farm.wait(Duration::seconds(2));
        assert!(cpu.try_claim().await.is_some(), "a GPU worker that is not heard of starves nobody");
    }

    async fn an_idle_gpu_worker_that_does_not_claim_is_waited_for_only_so_long(farm: Farm) {
        let gpu = farm.gpu_worker("gpu-1").await;
        let cpu = farm.worker("cpu-1").await;
        farm.upload("clip").await;
        farm.wait(Duration::seconds(59));
        gpu.beat(&[]).await.unwrap();
        assert!(cpu.try_claim().await.is_none());
        farm.wait(Duration::seconds(1));
        gpu.beat(&[]).await.unwrap();
        assert!(cpu.try_claim().await.is_some());
    }

    async fn a_gpu_worker_that_was_not_heard_of_lately_defers_nobody(farm: Farm) {
        farm.gpu_worker("gpu-1").await;
        farm.wait(Duration::seconds(61));
        farm.upload("clip").await;
        assert!(farm.worker("cpu-1").await.try_claim().await.is_some());
    }

    async fn a_busy_gpu_worker_defers_nobody(farm: Farm) {
        let gpu = farm.gpu_worker("gpu-1").await;
        farm.upload("a").await;
        farm.upload("b").await;
        gpu.claim().await;
        assert!(farm.worker("cpu-1").await.try_claim().await.is_some());
    }

    async fn a_deleted_video_is_never_claimed(farm: Farm) {
        let upload = farm.upload("clip").await;
        lifecycle::delete::delete(&farm.app, upload.video.id, "admin").await.unwrap();
        assert!(farm.worker("w1").await.try_claim().await.is_none());
        assert_eq!(farm.job(upload.job.id).await.status, JobStatus::Cancelled);
    }

    async fn a_targeted_claim_takes_that_job_or_none(farm: Farm) {
        farm.upload("a").await;
        let wanted = farm.upload("b").await;
        let (one, two) = (farm.worker("w1").await, farm.worker("w2").await);
        assert_eq!(one.claim_this(wanted.job.id).await.unwrap().job_id, wanted.job.id);
        assert!(two.claim_this(wanted.job.id).await.is_none());
    }

    async fn a_waiting_claim_wakes_when_a_job_becomes_claimable(farm: Farm) {
        let worker = farm.worker("w1").await;
        let waiting = tokio::spawn({
            let worker = worker.clone();
            async move { worker.wait_for_job(20).await }
        });
        tokio::task::yield_now().await;
        farm.upload("clip").await;
        assert!(waiting.await.unwrap().is_some());
    }

    async fn shutdown_ends_waiting_claims(farm: Farm) {
        let worker = farm.worker("w1").await;
        let waiting = tokio::spawn(async move { worker.wait_for_job(30).await });
        tokio::task::yield_now().await;
        farm.app.shutdown.cancel();
        assert!(waiting.await.unwrap().is_none());
    }

    async fn an_encoder_failure_twice_sends_the_job_to_the_cpu(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        for expected in [false, false, true] {
            let job = worker.claim().await;
            assert_eq!(job.cpu_only, expected);
            if !expected {
                worker.fail(&job, ErrorClass::Encoder, "NVENC said no").await.unwrap();
                farm.wait(Duration::hours(1));
                worker.beat(&[]).await.unwrap();
            }
        }
    }
}
