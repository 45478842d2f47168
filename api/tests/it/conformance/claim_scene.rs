//! What decides whether a worker may take a job.

use chrono::Duration;
use framefarm_api::db::job_leave::{self, Guard, Leave};
use framefarm_api::db::{claim_scene, queues};
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
        let scene = unchanged!(farm, |tx| claim_scene::look(tx, worker.id, kind, farm.now(), heard)).unwrap();
        assert_eq!((scene.worker.id, scene.worker.name.as_str()), (worker.id, "wörker"));
        assert_eq!((scene.paused, scene.max_running, scene.any_due), (false, None, false));
        assert_eq!(scene.idle_gpu.as_deref(), Some("gpu"));
        commit!(farm, |tx| queues::set_paused(tx, kind, true));
        commit!(farm, |tx| queues::configure(tx, kind, Some(3), RetryMode::Auto));
        let scene =
            unchanged!(farm, |tx| claim_scene::look(tx, worker.id, kind, farm.now(), heard + INSTANT)).unwrap();
        assert_eq!((scene.paused, scene.max_running, scene.idle_gpu), (true, Some(3), None));
        let nobody = WorkerId::new(&farm.clock);
        assert!(unchanged!(farm, |tx| claim_scene::look(tx, nobody, kind, farm.now(), heard)).is_none());
    }

    async fn a_job_whose_time_has_come_is_told(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "film").await;
        let due = farm.now() + Duration::minutes(1);
        let leave = Leave { retry_after: Some(due), ..Leave::to(JobStatus::Pending, farm.now()) };
        commit!(farm, |tx| job_leave::leave_if(tx, job.id, job.fence, Guard::Whatever, &leave)).unwrap();
        for (now, told) in [(due - INSTANT, false), (due, true)] {
            let scene = unchanged!(farm, |tx| claim_scene::look(tx, worker.id, QueueType::Transcode, now, now));
            assert_eq!(scene.unwrap().any_due, told);
        }
    }
}
