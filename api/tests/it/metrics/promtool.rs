//! Prometheus' own tool reads what is meant for Prometheus.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Fails with what `promtool` says, unless it says nothing against it.
#[track_caller]
pub(super) fn promtool(arguments: &[&str], input: &str) -> String {
    let mut tool = Command::new("promtool")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("promtool: {error}; run scripts/setup test"));
    tool.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let ended = tool.wait_with_output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success(), "promtool {arguments:?}: {said}");
    said
}
