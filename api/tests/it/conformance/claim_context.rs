//! What decides whether a worker may take a job.

use chrono::Duration;
use framefarm_api::db::job::end::{Guard, JobEnd};
use framefarm_api::db::{job, queues, workers};
use framefarm_api::testing::a_gpu;
use framefarm_shared::id::WorkerId;
use framefarm_shared::queue::{QueueType, RetryMode};
use framefarm_shared::state::JobStatus;

use super::world::{INSTANT, a_running_job, a_worker};

framefarm_api::on_both_engines! {
    async fn one_question_tells_of_the_worker_the_queue_and_the_gpus(farm: Farm) {
        let worker = a_worker(&farm, "wörker").await;
        let gpu = farm.gpu_worker("gpu").await;
        let kind = QueueType::Transcode;
        let heard = farm.worker_row(gpu.id).await.last_heartbeat.unwrap();
        let context = unchanged!(farm, |tx| job::claim_context::look(tx, worker.id, kind, farm.now(), heard)).unwrap();
        assert_eq!((context.worker.id, context.worker.name.as_str()), (worker.id, "wörker"));
        assert_eq!((context.paused, context.max_running, context.any_due), (false, None, false));
        assert_eq!(context.better.as_deref(), Some("gpu"));
        assert!(context.better_abilities.is_some_and(|can| can != 0));
        commit!(farm, |tx| queues::set_paused(tx, kind, true));
        commit!(farm, |tx| queues::configure(tx, kind, Some(3), RetryMode::Auto));
        let context =
            unchanged!(farm, |tx| job::claim_context::look(tx, worker.id, kind, farm.now(), heard + INSTANT)).unwrap();
        assert_eq!((context.paused, context.max_running, context.better), (true, Some(3), None));
        let nobody = WorkerId::new(&farm.clock);
        assert!(unchanged!(farm, |tx| job::claim_context::look(tx, nobody, kind, farm.now(), heard)).is_none());
    }

    async fn only_an_idle_worker_with_a_gpu_that_was_heard_lately_is_waited_for(farm: Farm) {
        let (asking, heard) = (a_worker(&farm, "cpu").await.id, farm.now());
        let find = |since| { let farm = &farm; async move {
            let found = commit!(farm, |tx| job::claim_context::look(tx, asking, QueueType::Transcode, farm.now(), since));
            found.unwrap().better
        } };
        let gpu = farm.worker("gpu").await;
        gpu.beat(&[]).await.unwrap();
        assert_eq!(find(heard).await, None, "no GPU");
        gpu.beat_with_gpus(vec![a_gpu("GPU-1")]).await.unwrap();
        assert_eq!(find(heard).await.as_deref(), Some("gpu"));
        assert_eq!(find(heard + INSTANT).await, None, "silent");
        commit!(farm, |tx| workers::set_draining(tx, gpu.id, true));
        assert_eq!(find(heard).await, None, "draining");
        commit!(farm, |tx| workers::set_draining(tx, gpu.id, false));
        commit!(farm, |tx| workers::disable(tx, gpu.id));
        assert_eq!(find(heard).await, None, "disabled");
    }

    async fn the_fastest_is_waited_for_and_nobody_by_its_equal(farm: Farm) {
        let mut workers = Vec::new();
        for (name, fps) in [("a", 100.0), ("b", 300.0), ("c", 301.0)] {
            let (worker, mut gpu) = (farm.worker(name).await, a_gpu("GPU-1"));
            gpu.encoders[0].fps = fps;
            worker.beat_with_gpus(vec![gpu]).await.unwrap();
            workers.push(worker.id);
        }
        for (worker, better) in workers.into_iter().zip([Some("c"), None, None]) {
            let (kind, now) = (QueueType::Transcode, farm.now());
            let context = commit!(farm, |tx| job::claim_context::look(tx, worker, kind, now, now)).unwrap();
            assert_eq!(context.better.as_deref(), better);
        }
    }

    async fn a_job_whose_time_has_come_is_told(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let due = farm.now() + Duration::minutes(1);
        let job_end = JobEnd { retry_after: Some(due), ..JobEnd::to(JobStatus::Pending, farm.now()) };
        commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end)).unwrap();
        for (now, told) in [(due - INSTANT, false), (due, true)] {
            let context = unchanged!(farm, |tx| job::claim_context::look(tx, worker.id, QueueType::Transcode, now, now));
            assert_eq!(context.unwrap().any_due, told);
        }
    }
}
