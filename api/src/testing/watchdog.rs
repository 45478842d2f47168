//! What every thread of a test that hangs is doing, a while before the test is ended for it.

#![expect(clippy::print_stderr, reason = "the test runner keeps what a test prints")]

use std::path::Path;
use std::process::Command;
use std::sync::Once;
use std::time::Duration;

/// The runner ends a test after five minutes.
const PATIENCE: Duration = Duration::from_secs(230);

/// Each test is a process of its own, so this is for the whole of it.
pub(super) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            eprintln!("this test has been running for {} s; its threads:", PATIENCE.as_secs());
            threads();
            stacks();
        });
    });
}

/// Name, state and time on the processor: a thread that spins is told from one that waits.
fn threads() {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return };
    for task in tasks.flatten() {
        let read = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let (stat, name, waits_for) = (read("stat"), read("comm"), read("wchan"));
        let fields: Vec<&str> =
            stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect()).unwrap_or_default();
        let field = |at: usize| fields.get(at).copied().unwrap_or("?");
        eprintln!("{:20} state {}, {} ticks, in {waits_for}", name.trim(), field(0), field(11));
    }
}

fn stacks() {
    let pid = std::process::id().to_string();
    let debugger = ["/usr/bin/gdb", "/usr/local/bin/gdb"].into_iter().find(|path| Path::new(path).exists());
    let Some(debugger) = debugger else { return eprintln!("without gdb there are no stacks") };
    let shown = Command::new(debugger).args(["-p", &pid, "-batch", "-ex", "thread apply all bt 30"]).output();
    match shown {
        Ok(output) => eprintln!("{}", String::from_utf8_lossy(&output.stdout)),
        Err(error) => eprintln!("{debugger}: {error}"),
    }
}
