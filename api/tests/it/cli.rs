//! The program itself, as a person starts it.

#![expect(clippy::unwrap_used, reason = "a test helper that cannot go on fails its test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

pub(crate) fn framefarm(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_framefarm"));
    command.args(arguments);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FRAMEFARM_") {
            command.env_remove(name);
        }
    }
    command
}

fn run(arguments: &[&str]) -> Output {
    framefarm(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A server on a port of its own; killed with the test.
pub(crate) struct Server {
    child: Child,
    printed: String,
    address: String,
}

impl Server {
    /// Without a worker, unless it names one.
    pub(crate) fn start(data: &Path, more: &[&str]) -> Self {
        Self::start_in(&[], data, more)
    }

    fn start_in(environment: &[(&str, &str)], data: &Path, more: &[&str]) -> Self {
        let mut arguments = vec!["serve", "--listen", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()];
        if !more.contains(&"--worker-program") {
            arguments.push("--no-worker");
        }
        arguments.extend(more);
        let mut command = framefarm(&arguments);
        command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut printed = String::new();
        let address = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some(address) = line.strip_prefix("listening on ") {
                break address.to_owned();
            }
            printed.push_str(&line);
            printed.push('\n');
        };
        Self { child, printed, address }
    }

    /// SIGTERM, and the exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_command_has_a_help_with_examples() {
    for command in [
        &["--help"][..],
        &["serve", "--help"],
        &["migrate", "--help"],
        &["openapi", "--help"],
        &["config", "--help"],
        &["token", "--help"],
        &["token", "create", "--help"],
        &["token", "list", "--help"],
        &["token", "revoke", "--help"],
        &["backup", "--help"],
        &["gc", "--help"],
        &["restore", "--help"],
        &["vacuum", "--help"],
    ] {
        let output = run(command);
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert!(text(&output.stdout).contains("Example"), "{command:?}");
    }
}

#[test]
fn wrong_usage_ends_with_2_and_one_clear_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("framefarm.toml");
    let config = file.to_str().unwrap();
    let cases = [
        ("lisen = \"x\"", "unknown setting `lisen`"),
        ("listen = \"x\"", "--listen"),
        ("worker_heartbeat_interval = 900", "worker_heartbeat_interval"),
        ("listen = [1]", "expected a string, number or boolean"),
        ("not toml", "invalid TOML"),
        ("ladder = \"1080p:5000,1080p:4000\"", "the ladder has `1080p` twice"),
        ("ladder = \"1080\"", "write one as `1080p:5000`"),
        ("surround = \"7.1\"", "[possible values: off, on]"),
        ("otlp_endpoint = \"collector:4318\"", "--otlp-endpoint"),
    ];
    for (content, words) in cases {
        std::fs::write(&file, content).unwrap();
        let output = run(&["config", "--print", "--config", config]);
        assert_eq!(output.status.code(), Some(2), "{content}");
        assert!(text(&output.stderr).contains(words), "{content}: {}", text(&output.stderr));
    }
    assert_eq!(run(&["config", "--print", "--config", "/nowhere.toml"]).status.code(), Some(2));
    assert_eq!(run(&["fly"]).status.code(), Some(2));
}

#[test]
fn the_earlier_name_of_a_setting_works_and_warns() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("framefarm.toml");
    std::fs::write(&file, "preset = \"fast\"\n").unwrap();
    let print = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = framefarm(&[&["config", "--print"], arguments].concat());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (text(&output.stdout), text(&output.stderr))
    };
    let earlier = [("FRAMEFARM_PRESET", "fast")];
    for (arguments, variables) in [
        (&["--config", file.to_str().unwrap()][..], &[][..]),
        (&["--preset", "fast"], &[]),
        (&["--preset=fast"], &[]),
        (&[], &earlier),
    ] {
        let (shown, warning) = print(arguments, variables);
        assert!(shown.contains("timing = \"fast\""), "{arguments:?}: {shown}{warning}");
        assert!(shown.contains("worker_heartbeat_interval = 5 "), "{arguments:?}: {shown}");
        assert!(warning.to_lowercase().contains("is now called"), "{arguments:?}: {warning}");
    }
    let (shown, warning) = print(&["--timing", "standard"], &earlier);
    assert!(shown.contains("worker_heartbeat_interval = 30 "), "the present name wins: {shown}");
    assert!(warning.contains("FRAMEFARM_PRESET"), "{warning}");
    assert_eq!(print(&["--timing", "fast"], &[]).1, "");
    std::fs::write(&file, "preset = \"fast\"\ntiming = \"standard\"\n").unwrap();
    let (shown, _) = print(&["--config", file.to_str().unwrap()], &[]);
    assert!(shown.contains("worker_heartbeat_interval = 30 "), "the present name wins: {shown}");
}

