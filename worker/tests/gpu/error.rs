//! What is not there, what goes away, and what comes back.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use framefarm_gpu_stubs::FakeGpus;
use framefarm_shared::gpu::GpuState;
use framefarm_worker::gpu::{Inventory, Options};

use super::{options, wait_for};

#[tokio::test]
async fn a_machine_without_a_driver_says_so() {
    let fake_gpus = FakeGpus::new(0);
    let library = PathBuf::from("libnvidia-ml-of-nobody.so.1");
    let inventory = Inventory::open(Options { nvml_library: Some(library), ..options(&fake_gpus) }).await;
    let view = inventory.now();
    assert!(view.gpus.is_empty());
    assert_eq!(
        view.missing,
        ["no NVIDIA driver on this machine (libnvidia-ml-of-nobody.so.1 was not found)"]
    );
}

#[tokio::test]
async fn a_file_that_is_no_library_is_told_in_the_words_of_the_loader() {
    let fake_gpus = FakeGpus::new(0);
    let library = fake_gpus.path().join("driver");
    let inventory =
        Inventory::open(Options { nvml_library: Some(library.clone()), ..options(&fake_gpus) }).await;
    let told = &inventory.now().missing[0];
    assert!(told.starts_with(&format!("{} cannot be loaded: ", library.display())), "{told}");
    assert!(told.contains("file too short") || told.contains("invalid ELF header"), "{told}");
}

#[tokio::test]
async fn an_nvidia_gpu_without_its_driver_is_told() {
    let fake_gpus = FakeGpus::new(0);
    let root = fake_gpus.path().join("root");
    std::fs::create_dir_all(root.join("sys/class/drm/renderD128/device")).unwrap();
    std::fs::write(root.join("sys/class/drm/renderD128/device/vendor"), "0x10de\n").unwrap();
    let library = PathBuf::from("libnvidia-ml-of-nobody.so.1");
    let inventory =
        Inventory::open(Options { nvml_library: Some(library), root, ..options(&fake_gpus) }).await;
    let told = &inventory.now().missing;
    assert!(told.len() == 1 && told[0].contains("but no NVIDIA driver"), "{told:?}");
}

#[tokio::test]
async fn a_driver_that_does_not_work_says_why_and_its_gpus_appear_when_it_does() {
    let fake_gpus = FakeGpus::new(1);
    fake_gpus.unload_driver();
    let inventory = Inventory::open(options(&fake_gpus)).await;
    for (driver, words) in [
        (None, "installed but not running (NVML: NVIDIA driver is not loaded); run `modprobe nvidia`"),
        (
            Some("broken"),
            "often after an update (NVML: driver/library version mismatch); restart the machine",
        ),
        (Some("forbidden"), "(NVML: no permission); give it access to /dev/nvidia*"),
        (Some("unknown"), "(NVML: an internal driver error occurred); check `nvidia-smi` and `dmesg`"),
    ] {
        if let Some(driver) = driver {
            fake_gpus.set_driver(driver);
        }
        let view = wait_for(&inventory, |view| view.missing.iter().any(|told| told.contains(words))).await;
        assert!(view.gpus.is_empty() && view.missing.len() == 1, "{view:?}");
    }
    fake_gpus.set_driver("550.54.14");
    let view = wait_for(&inventory, |view| !view.gpus.is_empty()).await;
    assert!(view.missing.is_empty() && view.gpus[0].state == GpuState::Ready, "{view:?}");
}

#[tokio::test]
async fn a_driver_without_a_gpu_says_so() {
    let fake_gpus = FakeGpus::new(0);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let told = &inventory.now().missing;
    assert!(
        told.len() == 1 && told[0].starts_with("the NVIDIA driver is running, but finds no GPU"),
        "{told:?}"
    );
    fake_gpus.insert(0);
    let view = wait_for(&inventory, |view| view.gpus.len() == 1).await;
    assert!(view.missing.is_empty(), "{:?}", view.missing);
}

