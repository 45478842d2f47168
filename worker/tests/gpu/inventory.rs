//! What is found, and how it is told.

use std::time::Duration;

use framefarm_gpu_stubs::FakeGpus;
use framefarm_shared::gpu::{GpuKind, GpuSample, GpuState};
use framefarm_worker::gpu::{Choice, Inventory, Options};

use super::{Ffmpeg, options, wait_for};

const GIB: u64 = 1 << 30;

#[tokio::test]
async fn two_gpus_are_found_with_all_that_the_driver_tells() {
    let fake_gpus = FakeGpus::new(2);
    fake_gpus
        .gpu(0)
        .set("name", "NVIDIA GeForce RTX 3060")
        .set("memory_total", 12 * GIB)
        .set("memory_used", GIB);
    fake_gpus.gpu(0).set("temperature", 71).set("power", 120).set("power_limit", 170).set("throttle", "0x24");
    fake_gpus.gpu(0).set("encoder", 60).set("decoder", 20).set("compute", 10);
    fake_gpus.gpu(1).set("uuid", "GPU-5c2f1111-2222-3333-4444-555566667777");

    let inventory = Inventory::open(options(&fake_gpus)).await;
    let view = inventory.now();
    assert!(view.missing.is_empty(), "{:?}", view.missing);
    let [first, second] = view.gpus.as_slice() else { panic!("{view:?}") };
    assert_eq!(first.gpu.name, "NVIDIA GeForce RTX 3060");
    assert_eq!((first.gpu.memory_bytes, first.gpu.place.ordinal), (Some(12 * GIB), 0));
    assert_eq!(first.gpu.place.pci.as_deref(), Some("00000000:01:00.0"));
    assert_eq!((first.gpu.kinds.as_slice(), &first.gpu.mig), ([GpuKind::Nvenc].as_slice(), &None));
    assert_eq!((first.state, &first.reason), (GpuState::Ready, &None));
    let told = GpuSample {
        encoder_percent: Some(60),
        decoder_percent: Some(20),
        compute_percent: Some(10),
        memory_used_bytes: Some(GIB),
        temperature_celsius: Some(71),
        power_watts: Some(120),
        power_limit_watts: Some(170),
        encoder_sessions: Some(0),
        foreign_processes: Some(0),
        throttled: vec!["power".to_owned(), "heat".to_owned()],
    };
    assert_eq!(first.sample, Some(told));
    assert_eq!(second.gpu.id, "GPU-5c2f1111-2222-3333-4444-555566667777");
    assert_eq!(view.gpu(&second.gpu.id).unwrap().gpu.place.ordinal, 1);
}

#[tokio::test]
async fn sessions_are_counted_and_their_processes_are_known_as_ours() {
    let fake_gpus = FakeGpus::new(2);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let sessions = |sample: &Option<GpuSample>| sample.as_ref().and_then(|sample| sample.encoder_sessions);
    let mut running = Vec::new();
    for wanted in 1..=2 {
        running.push(Ffmpeg::endless(&fake_gpus));
        let view = wait_for(&inventory, |view| sessions(&view.gpus[0].sample) == Some(wanted)).await;
        assert_eq!(sessions(&view.gpus[1].sample), Some(0));
    }
    let view = wait_for(&inventory, |view| view.gpus[0].history.encoder_percent.last() > Some(&79)).await;
    let sample = view.gpus[0].sample.as_ref().unwrap();
    assert_eq!((sample.foreign_processes, view.gpus[0].foreign_memory_bytes), (Some(0), Some(0)));

    fake_gpus.gpu(0).set("foreign", format!("3 {GIB}"));
    let foreign = |sample: &Option<GpuSample>| sample.as_ref().and_then(|sample| sample.foreign_processes);
    let view = wait_for(&inventory, |view| foreign(&view.gpus[0].sample) == Some(3)).await;
    assert_eq!(
        view.gpus[0].foreign_memory_bytes.map(|bytes| bytes / (1 << 20)),
        Some(1023),
        "thirds are rounded"
    );

    drop(running);
    wait_for(&inventory, |view| sessions(&view.gpus[0].sample) == Some(0)).await;
}

#[tokio::test]
async fn in_a_container_nobody_is_taken_for_a_stranger() {
    let fake_gpus = FakeGpus::new(1);
    fake_gpus.gpu(0).set("foreign", "3 1000");
    let options = Options { sees_all_processes: false, ..options(&fake_gpus) };
    let inventory = Inventory::open(options).await;
    let view = inventory.now();
    assert_eq!(view.gpus[0].sample.as_ref().unwrap().foreign_processes, None);
    assert_eq!(view.gpus[0].foreign_memory_bytes, None);
}

