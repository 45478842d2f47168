//! A machine becomes a worker by an invitation.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use framefarm_api::db::workers;
use framefarm_api::lifecycle::invite;
use framefarm_shared::id::BootId;
use framefarm_shared::state::WorkerStatus;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::api::Api;
use crate::watch::until;

fn run(api: &Api, invitation: &str, scratch: &std::path::Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_framefarm-worker"));
    command.args(["run", "--api", api.url.as_str(), "--join", invitation, "--scratch"]).arg(scratch);
    command.stdin(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
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
        let mut worker = run(&api, &invitation, &scratch);
        process = until_idle(&api, process).await;
        let pid = Pid::from_raw(worker.id().unwrap().cast_signed()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        assert!(worker.wait().await.unwrap().success());
    }
    assert_eq!(workers::all(&api.app.db).await.unwrap().len(), 1);
    let mode = std::fs::metadata(scratch.join("worker.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let late = run(&api, &invitation, &api.scratch().join("another")).wait_with_output().await.unwrap();
    let said = String::from_utf8_lossy(&late.stderr);
    assert!(!late.status.success() && said.contains("each is good for one worker"), "{said}");
    assert_eq!(workers::all(&api.app.db).await.unwrap().len(), 1);
}
