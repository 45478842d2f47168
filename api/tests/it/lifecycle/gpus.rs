//! GPUs: what workers report of them, and which worker gets which job.

use chrono::Duration;
use framefarm_api::testing::{self, Farm, TestDatabase, TestWorker, a_gpu, a_plan};
use framefarm_api::{on_both_engines, responses};
use framefarm_shared::gpu::{Gpu, GpuHistory, GpuState};
use framefarm_shared::id::JobId;
use framefarm_shared::ladder::VideoCodec;
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::NoJobReason;

#[test]
fn the_wait_for_a_gpu_is_two_heartbeats() {
    let mut settings = testing::settings(&TestDatabase::sqlite());
    for seconds in [30, 45] {
        settings.worker_heartbeat_interval = seconds;
        assert_eq!(settings.gpu_deferral().num_seconds(), i64::from(2 * seconds));
    }
}

async fn with_gpus(farm: &Farm, name: &str, gpus: Vec<Gpu>) -> TestWorker {
    let worker = farm.worker(name).await;
    worker.beat_with_gpus(gpus).await.unwrap();
    worker
}

fn gpu_at(fps: f64) -> Gpu {
    let mut gpu = a_gpu("GPU-1");
    gpu.encoders[0].fps = fps;
    gpu
}

/// A job that was handed back rests a little.
async fn until_claimable(farm: &Farm, job: JobId) {
    farm.wait(farm.job(job).await.claimable_at - farm.now());
}

async fn told(farm: &Farm) -> Vec<(EventKind, String)> {
    let events = farm.events().await;
    let of_gpus = events.into_iter().filter(|event| event.kind.as_str().starts_with("gpu_"));
    of_gpus.map(|event| (event.kind, event.reason.unwrap_or_default())).collect()
}

