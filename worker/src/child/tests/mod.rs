//! Real processes: shells with children that will not go by themselves.

mod stubborn;

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::*;

fn shell(script: &str) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Child::spawn(command).unwrap()
}

/// The number of a process, once its shell has written it to `path`.
async fn number_in(path: &Path) -> i32 {
    loop {
        let text = tokio::fs::read_to_string(path).await.unwrap_or_default();
        if let (true, Ok(number)) = (text.ends_with('\n'), text.trim().parse()) {
            return number;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn is_running(number: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn signal_of(ended: &Ended) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&ended.status)
}

#[tokio::test]
async fn a_lost_job_takes_shell_and_grandchild_within_a_second() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("grandchild");
    let child = shell(&format!("sh -c 'sleep 1000 & echo $! > {0}; wait' & wait", path.display()));
    let (leader, grandchild) = (child.id(), number_in(&path).await);
    assert!(is_running(leader) && is_running(grandchild));

    let lost = CancellationToken::new();
    lost.cancel();
    let started = Instant::now();
    let outcome = child.run(&lost, LockLostBehavior::Sigkill).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(1), "took {:?}", started.elapsed());
    assert!(matches!(outcome, Outcome::LockLost(Ended { all_are_gone: true, .. })));
    assert!(!is_running(leader) && !is_running(grandchild));
}

#[tokio::test]
async fn one_that_ignores_sigterm_is_gone_after_the_grace() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ready");
    let mut child = shell(&format!("trap '' TERM; echo $$ > {}; while :; do sleep 1; done", path.display()));
    number_in(&path).await;
    let started = Instant::now();
    let ended = child.end(LockLostBehavior::Sigterm).await.unwrap();
    assert!(started.elapsed() >= LOCK_LOST_GRACE);
    assert!(started.elapsed() < LOCK_LOST_GRACE + Duration::from_secs(1));
    assert_eq!((signal_of(&ended), ended.all_are_gone), (Some(9), true));
}

#[tokio::test]
async fn with_sigterm_its_handlers_run() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ready");
    let script = format!("trap 'echo bye; exit 7' TERM; echo $$ > {}; sleep 1000 & wait", path.display());
    let mut child = shell(&script);
    number_in(&path).await;
    let ended = child.end(LockLostBehavior::Sigterm).await.unwrap();
    assert_eq!(ended.status.code(), Some(7));
    assert_eq!(ended.stdout_tail, b"bye\n");
    assert!(ended.all_are_gone);
}

#[tokio::test]
async fn another_child_is_untouched() {
    let (mut doomed, bystander) = (shell("sleep 1000"), shell("sleep 1000"));
    doomed.end(LockLostBehavior::Sigkill).await.unwrap();
    assert!(is_running(bystander.id()));
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipes_open_does_not_hang_us() {
    let mut child = shell("sleep 1000 & echo done");
    let leader = child.id();
    let ended = child.finish().await.unwrap();
    assert!(ended.status.success());
    assert_eq!(ended.stdout_tail, b"done\n");
    assert!(ended.all_are_gone);
    let group = Pid::from_raw(leader).unwrap();
    assert!(rustix::process::test_kill_process_group(group).is_err() || !is_running(leader));
}

#[tokio::test]
async fn a_chatty_process_is_never_blocked_by_its_pipes() {
    let mut child = shell("yes | head -c 10000000; yes | head -c 10000000 >&2; exit 3");
    let ended = child.finish().await.unwrap();
    assert_eq!(ended.status.code(), Some(3));
    assert!(ended.stdout_tail.ends_with(b"y\n") && ended.stderr_tail.ends_with(b"y\n"));
}

#[tokio::test]
async fn dropping_it_kills_the_group() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("grandchild");
    let child = shell(&format!("sleep 1000 & echo $! > {}; wait", path.display()));
    let grandchild = Pid::from_raw(number_in(&path).await).unwrap();
    let exit = group::watch(grandchild).unwrap();
    drop(child);
    let _gone =
        timeout(Duration::from_secs(1), exit.readable()).await.expect("the grandchild is gone").unwrap();
}

fn talker(script: &str) -> (Child, ChildStdin, Lines) {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Child::converse(command).unwrap()
}

#[tokio::test]
async fn it_hears_what_it_is_told_and_its_lines_arrive_whole() {
    let (mut child, mut stdin, mut lines) = talker("read task; echo \"got $task\"; printf 'no end'");
    tokio::io::AsyncWriteExt::write_all(&mut stdin, b"work\n").await.unwrap();
    assert_eq!(lines.next().await.unwrap().as_deref(), Some("got work"));
    assert!(lines.next().await.unwrap().is_none());
    assert!(child.finish().await.unwrap().status.success());
}

#[tokio::test]
async fn it_notices_when_nobody_holds_its_stdin() {
    let (mut child, stdin, mut lines) = talker("read task || echo alone");
    drop(stdin);
    assert_eq!(lines.next().await.unwrap().as_deref(), Some("alone"));
    child.finish().await.unwrap();
}

#[tokio::test]
async fn a_line_without_end_does_not_fill_the_memory() {
    let (mut child, _stdin, mut lines) = talker("yes | tr -d '\\n'");
    assert!(matches!(lines.next().await, Err(LineError::TooLong)));
    child.end(LockLostBehavior::Sigkill).await.unwrap();
}
