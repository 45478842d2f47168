//! A machine becomes a worker by an invitation.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use framefarm_api::db::workers;
use framefarm_api::lifecycle::invite;
use framefarm_shared::id::BootId;
use framefarm_shared::state::WorkerStatus;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

use crate::api::Api;
use crate::watch::until;

fn run(api: &Api, invitation: &str, scratch: &Path) -> Child {
    start(api, &["--join", invitation], scratch, Stdio::null())
}

fn start(api: &Api, invited: &[&str], scratch: &Path, stdin: Stdio) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_framefarm-worker"));
    command.args(["run", "--api", api.url.as_str()]).args(invited).arg("--scratch").arg(scratch);
    command.stdin(stdin).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
}

async fn end(mut worker: Child) {
    let pid = Pid::from_raw(worker.id().unwrap().cast_signed()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert!(worker.wait().await.unwrap().success());
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The process that works, once it is another one than before.
async fn until_idle(api: &Api, before: Option<BootId>) -> Option<BootId> {
    until("the worker is idle", async || {
        let workers = workers::all(&api.app.db).await.unwrap();
        let mut idle = workers.iter().filter(|worker| worker.status == WorkerStatus::Idle);
        idle.find(|worker| worker.boot_id != before).map(|worker| worker.boot_id)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invited_machine_joins_once_and_comes_back_as_the_same_worker() {
    let api = Api::start().await;
    let invitation = invite::invite(&api.app, "test").await.unwrap().token;
    let scratch = api.scratch().join("joined");
    let mut process = None;
    for _ in 0..2 {
        let worker = run(&api, &invitation, &scratch);
        process = until_idle(&api, process).await;
        let mode = std::fs::metadata(scratch.join("worker.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let line = std::fs::read(format!("/proc/{}/cmdline", worker.id().unwrap())).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert!(line.contains("--scratch") && !line.contains(&invitation), "others can read it: {line:?}");
        end(worker).await;
        // As a careless copy would leave it.
        set_mode(&scratch.join("worker.key"), 0o644);
    }
    assert_eq!(workers::all(&api.app.db).await.unwrap().len(), 1);

    let late = run(&api, &invitation, &api.scratch().join("another")).wait_with_output().await.unwrap();
    let said = String::from_utf8_lossy(&late.stderr);
    assert!(!late.status.success() && said.contains("each is good for one worker"), "{said}");
    assert_eq!(workers::all(&api.app.db).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_comes_from_a_file_or_from_stdin() {
    let api = Api::start().await;
    let invitation = async || invite::invite(&api.app, "test").await.unwrap().token;
    let file = api.scratch().join("invitation");
    std::fs::write(&file, format!("{}\n", invitation().await)).unwrap();
    let by_file = ["--join-file", file.to_str().unwrap()];
    let worker = start(&api, &by_file, &api.scratch().join("by file"), Stdio::null());
    let first = until_idle(&api, None).await;
    end(worker).await;

    let mut worker = start(&api, &["--join-file", "-"], &api.scratch().join("by stdin"), Stdio::piped());
    let line = format!("{}\n", invitation().await);
    worker.stdin.take().unwrap().write_all(line.as_bytes()).await.unwrap();
    until_idle(&api, first).await;
    end(worker).await;
    assert_eq!(workers::all(&api.app.db).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scratch_directory_that_others_can_write_to_gets_no_key_and_costs_no_invitation() {
    let api = Api::start().await;
    let invitation = invite::invite(&api.app, "test").await.unwrap().token;
    let scratch = api.scratch().join("waiting for a key");
    std::fs::create_dir(&scratch).unwrap();
    set_mode(&scratch, 0o777);
    let refused = run(&api, &invitation, &scratch).wait_with_output().await.unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("other users can write"), "{said}");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
    assert!(workers::all(&api.app.db).await.unwrap().is_empty());
}
