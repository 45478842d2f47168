//! The other queues, each in a process of its own for each repetition: tests/bench/dispatch.

use std::process::Stdio;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    Graphile,
    PgBoss,
    BullMq,
    Procrastinate,
}

/// Microseconds until the job was in the hands of a worker.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Sample {
    pub(crate) since_call: f64,
    /// Since the producer was told that the job is kept; below 0 if the worker had it before that.
    pub(crate) since_ack: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Drained {
    pub(crate) seconds: f64,
}

impl Peer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Graphile => "graphile-worker 0.17.3 (PostgreSQL)",
            Self::PgBoss => "pg-boss 10.4.2 (PostgreSQL)",
            Self::BullMq => "BullMQ 6.7.0 (Redis, appendfsync always)",
            Self::Procrastinate => "procrastinate 3.10.0 (PostgreSQL)",
        }
    }

    pub(crate) async fn idle(self, count: usize) -> Vec<Sample> {
        self.run(&["idle", &count.to_string()]).await
    }

    pub(crate) async fn drain(self, jobs: u32, workers: usize) -> Drained {
        self.run(&["drain", &jobs.to_string(), &workers.to_string()]).await
    }

    /// The last line that it prints is the result.
    async fn run<T: DeserializeOwned>(self, arguments: &[&str]) -> T {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/bench/dispatch");
        let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
        let (program, script) = match self {
            Self::Procrastinate => (variable("BENCH_PYTHON"), "peer.py"),
            _ => ("node".to_owned(), "peer.mjs"),
        };
        let name = match self {
            Self::Graphile => "graphile",
            Self::PgBoss => "pgboss",
            Self::BullMq => "bullmq",
            Self::Procrastinate => "procrastinate",
        };
        let output = Command::new(program)
            .current_dir(directory)
            .args([script, name])
            .args(arguments)
            .env("DATABASE_URL", variable("FRAMEFARM_TEST_POSTGRES_URL"))
            .env("REDIS_URL", variable("BENCH_REDIS_URL"))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .await
            .expect("the peer starts");
        assert!(output.status.success(), "{name} {arguments:?} failed");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.trim_end().lines().next_back().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{name} {arguments:?}: {error}: {text}"))
    }
}
