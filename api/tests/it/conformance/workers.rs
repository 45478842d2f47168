//! Table `worker`.

use std::collections::BTreeMap;

use chrono::Duration;
use framefarm_api::db::workers::{self, Beat, NewWorker, ReadyGpus};
use framefarm_api::testing::Farm;
use framefarm_shared::gpu::Abilities;
use framefarm_shared::id::{BootId, WorkerId};
use framefarm_shared::ladder::VideoCodec;
use framefarm_shared::state::{JobStatus, WorkerStatus};
use framefarm_shared::wire::worker_api::WorkerType;
use serde_json::json;

use super::dump;
use super::world::{INSTANT, a_job, a_running_job, a_worker, claimed, left};

fn beat(farm: &Farm, worker: WorkerId) -> Beat<'static> {
    let (boot_id, now) = (BootId::new(&farm.clock), farm.now());
    Beat { worker, boot_id, now, capabilities: None, gpus: None, metadata: None }
}

fn a_ready_gpu() -> ReadyGpus {
    ReadyGpus { abilities: Abilities::needed_for(VideoCodec::H264, 640, 360), speed: 99.5 }
}

async fn beats(farm: &Farm, worker: WorkerId) -> Option<WorkerStatus> {
    commit!(farm, |tx| workers::beat_unless_disabled(tx, &beat(farm, worker))).map(|row| row.status)
}

/// A worker that went silent and was seen so.
async fn an_offline_worker(farm: &Farm) -> WorkerId {
    let worker = a_worker(farm, "offline").await.id;
    assert!(commit!(farm, |tx| workers::offline_if_silent(tx, worker, farm.now() + INSTANT)));
    worker
}

async fn a_disabled_worker(farm: &Farm) -> WorkerId {
    let worker = a_worker(farm, "disabled").await.id;
    assert!(commit!(farm, |tx| workers::disable(tx, worker)));
    worker
}