#[tokio::test]
async fn a_gpu_in_instances_is_told_as_such() {
    let fake_gpus = FakeGpus::new(2);
    fake_gpus.gpu(0).set("mig", 1);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let view = inventory.now();
    let divided = &view.gpus[0];
    assert_eq!(divided.state, GpuState::Unusable);
    assert!(
        divided.reason.as_ref().unwrap().starts_with("MIG splits the GPU into 2 instances"),
        "{divided:?}"
    );
    assert!(divided.gpu.mig.as_ref().unwrap().iter().all(|id| id.starts_with("MIG-")));
    assert_eq!(divided.sample.as_ref().unwrap().encoder_percent, None);
    assert_eq!(view.gpus[1].state, GpuState::Ready);

    fake_gpus.gpu(0).set("mig", 0);
    let view = wait_for(&inventory, |view| view.gpus[0].state == GpuState::Ready).await;
    assert_eq!((&view.gpus[0].gpu.mig, &view.gpus[0].reason), (&None, &None));
}

#[tokio::test]
async fn nonsense_is_as_good_as_nothing() {
    let fake_gpus = FakeGpus::new(1);
    fake_gpus.gpu(0).set("garbage", 1);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let view = inventory.now();
    let seen = &view.gpus[0];
    assert_eq!((seen.gpu.name.as_str(), seen.state), ("NVIDIA GPU", GpuState::Ready));
    let sample = seen.sample.clone().unwrap();
    let told = GpuSample { throttled: Vec::new(), foreign_processes: None, ..sample.clone() };
    assert_eq!(told, GpuSample::default(), "{sample:?}");

    fake_gpus.gpu(0).set("uuid", "GPU-1,GPU-2").set("memory_total", 0);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let view = inventory.now();
    assert!(view.gpus.is_empty(), "{view:?}");
    assert_eq!(view.missing, ["NVIDIA GPU 0: its ID cannot be read"]);
}

#[tokio::test]
async fn gpus_are_chosen_and_a_choice_without_a_gpu_is_told() {
    let fake_gpus = FakeGpus::new(3);
    fake_gpus.gpu(2).set("uuid", "GPU-5c2f1111-2222-3333-4444-555566667777");
    let all = [fake_gpus.gpu(0).id(), fake_gpus.gpu(1).id(), fake_gpus.gpu(2).id()];
    for (choice, gpus, told) in [
        ("all", vec![0, 1, 2], None),
        ("1", vec![1], None),
        ("gpu-5c2f,0", vec![0, 2], None),
        ("1,7", vec![1], Some("`7` matches none of the GPUs: 0 (GPU-")),
        ("renderD128", vec![], Some("`renderD128` matches none of")),
        ("none", vec![], Some("disabled by FRAMEFARM_GPUS=none")),
    ] {
        let Ok(parsed) = choice.parse::<Choice>();
        let inventory = Inventory::open(Options { choice: parsed, ..options(&fake_gpus) }).await;
        let view = inventory.now();
        let seen: Vec<&String> = view.gpus.iter().map(|seen| &seen.gpu.id).collect();
        let wanted: Vec<&String> = gpus.iter().map(|gpu| &all[*gpu]).collect();
        assert_eq!(seen, wanted, "{choice}");
        assert_eq!(view.missing.len(), usize::from(told.is_some()), "{choice}: {:?}", view.missing);
        assert!(
            view.missing.iter().zip(told).all(|(words, told)| words.contains(told)),
            "{:?}",
            view.missing
        );
    }
}

#[tokio::test]
async fn render_nodes_come_after_the_gpus_of_nvidia_and_go_with_their_file() {
    let fake_gpus = FakeGpus::new(1);
    let root = fake_gpus.path().join("root");
    let device = root.join("sys/class/drm/renderD128/device");
    std::fs::create_dir_all(&device).unwrap();
    std::fs::create_dir_all(root.join("dev/dri")).unwrap();
    std::fs::write(device.join("vendor"), "0x8086\n").unwrap();
    std::fs::write(device.join("device"), "0x46a6\n").unwrap();
    std::fs::write(root.join("dev/dri/renderD128"), "").unwrap();

    let inventory = Inventory::open(Options { root: root.clone(), ..options(&fake_gpus) }).await;
    let view = inventory.now();
    let node = &view.gpus[1];
    assert_eq!((node.gpu.id.as_str(), node.gpu.place.ordinal), ("renderD128", 1));
    assert_eq!((node.gpu.name.as_str(), node.state), ("Intel 0x46a6", GpuState::Ready));
    assert_eq!(node.gpu.place.node.as_deref(), Some(root.join("dev/dri/renderD128").as_path()));

    fake_gpus.insert(1);
    let view = wait_for(&inventory, |view| view.gpus.len() == 3).await;
    assert_eq!((view.gpus[2].gpu.id.as_str(), view.gpus[2].gpu.place.ordinal), ("renderD128", 2));

    std::fs::remove_dir_all(root.join("sys")).unwrap();
    let view = wait_for(&inventory, |view| view.gpus[2].state == GpuState::Lost).await;
    assert_eq!(view.gpus[2].reason.as_deref(), Some("the render node is gone"));
    assert_eq!(view.gpus[0].state, GpuState::Ready);
}

#[tokio::test]
async fn the_looks_end_with_the_inventory() {
    let fake_gpus = FakeGpus::new(1);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let mut looks = inventory.looks();
    drop(inventory);
    let ended = async { while looks.changed().await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap();
}
