//! `framefarm-worker doctor` on this machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::{Command, Output};

use framefarm_gpu_stubs::FakeGpus;
use framefarm_shared::wire::worker_api::MAX_WORKER_JSON;
use framefarm_worker::doctor::capabilities;
use framefarm_worker::gpu::GpuPool;
use framefarm_worker::sandbox::{MODE_VARIABLE, probe_sandbox};
use serde_json::Value;

const WORKER: &str = env!("CARGO_BIN_EXE_framefarm-worker");

fn worker(arguments: &[&str], mode: &str) -> Output {
    let mut command = Command::new(WORKER);
    for inherited in ["FRAMEFARM_API", "FRAMEFARM_WORKER_KEY_FILE"] {
        command.env_remove(inherited);
    }
    command.args(arguments).env(MODE_VARIABLE, mode).output().unwrap()
}

fn finding<'a>(report: &'a Value, what: &str) -> &'a Value {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["what"] == what).unwrap()
}

#[test]
fn a_machine_with_the_usual_encoders_is_fit_and_says_why_it_has_no_gpu() {
    let scratch = tempfile::tempdir().unwrap();
    let output = worker(&["doctor", "--json", "--scratch", scratch.path().to_str().unwrap()], "best-effort");
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for encoder in ["libx264", "aac", "libx265", "libsvtav1"] {
        assert_eq!(finding(&report, encoder)["health"], "good", "{encoder}");
    }
    let gpu = finding(&report, "gpu");
    assert_eq!(gpu["health"], "absent");
    assert!(gpu["says"].as_str().unwrap().contains("NVIDIA driver"), "{gpu}");
    assert_eq!(report["capabilities"]["gpu_missing"][0], gpu["says"]);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_scratch_directory_that_cannot_be_written_is_essential() {
    let output = worker(&["doctor", "--scratch", "/proc"], "best-effort");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("✗ scratch "), "{output:?}");
}

#[test]
fn the_earlier_variable_of_the_preset_is_below_the_present_names() {
    let help = |variables: &[(&str, &str)]| {
        let output = Command::new(WORKER).args(["run", "--help"]).envs(variables.iter().copied()).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let default = |help: &str, name: &str| help.contains(&format!("[default: {name}]"));
    assert!(default(&help(&[]), "veryfast"));
    assert!(default(&help(&[("FRAMEFARM_WORKER_PRESET", "slow")]), "slow"));
}

#[test]
fn an_encoder_that_is_not_there_is_told_apart_from_a_child_that_failed() {
    let output = worker(&["try-encoder", "libnothing"], "best-effort");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("this build of ffmpeg does not have it"));
}

#[tokio::test]
async fn a_child_that_requires_its_sandbox_runs_only_where_all_layers_are_enforced() {
    let raised = probe_sandbox(Path::new(WORKER)).await.unwrap();
    let output = worker(&["try-encoder", "libx264"], "required");
    if raised.is_complete() {
        assert!(String::from_utf8_lossy(&output.stdout).contains("\"trouble\":null"), "{output:?}");
    } else {
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(&raised.to_string()), "{output:?}");
    }
}

#[test]
fn layers_that_are_switched_off_are_reported_as_missing() {
    let output = worker(&["check-sandbox"], "off");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told.matches("disabled by FRAMEFARM_SANDBOX").count(), 5, "{told}");
}

#[test]
fn a_mode_that_does_not_exist_does_not_turn_the_sandbox_off() {
    let output = worker(&["try-encoder", "libx264"], "none");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("required, best-effort, off"), "{output:?}");
}

#[tokio::test]
async fn the_farm_is_told_what_passed() {
    let told = capabilities(Path::new(WORKER), &GpuPool::none("not asked for")).await.unwrap();
    assert!(told.to_string().len() < MAX_WORKER_JSON);
    assert!(told["encoders"].as_array().unwrap().contains(&Value::from("libx264")));
    assert!(told["cores"].as_u64().unwrap() >= 1);
    assert!(told["walls"].is_object(), "{told}");
}