#[test]
fn a_flag_wins_over_the_environment_over_the_file_over_the_timing_preset() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("framefarm.toml");
    let secret = dir.path().join("secret");
    std::fs::write(
        &file,
        "timing = \"fast\"\nsession_hours = 1\nmax_lost = 1\nstale_job_check_interval = 7\n",
    )
    .unwrap();
    std::fs::write(&secret, "from a file\n").unwrap();
    let output =
        framefarm(&["config", "--print", "--config", file.to_str().unwrap(), "--session-hours", "3"])
            .env("FRAMEFARM_SESSION_HOURS", "2")
            .env("FRAMEFARM_MAX_LOST", "2")
            .env("FRAMEFARM_ADMIN_SECRET_FILE", &secret)
            .output()
            .unwrap();
    let shown = text(&output.stdout);
    for line in [
        "session_hours = 3  # flag",
        "max_lost = 2  # environment",
        "stale_job_check_interval = 7 ",
        "worker_heartbeat_interval = 5 ",
        "max_retry_attempts = 3 ",
        "surround = \"off\" ",
        "admin_secret = \"(set, not shown)\"",
    ] {
        assert!(shown.contains(line), "{line} is missing in\n{shown}{}", text(&output.stderr));
    }
    let help = framefarm(&["serve", "--help"]).env("FRAMEFARM_ADMIN_SECRET_FILE", &secret).output().unwrap();
    assert!(!text(&help.stdout).contains("from a file"), "the help shows a secret");
}

#[test]
fn the_first_start_prints_a_password_and_no_later_one_does() {
    let dir = tempfile::tempdir().unwrap();
    let first = Server::start(dir.path(), &[]);
    assert!(first.printed.contains("shown only this once"), "{}", first.printed);
    assert_eq!(first.stop(), Some(0));
    let second = Server::start(dir.path(), &[]);
    assert_eq!(second.printed, "");
    assert_eq!(second.stop(), Some(0));
}