#[tokio::test]
async fn a_gpu_that_falls_off_the_bus_is_lost_and_comes_back_as_itself() {
    let fake_gpus = FakeGpus::new(2);
    fake_gpus.gpu(0).set("encoder", 50);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let id = inventory.now().gpus[0].gpu.id.clone();
    wait_for(&inventory, |view| view.gpus[0].history.encoder_percent.len() >= 3).await;

    fake_gpus.gpu(0).set("lost", 1);
    let view = wait_for(&inventory, |view| view.gpus[0].state == GpuState::Lost).await;
    let lost = &view.gpus[0];
    assert_eq!((lost.gpu.id.as_str(), &lost.sample), (id.as_str(), &None));
    assert!(lost.reason.as_ref().unwrap().contains("fallen off the bus (NVML: GPU is lost)"), "{lost:?}");
    assert_eq!((lost.history.encoder_percent[0], lost.history.encoder_percent.last()), (50, Some(&0)));
    assert_eq!((view.gpus[1].state, view.missing.len()), (GpuState::Ready, 0));

    fake_gpus.gpu(0).set("lost", 0);
    let view = wait_for(&inventory, |view| view.gpus[0].state == GpuState::Ready).await;
    assert_eq!((view.gpus[0].gpu.id.as_str(), &view.gpus[0].reason), (id.as_str(), &None));
}

#[tokio::test]
async fn a_gpu_that_was_lost_before_we_came_is_told_and_found_later() {
    let fake_gpus = FakeGpus::new(2);
    fake_gpus.gpu(1).set("lost", 1);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    let view = inventory.now();
    assert_eq!(view.gpus.len(), 1);
    assert!(
        view.missing[0].starts_with("NVIDIA GPU 1: the GPU has fallen off the bus"),
        "{:?}",
        view.missing
    );
    fake_gpus.gpu(1).set("lost", 0);
    let view = wait_for(&inventory, |view| view.gpus.len() == 2).await;
    assert!(view.missing.is_empty(), "{:?}", view.missing);
}

#[tokio::test]
async fn a_driver_that_goes_away_takes_its_gpus_along_and_brings_them_back() {
    let fake_gpus = FakeGpus::new(2);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    fake_gpus.unload_driver();
    let is_all = |state| move |seen: &framefarm_worker::gpu::Snapshot| seen.state == state;
    let view = wait_for(&inventory, |view| view.gpus.iter().all(is_all(GpuState::Lost))).await;
    assert_eq!(view.gpus[0].reason, view.missing.first().cloned());
    fake_gpus.set_driver("550.54.14");
    let view = wait_for(&inventory, |view| view.gpus.iter().all(is_all(GpuState::Ready))).await;
    assert_eq!((view.gpus.len(), view.missing.len()), (2, 0));
}

#[tokio::test]
async fn a_driver_that_hangs_is_told_and_nobody_waits_for_it() {
    let fake_gpus = FakeGpus::new(2);
    let inventory = Inventory::open(options(&fake_gpus)).await;
    fake_gpus.gpu(1).set("hang", 1);
    let view = wait_for(&inventory, |view| view.gpus[1].state == GpuState::Lost).await;
    assert!(view.gpus[1].reason.as_ref().unwrap().contains("the NVIDIA driver does not respond"), "{view:?}");
    assert_eq!(inventory.now().gpus[1].sample, None);

    fake_gpus.gpu(1).unset("hang");
    let view = wait_for(&inventory, |view| view.gpus[1].state == GpuState::Ready).await;
    assert!(view.gpus[1].sample.is_some());
}

#[tokio::test]
async fn a_driver_that_hangs_from_the_start_holds_nobody_up() {
    let fake_gpus = FakeGpus::new(1);
    fake_gpus.gpu(0).set("hang", 1);
    let before = Instant::now();
    let inventory = Inventory::open(options(&fake_gpus)).await;
    assert!(before.elapsed() < Duration::from_secs(10));
    let view = inventory.now();
    assert!(
        view.gpus.is_empty() && view.missing[0].contains("the NVIDIA driver does not respond"),
        "{view:?}"
    );

    fake_gpus.gpu(0).unset("hang");
    let view = wait_for(&inventory, |view| !view.gpus.is_empty()).await;
    assert!(view.missing.is_empty(), "{:?}", view.missing);
}
