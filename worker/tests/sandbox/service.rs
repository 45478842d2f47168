//! The worker as a service: inside the filter of system calls that the systemd units put around it.
//!
//! `systemd_252_groups.txt` has the groups as `systemd-analyze syscall-filter` of systemd 252 lists them: in that version no
//! group has the calls of Landlock and seccomp.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use framefarm_shared::ladder::Ladder;
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{
    Coder, EncodeTask, EncoderSettings, ProbeTask, QualityTask, Report, segment_path,
};
use framefarm_worker::sandbox::{Layer, MODE_VARIABLE};
use libtest_mimic::{Failed, Trial};
use seccompiler::{BpfProgram, apply_filter, compile_from_json};
use serde::Serialize;
use serde_json::{Value, json};

use crate::attempt::THIS_KERNEL;
use crate::transcode;
use crate::yard::Yard;

const WORKER: &str = env!("CARGO_BIN_EXE_framefarm-worker");
const UNITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docker");
const GROUPS: &str = include_str!("systemd_252_groups.txt");
/// For the launcher: what the worker may call.
const ALLOWED: &str = "SANDBOX_SERVICE_ALLOWED";

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |name: &str, check: fn()| {
        Trial::test(name, move || {
            check();
            Ok::<(), Failed>(())
        })
    };
    vec![
        trial("every_unit_allows_the_system_calls_of_every_layer", every_unit_allows_them),
        trial("as_a_service_every_layer_is_enforced", every_layer_is_enforced),
        trial("as_a_service_a_video_is_encoded_behind_every_layer", a_video_is_encoded),
        trial("a_service_that_forbids_the_sandbox_is_told_with_what_to_do", forbidden_is_told),
        trial(
            "a_service_that_forbids_the_sandbox_encodes_nothing_where_it_is_required",
            forbidden_is_refused,
        ),
    ]
}

pub(crate) fn asked_for() -> Option<String> {
    env::var(ALLOWED).ok()
}

/// The launcher's half: becomes the worker inside a filter, as a service manager does.
pub(crate) fn become_worker(allowed: &str) {
    apply_filter(&filter(allowed.split(','))).unwrap();
    let mut worker = Command::new(WORKER);
    panic!("{}", worker.args(env::args_os().skip(1)).env_remove(ALLOWED).exec());
}

/// Names that are no calls of this architecture are left out, as systemd does.
fn filter<'a>(allowed: impl Iterator<Item = &'a str>) -> BpfProgram {
    let compile = |calls: &[&str]| {
        let calls: Vec<Value> = calls.iter().map(|call| json!({ "syscall": call })).collect();
        let thread =
            json!({ "mismatch_action": { "errno": libc::EPERM }, "match_action": "allow", "filter": calls });
        let text = json!({ "worker": thread }).to_string();
        compile_from_json(text.as_bytes(), env::consts::ARCH.try_into().unwrap())
    };
    let known: Vec<&str> = allowed.filter(|call| compile(&[call]).is_ok()).collect();
    compile(&known).unwrap().remove("worker").unwrap()
}

fn units() -> Vec<(PathBuf, BTreeSet<String>)> {
    let entries = fs::read_dir(UNITS).unwrap().map(|entry| entry.unwrap().path());
    let units = entries.filter(|path| path.extension().is_some_and(|extension| extension == "service"));
    units.map(|path| (path.clone(), allowed_by(&fs::read_to_string(path).unwrap()))).collect()
}

/// What a unit allows: each line adds to those before it, or takes away.
fn allowed_by(unit: &str) -> BTreeSet<String> {
    let mut allowed = BTreeSet::new();
    for line in unit.lines().filter_map(|line| line.strip_prefix("SystemCallFilter=")) {
        let (forbids, names) = line.strip_prefix('~').map_or((false, line), |names| (true, names));
        for call in names.split_whitespace().flat_map(calls_of) {
            if forbids {
                allowed.remove(&call)
            } else {
                allowed.insert(call)
            };
        }
    }
    allowed
}

fn calls_of(name: &str) -> Vec<String> {
    if !name.starts_with('@') {
        return vec![name.to_owned()];
    }
    let mut lines = GROUPS.lines().map(|line| line.split(' '));
    let group = lines.find_map(|mut words| (words.next() == Some(name)).then_some(words)).unwrap();
    group.flat_map(calls_of).collect()
}

fn every_unit_allows_them() {
    let units = units();
    assert!(!units.is_empty());
    for (path, allowed) in units {
        for call in Layer::ALL.iter().flat_map(|layer| layer.system_calls()) {
            assert!(allowed.contains(*call), "{} does not allow {call}", path.display());
        }
    }
}

/// The worker as that unit would start it.
fn worker(allowed: &BTreeSet<String>, mode: &str) -> Command {
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(ALLOWED, allowed.join(",")).env(MODE_VARIABLE, mode);
    command
}

