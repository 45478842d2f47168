//! What the benches that start real programs share.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};

/// `framefarm serve` on a port of its own. The unfinished files are on a real disk: memory syncs for free.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    _dir: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start(database_url: &str, settings: &[(&str, &str)]) -> Self {
        let program = std::env::var_os("FRAMEFARM_BIN")
            .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_framefarm")), PathBuf::from);
        let dir = tempfile::tempdir_in(if Path::new("/var/tmp").is_dir() { "/var/tmp" } else { "." })
            .expect("a directory");
        let mut command = Command::new(program);
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FRAMEFARM_"))
        {
            command.env_remove(name);
        }
        let mut child = command
            .args(["serve", "--no-worker", "--listen", "127.0.0.1:0", "--log", "warn", "--data-dir"])
            .arg(dir.path())
            .env("FRAMEFARM_DATABASE_URL", database_url)
            .env("FRAMEFARM_DISK_RESERVE_BYTES", "0")
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let url = lines
            .find_map(|line| line.ok()?.strip_prefix("listening on ").map(str::to_owned))
            .expect("the server says where it listens");
        // It prints nothing more that matters, but must not find the pipe closed.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, _dir: dir }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

/// Time on the processor of a process with all its threads that live.
pub(crate) fn cpu_time(pid: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let spent = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

/// Memory that a process has taken, in KiB.
pub(crate) fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

/// As many open files as the system allows, for this process and those that it starts.
pub(crate) fn raise_open_files(wanted: u64) {
    let now = getrlimit(Resource::Nofile);
    let most = now.maximum.map_or(wanted, |most| most.max(wanted));
    let raised = Rlimit { current: Some(wanted), maximum: Some(most) };
    let within = Rlimit { current: now.maximum.map(|most| most.min(wanted)).or(Some(wanted)), ..now };
    if setrlimit(Resource::Nofile, raised).is_err() {
        setrlimit(Resource::Nofile, within).expect("a higher limit of open files");
    }
}

/// The value below which this share of them lies.
pub(crate) fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a rank"
    )]
    let rank = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(rank).copied().unwrap_or(f64::NAN)
}

/// The value after a flag such as `--samples`.
pub(crate) fn option<T: std::str::FromStr>(name: &str, default: T) -> T {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default)
}