/// A worker that uses the drivers of the fake GPUs.
fn worker_with(fake_gpus: &FakeGpus, arguments: &[&str]) -> Output {
    let paths = std::env::join_paths([fake_gpus.library_path(), fake_gpus.path().to_owned()]).unwrap();
    let mut command = Command::new(WORKER);
    command.env("LD_LIBRARY_PATH", paths).env("CUDA_VISIBLE_DEVICES", fake_gpus.gpu(0).id());
    command.args(arguments).output().unwrap()
}

#[test]
fn a_gpu_is_what_it_did_in_a_test_encode() {
    let fake_gpus = FakeGpus::new(1);
    let gpu = fake_gpus.gpu(0).set("sessions", 5).set("max_side", 4096);
    let answer = |arguments: &[&str]| {
        let output = worker_with(&fake_gpus, &[&["try-encoder", "h264_nvenc", "--gpu"], arguments].concat());
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let told = answer(&["--device", &gpu.id(), "--sessions", "32"]);
    assert_eq!(told["trouble"], Value::Null, "{told}");
    assert!(told["card"]["fps"].as_f64().unwrap() > 0.0);
    assert_eq!(told["card"]["max_side"], 4096);
    assert_eq!(told["card"]["on_card"], false, "a fake GPU does not decode");
    assert_eq!(told["card"]["sessions"]["opened"], 5);
    assert_eq!(told["card"]["sessions"]["limited"], true, "{told}");
    gpu.set("max_side", 1920).set("sessions", 40);
    let told = answer(&["--device", &gpu.id(), "--sessions", "3"]);
    assert_eq!(told["card"]["max_side"], 1920);
    assert_eq!(told["card"]["sessions"]["opened"], 3);
    assert_eq!(told["card"]["sessions"]["limited"], false, "no session was refused: {told}");
    gpu.set("lost", 1);
    let told = answer(&["--device", &gpu.id()]);
    assert!(told["trouble"].as_str().unwrap().contains(&gpu.id()), "{told}");
    assert_eq!(gpu.open_sessions(), 0);
}

#[test]
fn every_path_of_a_gpu_is_tested_and_told() {
    let fake_gpus = FakeGpus::new(1);
    let gpu = fake_gpus.gpu(0).set("codecs", "h264").set("sessions", 2);
    let scratch = tempfile::tempdir().unwrap();
    let (named, place) = (format!("nvenc={}", gpu.id()), scratch.path().to_str().unwrap());
    let output = worker_with(&fake_gpus, &["gpu-selftest", "--gpu", &named, "--scratch", place]);
    let report = String::from_utf8(output.stdout).unwrap();
    for row in [
        "pass  h264_nvenc: test encode: ",
        "pass  h264_nvenc: CPU decodes, GPU encodes: ",
        "pass  h264_nvenc: segments start and end as planned: 4 segments",
        "pass  h264_nvenc: output decodes: 500 frames per quality",
        "pass  h264_nvenc: resumed midway: same timestamps, output decodes",
        "pass  h264_nvenc: continues software segments with their init segment: output decodes; ",
        "pass  sessions: 2 concurrent; one more is refused",
        "FAIL  h264_nvenc entirely on the GPU: ",
        "FAIL  hevc_nvenc: ",
    ] {
        assert!(report.contains(row), "{row} is missing in\n{report}");
    }
    assert_eq!(output.status.code(), Some(1), "a fake GPU does not decode");
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_self_test_that_can_make_nothing_says_why() {
    let output = worker(&["gpu-selftest", "--gpu", "vaapi=/dev/dri/renderD999"], "best-effort");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("FAIL  h264_vaapi: cannot open GPU /dev/dri/renderD999: "), "{report}");
    assert_eq!(output.status.code(), Some(1));
    let refused = worker(&["gpu-selftest", "--gpu", "voodoo=2"], "best-effort");
    assert_eq!(refused.status.code(), Some(2));
}
