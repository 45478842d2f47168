//! From events to alerts.

use chrono::Duration;
use framefarm_api::alerts::event_detector::EventDetector;
use framefarm_api::lifecycle::workers;
use framefarm_api::testing::{a_gpu, a_plan};
use framefarm_shared::alert::{AlertType, EndpointKind};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::gpu::GpuState;

use super::{ear, endpoint, look, look_with, outbox, texts, told};

framefarm_api::on_both_engines! {
    async fn a_silent_worker_its_job_and_its_return_are_told(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        worker.beat(&[]).await.unwrap();
        farm.upload("clip").await;
        worker.claim().await;
        farm.wait(Duration::hours(2));
        farm.reap().await;
        look(&farm).await;
        assert_eq!(told(&farm).await, ["worker_startup happened", "worker_offline raised", "stale_job_recovered happened"]);
        let texts = texts(&farm).await;
        assert_eq!(texts[1], "north is offline: no heartbeat.");
        assert_eq!(texts[2], "The job for “clip” was recovered from north (its lease expired) and is back in the queue.");
        worker.beat(&[]).await.unwrap();
        look(&farm).await;
        assert_eq!(told(&farm).await[3..], ["worker_offline recovered"]);
    }

    async fn a_job_without_attempts_left_is_told_and_so_is_its_video(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        farm.upload("clip").await;
        for _ in 0..3 {
            look(&farm).await;
            assert!(!told(&farm).await.iter().any(|line| line.starts_with("job") || line.starts_with("video")));
            let job = worker.claim().await;
            worker.fail(&job, ErrorClass::Transfer, "connection reset").await.unwrap();
            farm.wait(Duration::hours(1));
            framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
        }
        look(&farm).await;
        assert_eq!(told(&farm).await[1..], ["job_max_retries_exceeded happened", "video_failed happened"]);
    }

    async fn a_file_that_is_no_video_fails_without_using_up_attempts(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        farm.upload("text").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::InputInvalid, "not a video").await.unwrap();
        look(&farm).await;
        assert_eq!(told(&farm).await[1..], ["video_failed happened"]);
        assert_eq!(texts(&farm).await[1], "“text” failed: input_invalid: not a video.");
    }

    async fn five_runs_that_fail_alike_on_one_worker_are_a_pattern_and_four_are_not(farm: Farm) {
        ear(&farm).await;
        let (north, south) = (farm.worker("north").await, farm.worker("south").await);
        let patterns = async || {
            look(&farm).await;
            told(&farm).await.iter().filter(|line| line.starts_with("job_failed_pattern")).count()
        };
        for index in 0..5 {
            assert_eq!(patterns().await, 0, "{index} failures are none");
            farm.upload(&format!("clip {index}")).await;
            farm.upload(&format!("other {index}")).await;
            let (job, other) = (north.claim().await, south.claim().await);
            north.fail(&job, ErrorClass::Storage, "disk full").await.unwrap();
            south.fail(&other, ErrorClass::InputInvalid, "no video").await.unwrap();
        }
        assert_eq!(patterns().await, 1, "bad files are not the worker's fault");
        let all = outbox(&farm).await;
        let pattern = all.iter().find(|row| row.alert_type == Some(AlertType::JobFailedPattern)).unwrap();
        let text = pattern.message.0["text"].as_str().unwrap();
        assert!(text.starts_with("5 attempts on north failed with “storage” within 10 minutes."), "{text}");
    }

    async fn failures_that_lie_ten_minutes_apart_are_no_pattern(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        for index in 0..12 {
            farm.upload(&format!("clip {index}")).await;
            let job = worker.claim().await;
            worker.fail(&job, ErrorClass::Storage, "disk full").await.unwrap();
            farm.wait(Duration::minutes(3));
        }
        look(&farm).await;
        assert!(!told(&farm).await.iter().any(|line| line.starts_with("job_failed_pattern")));
    }

    async fn workers_that_come_and_go_are_told_to_those_who_asked(farm: Farm) {
        ear(&farm).await;
        endpoint(&farm, "https://hooks.slack.com/services/usual", EndpointKind::Slack, None).await;
        let worker = farm.worker("north").await;
        worker.beat(&[]).await.unwrap();
        worker.beat(&[]).await.unwrap();
        worker.stop().await.unwrap();
        look(&farm).await;
        assert_eq!(told(&farm).await, ["worker_startup happened", "worker_shutdown happened"]);
        // It said that it stops, so nobody is told that it fell silent.
        farm.wait(Duration::hours(1));
        farm.reap().await;
        look(&farm).await;
        assert_eq!(told(&farm).await.len(), 2);
        worker.restarted().beat(&[]).await.unwrap();
        look(&farm).await;
        assert_eq!(told(&farm).await[2..], ["worker_startup happened"]);
    }

    async fn a_gpu_that_fails_is_told_and_so_is_its_recovery(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        let mut gpus = vec![a_gpu("card-1"), a_gpu("card-2")];
        worker.beat_with_gpus(gpus.clone()).await.unwrap();
        for gpu in &mut gpus {
            gpu.state = GpuState::Quarantined;
            gpu.reason = Some("Xid 79".to_owned());
        }
        worker.beat_with_gpus(gpus.clone()).await.unwrap();
        look(&farm).await;
        let lines = told(&farm).await;
        assert_eq!(lines[1..], ["gpu_quarantined raised"], "the second is held back");
        gpus[0].state = GpuState::Ready;
        worker.beat_with_gpus(gpus).await.unwrap();
        look(&farm).await;
        assert_eq!(told(&farm).await[2..], ["gpu_quarantined recovered"]);
        workers::delete(&farm.app, worker.id, "test").await.unwrap();
        look(&farm).await;
        let left = framefarm_api::db::alerts::incidents(&farm.app.db).await.unwrap();
        assert!(left.is_empty(), "a worker that is gone has no broken GPUs: {left:?}");
    }

    async fn a_video_that_plays_is_told_to_those_who_asked(farm: Farm) {
        ear(&farm).await;
        endpoint(&farm, "https://hooks.slack.com/services/usual", EndpointKind::Slack, None).await;
        let worker = farm.worker("north").await;
        farm.upload("clip").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        look(&farm).await;
        assert_eq!(told(&farm).await, ["worker_startup happened", "video_ready happened"]);
        assert_eq!(texts(&farm).await[1], "“clip” is ready to play.");
    }

    async fn what_happened_while_nothing_could_be_written_is_told_afterwards_and_once(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        worker.beat(&[]).await.unwrap();
        farm.break_table("alert_delivery").await;
        let mut detector = EventDetector::default();
        assert!(detector.run_once(&farm.app).await.is_err());
        farm.mend_table("alert_delivery").await;
        assert!(told(&farm).await.is_empty());
        // The same process goes on, then another one starts, then both look again.
        look_with(&mut detector, &farm.app).await;
        let farm = farm.restarted(|_| {}).await;
        worker.at(&farm.app).stop().await.unwrap();
        look(&farm).await;
        look(&farm).await;
        assert_eq!(told(&farm).await, ["worker_startup happened", "worker_shutdown happened"]);
    }

    async fn two_instances_tell_what_happened_once(farm: Farm) {
        ear(&farm).await;
        let other = farm.beside(|_| {}).await;
        let (mut here, mut there) = (EventDetector::default(), EventDetector::default());
        for index in 0..10 {
            farm.wait(Duration::hours(1));
            farm.worker(&format!("worker {index}")).await.beat(&[]).await.unwrap();
            tokio::join!(look_with(&mut here, &farm.app), look_with(&mut there, &other));
        }
        assert_eq!(told(&farm).await.len(), 10);
        let counted = framefarm_api::db::alerts::all(&farm.app.db).await.unwrap();
        assert_eq!((counted[0].total, counted[0].suppressed), (10, 0), "none was found twice and held back");
    }
}