framefarm_api::on_both_engines! {
    async fn a_worker_comes_back_as_it_registered(farm: Farm) {
        farm.wait(INSTANT);
        let capabilities = json!({ "gpus": [{ "name": "Größe ☃", "memory": u32::MAX }] });
        let metadata = json!([null]);
        let new = NewWorker {
            id: WorkerId::new(&farm.clock), name: "wörker".to_owned(), worker_type: WorkerType::Local, gpus: a_ready_gpu(),
            capabilities: capabilities.clone(), metadata: metadata.clone(),
        };
        let id = new.id;
        let row = commit!(farm, |tx| workers::insert(tx, new, farm.now()));
        assert_eq!((row.name.as_str(), row.worker_type), ("wörker", WorkerType::Local));
        assert_eq!(row.status, WorkerStatus::Active);
        assert_eq!((row.gpu_abilities, row.gpu_speed), (1, 99.5));
        assert_eq!((row.has_gpu, row.draining, row.boot_id, row.current_job_id), (true, false, None, None));
        assert_eq!((row.registered_at, row.last_heartbeat), (farm.now(), Some(farm.now())));
        assert_eq!((&row.capabilities.0, &row.metadata.0), (&capabilities, &metadata));
        let read = workers::get(&farm.app.db, id).await.unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", Some(row)));
        assert!(commit!(farm, |tx| workers::get_in(tx, id)).is_some());
        let nobody = WorkerId::new(&farm.clock);
        assert!(workers::get(&farm.app.db, nobody).await.unwrap().is_none());
        assert!(commit!(farm, |tx| workers::get_in(tx, nobody)).is_none());
    }

    async fn workers_are_listed_by_name_and_counted_by_status(farm: Farm) {
        for name in ["b", "a", "c"] {
            a_worker(&farm, name).await;
        }
        let names: Vec<String> = workers::all(&farm.app.db).await.unwrap().into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        an_offline_worker(&farm).await;
        let counts: BTreeMap<_, _> = workers::count_by_status(&farm.app.db).await.unwrap().into_iter().collect();
        assert_eq!(counts, BTreeMap::from([(WorkerStatus::Active, 3), (WorkerStatus::Offline, 1)]));
    }

    async fn a_heartbeat_tells_busy_from_idle_by_the_claims(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        farm.wait(INSTANT);
        let newer = claimed(&farm, a_job(&farm, "newer").await.id, &worker).await;
        assert_eq!(beats(&farm, worker.id).await, Some(WorkerStatus::Busy));
        assert_eq!(farm.worker_row(worker.id).await.current_job_id, Some(newer.id));
        left(&farm, &newer, JobStatus::Completed).await;
        left(&farm, &job, JobStatus::Pending).await;
        assert_eq!(beats(&farm, worker.id).await, Some(WorkerStatus::Idle));
        assert_eq!(farm.worker_row(worker.id).await.current_job_id, None);
    }

    async fn a_heartbeat_changes_only_what_it_brings(farm: Farm) {
        let worker = a_worker(&farm, "w1").await;
        farm.wait(INSTANT);
        let capabilities = json!({ "gpus": [1] });
        let first = Beat { capabilities: Some(&capabilities), gpus: Some(a_ready_gpu()), ..beat(&farm, worker.id) };
        let row = commit!(farm, |tx| workers::beat_unless_disabled(tx, &first)).unwrap();
        assert_eq!((row.last_heartbeat, row.boot_id), (Some(farm.now()), Some(first.boot_id)));
        assert_eq!((row.capabilities.0, row.has_gpu, row.metadata.0), (capabilities.clone(), true, json!({})));
        let row = commit!(farm, |tx| workers::beat_unless_disabled(tx, &beat(&farm, worker.id))).unwrap();
        assert_eq!((row.capabilities.0, row.has_gpu, row.gpu_abilities), (capabilities, true, 1));
    }

    async fn a_heartbeat_brings_an_offline_worker_back_and_no_disabled_one(farm: Farm) {
        let (offline, disabled) = (an_offline_worker(&farm).await, a_disabled_worker(&farm).await);
        assert_eq!(beats(&farm, offline).await, Some(WorkerStatus::Idle));
        let before = dump(&farm).await;
        assert_eq!(beats(&farm, disabled).await, None);
        assert_eq!(beats(&farm, WorkerId::new(&farm.clock)).await, None);
        assert_eq!(dump(&farm).await, before);
    }

    async fn a_claim_makes_its_worker_busy_unless_it_is_disabled(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let boot = BootId::new(&farm.clock);
        assert!(commit!(farm, |tx| workers::hold(tx, worker.id, job.id, boot)));
        let row = farm.worker_row(worker.id).await;
        assert_eq!((row.status, row.current_job_id, row.boot_id), (WorkerStatus::Busy, Some(job.id), Some(boot)));
        let disabled = a_disabled_worker(&farm).await;
        assert!(!unchanged!(farm, |tx| workers::hold(tx, disabled, job.id, boot)));
    }

    async fn a_worker_settles_on_another_job_or_idle(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| workers::settle(tx, worker.id));
        let row = farm.worker_row(worker.id).await;
        assert_eq!((row.status, row.current_job_id), (WorkerStatus::Busy, Some(job.id)));
        left(&farm, &job, JobStatus::Completed).await;
        commit!(farm, |tx| workers::settle(tx, worker.id));
        let row = farm.worker_row(worker.id).await;
        assert_eq!((row.status, row.current_job_id), (WorkerStatus::Idle, None));
        for away in [an_offline_worker(&farm).await, a_disabled_worker(&farm).await] {
            unchanged!(farm, |tx| workers::settle(tx, away));
        }
    }

    async fn a_lock_on_a_worker_changes_nothing_and_one_that_is_gone_needs_none(farm: Farm) {
        let (_, worker) = a_running_job(&farm, "clip").await;
        for id in [worker.id, WorkerId::new(&farm.clock)] {
            unchanged!(farm, |tx| workers::lock(tx, id));
        }
    }

    async fn a_worker_is_silent_after_the_instant_of_its_last_heartbeat(farm: Farm) {
        let (worker, heard) = (a_worker(&farm, "w1").await.id, farm.now());
        let never = a_worker(&farm, "never beat").await.id;
        farm.sql("UPDATE worker SET last_heartbeat = NULL WHERE name = 'never beat'").await;
        an_offline_worker(&farm).await;
        a_disabled_worker(&farm).await;
        assert!(workers::silent_since(&farm.app.db, heard).await.unwrap().is_empty());
        let mut silent: Vec<WorkerId> =
            workers::silent_since(&farm.app.db, heard + INSTANT).await.unwrap().iter().map(|row| row.id).collect();
        silent.sort_by_key(|id| *id != worker);
        assert_eq!(silent, [worker, never]);
        assert!(!unchanged!(farm, |tx| workers::offline_if_silent(tx, worker, heard)));
        for id in [worker, never] {
            assert!(commit!(farm, |tx| workers::offline_if_silent(tx, id, heard + INSTANT)));
            assert!(!unchanged!(farm, |tx| workers::offline_if_silent(tx, id, heard + INSTANT)));
        }
    }

    async fn a_worker_is_disabled_and_enabled_once(farm: Farm) {
        let worker = a_worker(&farm, "w1").await.id;
        assert_eq!(workers::count_draining(&farm.app.db).await.unwrap(), 0);
        commit!(farm, |tx| workers::set_draining(tx, worker, true));
        assert_eq!(workers::count_draining(&farm.app.db).await.unwrap(), 1);
        assert!(!unchanged!(farm, |tx| workers::enable_if_disabled(tx, worker)));
        assert!(commit!(farm, |tx| workers::disable(tx, worker)));
        assert!(!unchanged!(farm, |tx| workers::disable(tx, worker)));
        assert!(commit!(farm, |tx| workers::enable_if_disabled(tx, worker)));
        let row = farm.worker_row(worker).await;
        assert_eq!((row.status, row.draining), (WorkerStatus::Active, false));
        assert!(!unchanged!(farm, |tx| workers::set_draining(tx, WorkerId::new(&farm.clock), true)));
    }

    async fn a_worker_is_deleted_once(farm: Farm) {
        let worker = a_worker(&farm, "w1").await.id;
        assert!(commit!(farm, |tx| workers::delete(tx, worker)));
        assert!(!unchanged!(farm, |tx| workers::delete(tx, worker)));
    }

    async fn silence_is_forgiven_to_those_that_were_alive_before_it(farm: Farm) {
        let old = a_worker(&farm, "old").await.id;
        farm.wait(INSTANT);
        let (alive, since) = (a_worker(&farm, "alive").await.id, farm.now());
        let offline = an_offline_worker(&farm).await;
        farm.wait(Duration::hours(1));
        let now = farm.now();
        assert_eq!(commit!(farm, |tx| workers::forgive_silence(tx, since, now)), 1);
        assert_eq!(farm.worker_row(alive).await.last_heartbeat, Some(now));
        for id in [old, offline] {
            assert!(farm.worker_row(id).await.last_heartbeat < Some(now));
        }
        assert_eq!(unchanged!(farm, |tx| workers::forgive_silence(tx, since, now)), 0);
    }
}
