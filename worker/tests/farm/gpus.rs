//! Jobs on GPUs: the real program, Debian's own NVENC code, and stand-ins for the driver's libraries below it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use framefarm_api::db::{events, worker_gpus, workers};
use framefarm_api::responses::jobs;
use framefarm_gpu_stubs::FakeGpus;
use framefarm_shared::gpu::{Gpu, GpuState};
use framefarm_shared::state::{JobStatus, WorkerStatus};
use framefarm_shared::wire::event::EventKind;

use crate::api::{Api, Uploaded};
use crate::program::{Member, Program};
use crate::watch::until;
use crate::{encode, player};

/// GPUs of which a trial takes little time.
fn fake_gpus(gpus: usize) -> FakeGpus {
    let fake_gpus = FakeGpus::new(gpus);
    for gpu in 0..gpus {
        fake_gpus.gpu(gpu).set("sessions", 2).set("max_side", 1920).set("codecs", "h264");
    }
    fake_gpus
}

impl Member {
    fn start_with_gpus(&self, api: &Api, fake_gpus: &FakeGpus, arguments: &[&str]) -> Program {
        let libraries = fake_gpus.library_path();
        self.start_in(&api.url, arguments, &[("LD_LIBRARY_PATH", libraries.to_str().unwrap())])
    }

    async fn gpus(&self, api: &Api) -> Vec<Gpu> {
        let found = worker_gpus::of_workers(&api.app.db, &[self.id]).await.unwrap();
        found.into_iter().map(|(_, gpu)| gpu).collect()
    }

    /// Until it is heard of once more.
    async fn until_beat(&self, api: &Api) {
        let heard = async || workers::get(&api.app.db, self.id).await.unwrap().unwrap().last_heartbeat;
        let before = heard().await;
        until("a heartbeat", async || (heard().await > before).then_some(())).await;
    }

    async fn until_gpu(&self, api: &Api, at: usize, state: GpuState) -> Gpu {
        self.until_one(api, at, |gpu| gpu.state == state).await
    }

    async fn until_one(&self, api: &Api, at: usize, is_so: impl Fn(&Gpu) -> bool) -> Gpu {
        let what = format!("GPU {at} has the expected state");
        until(&what, async || self.gpus(api).await.into_iter().nth(at).filter(&is_so)).await
    }
}

async fn told(api: &Api, kind: EventKind) -> usize {
    let events = events::after(&api.app.db, 0, 10_000).await.unwrap();
    events.iter().filter(|event| event.kind == kind).count()
}

