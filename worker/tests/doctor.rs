//! `framefarm-worker doctor` on this machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::{Command, Output};

use framefarm_shared::wire::worker_api::MAX_WORKER_JSON;
use framefarm_worker::doctor::capabilities;
use framefarm_worker::walls::{MODE_VARIABLE, probe_walls};
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
    let nvenc = finding(&report, "h264_nvenc");
    assert!(
        nvenc["health"] == "good" || nvenc["says"].as_str().is_some_and(|says| says.len() > 5),
        "{nvenc}"
    );
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_scratch_directory_that_cannot_be_written_is_essential() {
    let output = worker(&["doctor", "--scratch", "/proc"], "best-effort");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("✗ scratch "), "{output:?}");
}

#[test]
fn an_encoder_that_is_not_there_is_told_apart_from_a_child_that_failed() {
    let output = worker(&["try-encoder", "libnothing"], "best-effort");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("this build of ffmpeg does not have it"));
}

#[tokio::test]
async fn a_child_that_requires_its_walls_runs_only_where_all_of_them_stand() {
    let raised = probe_walls(Path::new(WORKER)).await.unwrap();
    let output = worker(&["try-encoder", "libx264"], "required");
    if raised.missing().next().is_none() {
        assert!(String::from_utf8_lossy(&output.stdout).contains("\"trouble\":null"), "{output:?}");
    } else {
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(&raised.to_string()), "{output:?}");
    }
}

#[test]
fn walls_that_are_switched_off_are_told_as_missing() {
    let output = worker(&["check-walls"], "off");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told.matches("switched off by FRAMEFARM_SANDBOX").count(), 5, "{told}");
}

#[test]
fn a_mode_that_does_not_exist_opens_no_walls() {
    let output = worker(&["try-encoder", "libx264"], "none");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("required, best-effort, off"), "{output:?}");
}

#[tokio::test]
async fn the_farm_is_told_what_passed() {
    let told = capabilities(Path::new(WORKER)).await.unwrap();
    assert!(told.to_string().len() < MAX_WORKER_JSON);
    assert!(told["encoders"].as_array().unwrap().contains(&Value::from("libx264")));
    assert!(told["cores"].as_u64().unwrap() >= 1);
    assert!(told["walls"].is_object(), "{told}");
}
