//! A worker that lacks a layer of its sandbox: its health, its alert, and the farm's health.

use framefarm_api::lifecycle::workers;
use framefarm_api::responses;
use framefarm_api::responses::health::{Condition, HealthStatus};
use framefarm_api::testing::{Farm, TestWorker};
use serde_json::{Value, json};

use super::{ear, look, texts, told};

fn whole() -> Value {
    json!({"walls": {"files": "up", "syscalls": "up"}, "sandbox_mode": "best-effort"})
}

fn without_landlock() -> Value {
    let missing = json!({"missing": {"cause": "forbidden", "detail": "Landlock: a filter forbids it"}});
    json!({"walls": {"files": missing, "syscalls": "up"}, "sandbox_mode": "best-effort"})
}

/// `type state` of what is told of sandboxes.
async fn of_sandboxes(farm: &Farm) -> Vec<String> {
    look(farm).await;
    told(farm).await.into_iter().filter(|line| line.starts_with("sandbox")).collect()
}

async fn health(farm: &Farm, worker: &TestWorker) -> (HealthStatus, bool) {
    // Health is kept for a second.
    farm.clock.advance(chrono::Duration::seconds(1));
    let view = responses::workers::get(&farm.app, worker.id).await.unwrap();
    let farm = responses::health::farm(&farm.app).await.unwrap();
    (view.health, farm.conditions.iter().any(|named| named.code == Condition::SandboxIncomplete))
}

framefarm_api::on_both_engines! {
    async fn a_worker_without_a_layer_is_degraded_and_told_of_once(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        worker.beat_telling(whole()).await.unwrap();
        assert!(of_sandboxes(&farm).await.is_empty());
        assert_eq!(health(&farm, &worker).await, (HealthStatus::Ok, false));

        for _ in 0..3 {
            worker.beat_telling(without_landlock()).await.unwrap();
            worker.beat(&[]).await.unwrap();
        }
        assert_eq!(of_sandboxes(&farm).await, ["sandbox_incomplete raised"]);
        let text = texts(&farm).await.pop().unwrap();
        assert_eq!(text, "north: the sandbox does not enforce files (Landlock: a filter forbids it); it opens uploads anyway.");
        assert_eq!(health(&farm, &worker).await, (HealthStatus::Degraded, true));

        let again = worker.restarted();
        again.beat_telling(without_landlock()).await.unwrap();
        assert_eq!(of_sandboxes(&farm).await.len(), 1, "it still goes on");
        again.beat_telling(whole()).await.unwrap();
        assert_eq!(of_sandboxes(&farm).await[1..], ["sandbox_incomplete recovered"]);
        assert_eq!(health(&farm, &worker).await, (HealthStatus::Ok, false));
    }

    async fn a_worker_that_is_gone_does_not_degrade_the_farm(farm: Farm) {
        ear(&farm).await;
        let worker = farm.worker("north").await;
        worker.beat_telling(without_landlock()).await.unwrap();
        look(&farm).await;
        worker.stop().await.unwrap();
        assert_eq!(health(&farm, &worker).await, (HealthStatus::Degraded, false));
        workers::disable(&farm.app, worker.id, "test").await.unwrap();
        assert_eq!(of_sandboxes(&farm).await, ["sandbox_incomplete raised", "sandbox_incomplete recovered"]);
        // Switched on again, it is told of again.
        workers::enable(&farm.app, worker.id, "test").await.unwrap();
        farm.wait(chrono::Duration::hours(1));
        worker.restarted().beat_telling(without_landlock()).await.unwrap();
        assert_eq!(of_sandboxes(&farm).await[2..], ["sandbox_incomplete raised"]);
    }
}
