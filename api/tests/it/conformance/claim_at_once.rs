//! The claim in one statement, which PostgreSQL alone has; what it does among others is in `lifecycle/claim_at_once.rs`.

use framefarm_api::db::job;

use framefarm_api::db::job::claim_at_once::Asker;
use framefarm_api::db::workers;
use framefarm_shared::id::BootId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;

use super::world::{INSTANT, a_job, a_worker};

framefarm_api::on_both_engines! {
    async fn a_claim_at_once_is_for_the_process_that_is_known(farm: Farm) {
        let (job, worker) = (a_job(&farm, "clip").await, a_worker(&farm, "w").await);
        let (boot, kind) = (BootId::new(&farm.clock), QueueType::Transcode);
        let (now, expires) = (farm.now(), farm.now() + INSTANT);
        let by = Asker { worker: worker.id, boot_id: boot, now, expires, gpu_heard_since: now };
        assert!(unchanged!(farm, |tx| job::claim_at_once::claim(tx, by, kind)).is_none());
        commit!(farm, |tx| workers::hold(tx, worker.id, job.id, boot));
        let granted = commit!(farm, |tx| job::claim_at_once::claim(tx, by, kind));
        let Some(granted) = granted else { return assert!(farm.app.db.is_sqlite()) };
        let (row, source, plan) = granted.into_parts();
        assert_eq!((row.id, row.status, row.fence), (job.id, JobStatus::Running, 1));
        let video = farm.video(job.video_id).await;
        assert_eq!((source.name, source.size, source.sha256), (video.source_name, video.source_size, video.source_sha256));
        assert!(plan.is_none());
        assert!(unchanged!(farm, |tx| job::claim_at_once::claim(tx, by, kind)).is_none());
    }
}