fn doctor(allowed: &BTreeSet<String>, mode: &str) -> (Output, Value) {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = worker(allowed, mode);
    for inherited in ["FRAMEFARM_API", "FRAMEFARM_WORKER_KEY_FILE"] {
        command.env_remove(inherited);
    }
    let output =
        command.args(["doctor", "--json", "--gpus", "none", "--scratch"]).arg(scratch.path()).output();
    let output = output.unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (output, report)
}

/// On a kernel that lacks a layer no unit can have it.
fn strictest_mode() -> &'static str {
    if THIS_KERNEL.is_complete() { "required" } else { "best-effort" }
}

fn every_layer_is_enforced() {
    for (path, allowed) in units() {
        let (output, report) = doctor(&allowed, strictest_mode());
        assert!(output.status.success(), "{}: {output:?}", path.display());
        let found = serde_json::from_value(report["capabilities"]["walls"].clone()).unwrap();
        assert_eq!(*THIS_KERNEL, found, "{}", path.display());
    }
}

fn a_video_is_encoded() {
    for (path, allowed) in units() {
        let made = transcode_as(&allowed, strictest_mode());
        assert!(matches!(made, Ok(segments) if segments > 0), "{}: {made:?}", path.display());
    }
}

/// What units allowed before they named the calls of the sandbox.
fn without_the_sandbox() -> BTreeSet<String> {
    let (_, mut allowed) = units().swap_remove(0);
    let needed = [Layer::Files.system_calls(), &["seccomp"]].concat();
    allowed.retain(|call| !needed.contains(&call.as_str()));
    allowed
}

fn forbidden_is_told() {
    let (output, report) = doctor(&without_the_sandbox(), "best-effort");
    assert!(output.status.success(), "{output:?}");
    let findings = report["findings"].as_array().unwrap();
    for (layer, label) in [("files", "filesystem"), ("syscalls", "syscalls")] {
        assert_eq!(report["capabilities"]["walls"][layer]["missing"]["cause"], "forbidden", "{report}");
        let finding = findings.iter().find(|found| found["what"] == format!("sandbox: {label}")).unwrap();
        let text = finding.to_string();
        assert!(
            text.contains("blocked by a system call filter around this worker (EPERM)")
                && text.contains("SystemCallFilter="),
            "{text}"
        );
        assert!(text.contains("landlock_restrict_self, prctl, seccomp"), "{text}");
    }
    assert_eq!(report["capabilities"]["sandbox_mode"], "best-effort");
    let made = transcode_as(&without_the_sandbox(), "best-effort");
    assert!(made.is_ok(), "{made:?}");
}

fn forbidden_is_refused() {
    let (output, report) = doctor(&without_the_sandbox(), "required");
    assert_eq!((output.status.code(), &report["fit"]), (Some(1), &json!(false)));
    let refused = transcode_as(&without_the_sandbox(), "required").unwrap_err();
    for part in
        ["FRAMEFARM_SANDBOX=required", "filesystem (Landlock", "syscalls (seccomp", "landlock_add_rule"]
    {
        assert!(refused.contains(part), "{part} is missing in: {refused}");
    }
}

/// Probe and encode, as the supervisor starts them: how many segments were made, or why none.
fn transcode_as(allowed: &BTreeSet<String>, mode: &str) -> Result<usize, String> {
    let yard = Yard::new();
    transcode::prepare(&yard);
    let probed = last_word(worker(allowed, mode), "probe", &ProbeTask { source: yard.source(), copy: false });
    let plan = match probed {
        Report::Probed { plan, .. } => plan,
        Report::Failed { message, .. } => return Err(message),
        other => panic!("{other:?}"),
    };
    let task = task(&yard, &plan);
    match last_word(worker(allowed, mode), "encode", &task) {
        Report::Done { stopped: false, .. } => Ok(made(&task, &yard.scratch())),
        Report::Failed { message, .. } => Err(message),
        other => panic!("{other:?}"),
    }
}

fn made(task: &EncodeTask, output: &Path) -> usize {
    let all = task.qualities.iter().flat_map(|task| {
        let name = task.quality.name.clone();
        (0..).map(move |index| segment_path(output, &name, index)).take_while(|path| path.exists())
    });
    all.count()
}

fn task(yard: &Yard, plan: &Plan) -> EncodeTask {
    let ladder: Ladder = "72p:300".parse().unwrap();
    let last = i32::try_from(plan.segment_count()).unwrap() - 1;
    let planned = ladder.qualities_for(plan.shape(), None).into_iter().filter(|quality| !quality.skipped);
    let qualities = planned.map(|quality| QualityTask {
        quality,
        missing: vec![SegmentRange { first: 0, last }],
        known_init: None,
        coder: Coder::Software,
    });
    EncodeTask {
        source: yard.source(),
        output: yard.scratch(),
        plan: plan.clone(),
        qualities: qualities.collect(),
        images: true,
        subtitles: true,
        settings: EncoderSettings { preset: "ultrafast".to_owned(), threads: 1 },
        gpu: None,
    }
}

fn last_word(mut command: Command, what: &str, task: &impl Serialize) -> Report {
    command.arg(what).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Held to the end: a child whose stdin ends has nobody to work for.
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", serde_json::to_string(task).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_else(|| panic!("{output:?}"));
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}