/// No attempt was spent on it, and nothing was made twice.
async fn assert_cost_nothing(api: &Api, video: &Uploaded) {
    let job = api.job(video).await;
    assert_eq!((job.status, job.attempt_number, job.failure_count), (JobStatus::Completed, 1, 0));
    let mut deliveries = api.deliveries(video).await;
    let count = deliveries.len();
    deliveries.sort();
    deliveries.dedup();
    assert_eq!(deliveries.len(), count, "something was delivered twice: {deliveries:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_gpus_of_two_sessions_do_six_jobs_and_never_have_more() {
    let (api, fake_gpus) = (Api::start().await, Arc::new(fake_gpus(2)));
    for gpu in 0..2 {
        fake_gpus.gpu(gpu).set("pace", 8);
    }
    let worker = Member::register(&api, "gpu").await;
    let running = worker.start_with_gpus(&api, &fake_gpus, &["--slots", "6"]);
    for gpu in 0..2 {
        let gpu = worker.until_gpu(&api, gpu, GpuState::Ready).await;
        assert_eq!((gpu.session_limit, gpu.encoders[0].name.as_str()), (Some(2), "h264_nvenc"));
    }
    let (over, most) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let counting = std::thread::spawn({
        let (fake_gpus, over, most) = (Arc::clone(&fake_gpus), Arc::clone(&over), Arc::clone(&most));
        move || {
            while !over.load(Ordering::Relaxed) {
                for gpu in 0..2 {
                    most.fetch_max(fake_gpus.gpu(gpu).open_sessions(), Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    });
    let mut videos = Vec::new();
    for number in 0..6 {
        let directory = api.scratch().join(number.to_string());
        std::fs::create_dir(&directory).unwrap();
        videos.push(api.upload(&encode::long_clip(&directory, "320x180", 25 + number, 12).await).await);
    }
    until("both GPUs are seen at work", async || {
        let gpus = worker.gpus(&api).await;
        let works = |gpu: &Gpu| {
            gpu.sessions > 0 && gpu.sample.as_ref().is_some_and(|now| now.encoder_percent > Some(0))
        };
        (gpus.len() == 2 && gpus.iter().all(works)).then_some(())
    })
    .await;
    for video in &videos {
        api.until_ready(video).await;
        assert_cost_nothing(&api, video).await;
    }
    over.store(true, Ordering::Relaxed);
    counting.join().unwrap();
    assert_eq!(most.load(Ordering::Relaxed), 2, "both sessions of a GPU were used, and no more");
    assert!(!worker.log().contains("GPU failed"), "nothing was refused: {}", worker.log());
    running.kill().await;
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_whose_gpu_is_lost_goes_on_elsewhere_and_the_gpu_comes_back() {
    let (api, fake_gpus) = (Api::start().await, fake_gpus(2));
    for gpu in 0..2 {
        fake_gpus.gpu(gpu).set("pace", 8);
    }
    let worker = Member::register(&api, "gpu").await;
    let running = worker.start_with_gpus(&api, &fake_gpus, &[]);
    worker.until_gpu(&api, 1, GpuState::Ready).await;
    let video = api.upload(&encode::long_clip(api.scratch(), "640x360", 25, 60).await).await;
    let before = api.until_delivered(&video, "360p", 2).await;
    let lost = usize::from(fake_gpus.gpu(0).open_sessions() == 0);
    fake_gpus.gpu(lost).set("lost", 1);
    worker.until_gpu(&api, lost, GpuState::Lost).await;
    fake_gpus.gpu(1 - lost).set("pace", 0);
    until("the other GPU has it", async || (fake_gpus.gpu(1 - lost).open_sessions() > 0).then_some(())).await;
    api.until_ready(&video).await;
    let after = api.segments(&video).await;
    for (quality, rows) in &before {
        assert!(after[quality].starts_with(rows), "segments of {quality} changed");
    }
    assert_cost_nothing(&api, &video).await;
    assert_eq!(player::frames(&api, &video.slug).await, ["1500"]);
    assert_eq!(
        (told(&api, EventKind::GpuQuarantined).await, told(&api, EventKind::GpuRecovered).await),
        (1, 0)
    );
    fake_gpus.gpu(lost).set("lost", 0);
    worker.until_gpu(&api, lost, GpuState::Ready).await;
    until("the recovery is reported", async || {
        (told(&api, EventKind::GpuRecovered).await == 1).then_some(())
    })
    .await;
    assert_eq!(told(&api, EventKind::GpuQuarantined).await, 1);
    running.kill().await;
    api.stop().await;
}

/// One job on one GPU, to which `happens` happens once it was tried; gives how the GPU is afterwards.
async fn after_failure(
    happens: impl FnOnce(&FakeGpus),
    arguments: &[&str],
    is_so: impl Fn(&Gpu) -> bool,
) -> Gpu {
    let (api, fake_gpus) = (Api::start().await, fake_gpus(1));
    let worker = Member::register(&api, "gpu").await;
    let running = worker.start_with_gpus(&api, &fake_gpus, arguments);
    worker.until_gpu(&api, 0, GpuState::Ready).await;
    happens(&fake_gpus);
    let video = api.upload(&encode::long_clip(api.scratch(), "320x180", 25, 12).await).await;
    until("the GPU failed", async || worker.log().contains("GPU failed").then_some(())).await;
    let gpu = worker.until_one(&api, 0, is_so).await;
    api.until_ready(&video).await;
    assert_cost_nothing(&api, &video).await;
    assert_eq!(player::frames(&api, &video.slug).await, ["300"]);
    running.kill().await;
    api.stop().await;
    gpu
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_session_costs_nothing_and_the_gpu_gets_fewer() {
    let refuse = |fake_gpus: &FakeGpus| {
        fake_gpus.gpu(0).set("fail_open", 10);
    };
    let gpu = after_failure(refuse, &[], |gpu| gpu.session_limit == Some(0)).await;
    assert_eq!(gpu.state, GpuState::Ready, "nothing is wrong with it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gpu_whose_memory_is_full_rests_and_the_job_goes_on() {
    let full = |fake_gpus: &FakeGpus| {
        fake_gpus.gpu(0).set("fail_encode", "160 10");
    };
    let gpu = after_failure(full, &[], |gpu| gpu.state == GpuState::Yielding).await;
    assert_eq!(gpu.reason.as_deref(), Some("GPU memory is full"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_gpu_does_not_do_is_done_on_the_cpu() {
    let narrow = |fake_gpus: &FakeGpus| {
        fake_gpus.gpu(0).set("max_side", 160);
    };
    let gpu = after_failure(narrow, &[], |gpu| gpu.state == GpuState::Unusable).await;
    assert_eq!(gpu.encoders, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gpu_whose_driver_is_gone_is_quarantined_and_the_job_goes_on() {
    let gone = |fake_gpus: &FakeGpus| {
        fake_gpus.gpu(0).set("fail_encode", "160 5");
    };
    let gpu = after_failure(gone, &[], |gpu| gpu.state == GpuState::Quarantined).await;
    assert_eq!(gpu.reason.as_deref(), Some("the driver does not respond"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gpu_that_hangs_is_quarantined_and_the_job_goes_on() {
    let hang = |fake_gpus: &FakeGpus| {
        fake_gpus.gpu(0).set("hang_encode", 160);
    };
    let gpu = after_failure(hang, &["--stall-seconds", "3"], |gpu| gpu.state == GpuState::Quarantined).await;
    assert_eq!(gpu.reason.as_deref(), Some("the encoder hangs"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_without_a_name_moves_the_job_and_leaves_the_gpu() {
    let fail = |fake_gpus: &FakeGpus| {
        fake_gpus.gpu(0).set("fail_encode", "160 20");
    };
    after_failure(fail, &[], |gpu| gpu.state == GpuState::Ready).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_others_have_open_at_the_start_do_not_shrink_the_gpu_for_ever() {
    let (api, fake_gpus) = (Api::start().await, fake_gpus(1));
    let other = fake_gpus.gpu(0).take_session();
    let worker = Member::register(&api, "gpu").await;
    let running = worker.start_with_gpus(&api, &fake_gpus, &[]);
    let gpu = worker.until_gpu(&api, 0, GpuState::Ready).await;
    assert_eq!(gpu.session_limit, Some(2), "one was free, and one was taken");
    drop(other);
    running.kill().await;
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hot_gpu_is_left_at_a_boundary_without_losing_work() {
    let (api, fake_gpus) = (Api::start().await, fake_gpus(1));
    fake_gpus.gpu(0).set("pace", 8).set("temperature", 60);
    let worker = Member::register(&api, "gpu").await;
    let running = worker.start_with_gpus(&api, &fake_gpus, &["--gpu-yield", "temperature=80"]);
    worker.until_gpu(&api, 0, GpuState::Ready).await;
    let video = api.upload(&encode::long_clip(api.scratch(), "320x180", 25, 40).await).await;
    api.until_delivered(&video, "180p", 1).await;
    fake_gpus.gpu(0).set("temperature", 85);
    let gpu = worker.until_gpu(&api, 0, GpuState::Yielding).await;
    assert_eq!(gpu.reason.as_deref(), Some("temperature is 85 °C, limit 80 °C"));
    until("no session is open on the GPU", async || (fake_gpus.gpu(0).open_sessions() == 0).then_some(()))
        .await;
    api.until_ready(&video).await;
    assert_cost_nothing(&api, &video).await;
    assert!(!worker.log().contains("GPU failed"));
    assert_eq!(told(&api, EventKind::GpuQuarantined).await, 0, "nothing is wrong with it");
    fake_gpus.gpu(0).set("temperature", 60);
    worker.until_gpu(&api, 0, GpuState::Ready).await;
    running.kill().await;
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_gpu_gets_the_job_and_a_dead_worker_with_one_is_waited_for_only_so_long() {
    let (api, fake_gpus) = (Api::start().await, fake_gpus(1));
    let (gpu, cpu) = (Member::register(&api, "gpu").await, Member::register(&api, "cpu").await);
    let with_gpu = gpu.start_with_gpus(&api, &fake_gpus, &[]);
    gpu.until_gpu(&api, 0, GpuState::Ready).await;
    let without = cpu.start(&api.url, &[]);
    until("the other one waits too", async || cpu.log().contains("waiting for jobs").then_some(())).await;
    let clip = encode::long_clip(api.scratch(), "320x180", 25, 6).await;
    let first = api.upload(&clip).await;
    api.until_ready(&first).await;
    assert_eq!(api.job(&first).await.processed_by_worker_id, Some(gpu.id));
    until("it is idle again", async || {
        let worker = workers::get(&api.app.db, gpu.id).await.unwrap()?;
        (worker.status == WorkerStatus::Idle).then_some(())
    })
    .await;

    let directory = api.scratch().join("second");
    std::fs::create_dir(&directory).unwrap();
    let clip = encode::long_clip(&directory, "320x180", 30, 6).await;
    gpu.until_beat(&api).await;
    with_gpu.kill().await;
    let second = api.upload(&clip).await;
    let seen = until("the reason is visible", async || {
        let view = jobs::get(&api.app, second.job_id).await.unwrap();
        view.job.waiting.map(|waiting| waiting.text)
    })
    .await;
    assert!(seen.starts_with("Waiting for gpu, at most "), "{seen}");
    api.until_ready(&second).await;
    assert_eq!(api.job(&second).await.processed_by_worker_id, Some(cpu.id));
    without.kill().await;
    api.stop().await;
}