#[test]
fn a_second_process_is_told_who_has_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let first = Server::start(dir.path(), &["--admin-password", "pw"]);
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
        let output = run(&[command, &["--data-dir", data]].concat());
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let said = text(&output.stderr);
        assert!(said.contains(&format!("PID {}", first.child.id())), "{said}");
    }
    // A token can be made meanwhile, and opens the running server.
    let output = run(&["token", "create", "--name", "ci", "--scope", "read", "--data-dir", data]);
    let token = text(&output.stdout).trim().to_owned();
    let answer = get(&first.address, "/api/me", &token);
    assert!(answer.contains(r#""actor":"token:ci""#), "{answer}");
    let list = text(&run(&["token", "list", "--data-dir", data]).stdout);
    let id = list.split_whitespace().next().unwrap();
    assert_eq!(run(&["token", "revoke", id, "--data-dir", data]).status.code(), Some(0));
    assert!(get(&first.address, "/api/me", &token).starts_with("HTTP/1.1 401"));
    assert_eq!(first.stop(), Some(0));
    assert_eq!(run(&["migrate", "--data-dir", data]).status.code(), Some(0));
}

/// The raw answer to a GET.
fn get(address: &str, path: &str, token: &str) -> String {
    let host = address.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A worker that tells a pipe what happens to it; gives back its path and the lines.
fn telling_worker(dir: &Path, body: &str) -> (String, std::io::Lines<BufReader<std::fs::File>>) {
    let (program, pipe) = (dir.join("worker"), dir.join("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let script = format!("#!/bin/sh\nsay() {{ echo \"$*\" > {}; }}\n{body}\n", pipe.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // Open for both: the end of one writer is not the end of all.
    let told = std::fs::File::options().read(true).write(true).open(pipe).unwrap();
    (program.display().to_string(), BufReader::new(told).lines())
}

#[test]
fn serve_starts_a_worker_again_when_it_dies_and_ends_it_before_itself() {
    let dir = tempfile::tempdir().unwrap();
    let body = format!(
        "[ -e {0}/again ] || {{ touch {0}/again; say \"$FRAMEFARM_WORKER_KEY\"; exit 1; }}\n\
         trap 'say bye; exit 0' TERM\ntimeout 0.5 cat\nsay \"$? $FRAMEFARM_WORKER_KEY $*\"\nread -r line",
        dir.path().display()
    );
    let (program, mut told) = telling_worker(dir.path(), &body);
    let data = dir.path().join("data");
    let server = Server::start(&data, &["--worker-program", &program]);
    let key = told.next().unwrap().unwrap();
    assert_eq!(key.len(), 43, "a worker's key: {key}");
    let again = told.next().unwrap().unwrap();
    // 124: its stdin did not end within that time, so the worker knows that the server lives.
    let expected = format!(
        "124 {key} run --parent-pipe --api {} --scratch {data}/worker --storage {data}/media --drain-seconds 8",
        server.address,
        data = data.display()
    );
    assert_eq!(again, expected);
    assert_eq!(server.stop(), Some(0));
    assert_eq!(told.next().unwrap().unwrap(), "bye");
}

#[test]
fn a_server_that_is_killed_takes_its_worker_along() {
    let dir = tempfile::tempdir().unwrap();
    let (program, mut told) = telling_worker(dir.path(), "say here; read -r line || say alone");
    let mut server = Server::start(&dir.path().join("data"), &["--worker-program", &program]);
    assert_eq!(told.next().unwrap().unwrap(), "here");
    server.child.kill().unwrap();
    assert_eq!(told.next().unwrap().unwrap(), "alone");
}

#[test]
fn a_worker_beside_an_object_store_gets_neither_a_directory_nor_the_stores_credentials() {
    let dir = tempfile::tempdir().unwrap();
    assert!(std::env::var_os("AWS_SECRET_ACCESS_KEY").is_some(), "run by scripts/with-services");
    let (program, mut told) =
        telling_worker(dir.path(), "say \"$(env | grep -c ^AWS_) $*\"; read -r line || say alone");
    let url = framefarm_api::testing::s3_url();
    let server =
        Server::start(&dir.path().join("data"), &["--worker-program", &program, "--storage-url", &url]);
    let line = told.next().unwrap().unwrap();
    assert!(line.starts_with("0 run --parent-pipe") && !line.contains("--storage"), "{line}");
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn a_worker_beside_a_server_gets_none_of_its_secrets_and_logs_as_it_does() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret");
    std::fs::write(&file, "a long enough secret").unwrap();
    let file = file.to_str().unwrap();
    let environment = [
        ("FRAMEFARM_ADMIN_PASSWORD", "a long enough password"),
        ("FRAMEFARM_ADMIN_PASSWORD_FILE", file),
        ("FRAMEFARM_ADMIN_SECRET_FILE", file),
        ("FRAMEFARM_REDIS_URL", "redis://:secret@127.0.0.1:1/0"),
        ("FRAMEFARM_ALERT_WEBHOOK_URL", "https://example.org/secret"),
        ("FRAMEFARM_ALERT_WEBHOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        ("FRAMEFARM_WORKER_KEY_FILE", file),
        ("FRAMEFARM_LOG_FORMAT", "text"),
    ];
    let body = "say $(env | grep ^FRAMEFARM_ | sort | sed 's/KEY=.*/KEY/'); read -r line || say alone";
    let (program, mut told) = telling_worker(dir.path(), body);
    let flags = ["--worker-program", &program, "--log-format", "json"];
    let server = Server::start_in(&environment, &dir.path().join("data"), &flags);
    let known = told.next().unwrap().unwrap();
    assert_eq!(known, "FRAMEFARM_LOG_FORMAT=json FRAMEFARM_OTLP_ENDPOINT= FRAMEFARM_WORKER_KEY");
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn what_the_program_writes_is_closed_to_other_users() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = tempfile::tempdir().unwrap();
    let (data, backup) = (place.path().join("data"), place.path().join("backup"));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let in_open_shell = |line: &str| {
        let own = env!("CARGO_BIN_EXE_framefarm");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("umask 000; {own} {line}")).env("FRAMEFARM_DATA_DIR", &data);
        let done = shell.output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
    };
    in_open_shell("migrate");
    let database = data.join("framefarm.db");
    assert_eq!((mode(&data) & 0o007, mode(&database) & 0o007), (0, 0));
    assert_ne!(mode(&data) & 0o070, 0, "the group is the system's affair");

    // As an earlier version left it.
    std::fs::set_permissions(&database, std::fs::Permissions::from_mode(0o644)).unwrap();
    in_open_shell(&format!("backup {}", backup.display()));
    assert_eq!(mode(&database), 0o640);
    let copy = std::fs::read_dir(&backup).unwrap().map(|entry| entry.unwrap().path());
    assert!(copy.chain([backup.clone()]).all(|path| mode(&path).trailing_zeros() >= 3));
}