on_both_engines! {
    async fn a_worker_shows_the_gpus_it_told_of(farm: Farm) {
        let gpu = Gpu { history: GpuHistory { every_seconds: 2, encoder_percent: vec![1, 50], ..<_>::default() }, ..a_gpu("GPU-1") };
        let worker = with_gpus(&farm, "w1", vec![gpu.clone()]).await;
        let view = responses::workers::get(&farm.app, worker.id).await.unwrap();
        assert_eq!((view.has_gpu, view.gpus), (true, vec![gpu]));
        // A heartbeat that says nothing of GPUs leaves them as they are.
        worker.beat(&[]).await.unwrap();
        assert_eq!(responses::workers::get(&farm.app, worker.id).await.unwrap().gpus.len(), 1);
        worker.beat_with_gpus(vec![]).await.unwrap();
        let view = responses::workers::get(&farm.app, worker.id).await.unwrap();
        assert_eq!((view.has_gpu, view.gpus), (false, vec![]));
    }

    async fn a_gpu_that_fails_is_told_once_and_once_when_it_is_back(farm: Farm) {
        let worker = with_gpus(&farm, "w1", vec![a_gpu("GPU-1"), a_gpu("GPU-2")]).await;
        let failed = |state, why: &str| Gpu { state, reason: Some(why.to_owned()), ..a_gpu("GPU-1") };
        for state in [GpuState::Quarantined, GpuState::Quarantined, GpuState::Lost] {
            worker.beat_with_gpus(vec![failed(state, "it hangs"), a_gpu("GPU-2")]).await.unwrap();
        }
        assert!(farm.worker_row(worker.id).await.has_gpu, "the other GPU is well");
        worker.beat_with_gpus(vec![a_gpu("GPU-1"), a_gpu("GPU-2")]).await.unwrap();
        let told = told(&farm).await;
        assert_eq!(told, [
            (EventKind::GpuQuarantined, "test GPU (GPU-1): it hangs".to_owned()),
            (EventKind::GpuRecovered, "test GPU (GPU-1): accepts jobs again".to_owned()),
        ]);
    }

    async fn gpus_out_of_range_are_refused_and_change_nothing(farm: Farm) {
        let worker = with_gpus(&farm, "w1", vec![a_gpu("GPU-1")]).await;
        let mut endless = a_gpu("GPU-1");
        endless.history.encoder_percent = vec![0; 61];
        let mut fast = a_gpu("GPU-1");
        fast.encoders[0].fps = -1.0;
        let long = Gpu { name: "x".repeat(201), ..a_gpu("GPU-1") };
        let zero = Gpu { name: "\0".to_owned(), ..a_gpu("GPU-1") };
        let twice = vec![a_gpu("GPU-1"), a_gpu("GPU-1")];
        let many = (0..17).map(|number| a_gpu(&number.to_string())).collect();
        for gpus in [vec![endless], vec![fast], vec![long], vec![zero], twice, many] {
            let error = worker.beat_with_gpus(gpus).await.unwrap_err();
            assert_eq!(error.status.as_u16(), 400, "{}", error.detail);
        }
        assert_eq!(responses::workers::get(&farm.app, worker.id).await.unwrap().gpus, [a_gpu("GPU-1")]);
    }

    async fn nobody_waits_for_a_gpu_that_is_not_ready(farm: Farm) {
        let sick = Gpu { state: GpuState::Quarantined, ..a_gpu("GPU-1") };
        with_gpus(&farm, "gpu-1", vec![sick]).await;
        farm.upload("clip").await;
        assert!(farm.worker("cpu-1").await.try_claim().await.is_some());
    }

    async fn nobody_waits_for_a_gpu_that_knows_no_codec_of_the_ladder(farm: Farm) {
        let mut gpu = a_gpu("GPU-1");
        gpu.encoders[0].codec = VideoCodec::Hevc;
        with_gpus(&farm, "gpu-1", vec![gpu]).await;
        farm.upload("clip").await;
        assert!(farm.worker("cpu-1").await.try_claim().await.is_some(), "the ladder is all H.264");
    }

    async fn a_probed_job_waits_only_for_a_gpu_that_takes_its_size(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w0").await;
        let job = worker.claim().await;
        worker.plan(&job, a_plan()).await.unwrap();
        worker.release(&job).await.unwrap();
        let cpu = farm.worker("cpu-1").await;
        let mut tiny = a_gpu("GPU-1");
        tiny.encoders[0].max_side = 640;
        let gpu = with_gpus(&farm, "gpu-1", vec![tiny]).await;
        assert_eq!(farm.job(job.job_id).await.gpu_needs, Some(1));
        until_claimable(&farm, job.job_id).await;
        let mine = cpu.claim().await;
        cpu.release(&mine).await.unwrap();
        until_claimable(&farm, job.job_id).await;
        gpu.beat_with_gpus(vec![a_gpu("GPU-1")]).await.unwrap();
        assert_eq!(cpu.ask().await.reason, Some(NoJobReason::WaitingForGpu));
    }

    async fn a_slower_gpu_leaves_a_fresh_job_to_an_idle_faster_one_for_five_seconds(farm: Farm) {
        let slow = with_gpus(&farm, "slow", vec![gpu_at(100.0)]).await;
        let fast = with_gpus(&farm, "fast", vec![gpu_at(400.0)]).await;
        farm.upload("clip").await;
        let reply = slow.ask().await;
        assert_eq!(reply.reason, Some(NoJobReason::WaitingForGpu));
        assert_eq!(reply.detail.as_deref(), Some("waiting for fast, at most 5 s"));
        farm.wait(Duration::seconds(5));
        assert!(slow.try_claim().await.is_some());
        farm.upload("another").await;
        assert!(fast.try_claim().await.is_some());
    }

    async fn gpus_of_about_the_same_speed_do_not_wait_for_each_other(farm: Farm) {
        let one = with_gpus(&farm, "one", vec![gpu_at(100.0)]).await;
        with_gpus(&farm, "two", vec![gpu_at(120.0)]).await;
        farm.upload("clip").await;
        assert!(one.try_claim().await.is_some());
    }
}
