//! Jobs that run for long, and why.

use chrono::Duration;
use framefarm_api::responses::stuck::{self, StuckJob};
use framefarm_api::testing::Farm;
use framefarm_shared::queue::StuckReason;

async fn stuck(farm: &Farm, older: u32) -> Vec<StuckJob> {
    stuck::list(&farm.app, older, 100).await.unwrap().items
}

framefarm_api::on_both_engines! {
    async fn jobs_that_run_for_long_say_why_the_longest_first(farm: Farm) {
        for name in ["first", "second", "waits"] {
            farm.upload(name).await;
        }
        let (one, two) = (farm.worker("w1").await, farm.worker("w2").await);
        let first = one.claim().await;
        farm.wait(Duration::seconds(300));
        let second = two.claim().await;
        farm.wait(Duration::seconds(299));
        assert!(stuck(&farm, 600).await.is_empty(), "not long enough");
        farm.wait(Duration::seconds(1));
        assert_eq!(stuck(&farm, 600).await.len(), 1, "the second has 300 s left");
        farm.wait(Duration::seconds(300));
        for worker in [&one, &two] {
            worker.beat(&[if worker.id == one.id { &first } else { &second }]).await.unwrap();
        }
        two.progress(&second, 42.0).await.unwrap();
        let found = stuck(&farm, 600).await;
        let shown: Vec<_> = found.iter().map(|job| (job.job.id, job.running_seconds, job.why)).collect();
        assert_eq!(shown, [(first.job_id, 900, StuckReason::NoProgress), (second.job_id, 600, StuckReason::Slow)]);
        assert_eq!((found[0].quiet_seconds, found[1].quiet_seconds), (900, 0));
        assert_eq!(found[0].why_text, "No progress for 900 s; the attempt fails automatically after 1800 s.");
        assert_eq!(found[1].job.worker_name.as_deref(), Some("w2"));
        assert_eq!(found[1].lease_seconds, 1800);
        assert_eq!(stuck(&farm, 0).await.len(), 2, "a waiting job is not stuck");

        farm.wait(Duration::seconds(1801));
        let found = stuck(&farm, 600).await;
        assert_eq!((found[0].why, found[0].lease_seconds), (StuckReason::LeaseExpired, -1));
        farm.sql("UPDATE worker SET status = 'offline'").await;
        let found = stuck(&farm, 600).await;
        assert!(found.iter().all(|job| job.why == StuckReason::WorkerGone));
        assert!(found[0].why_text.starts_with("Its worker w1 is offline and sent its last heartbeat 1801 s"));
    }
}
