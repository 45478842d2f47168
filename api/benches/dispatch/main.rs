//! How quickly a job reaches a worker, and how many a second, beside the queues people would use instead: all in one run,
//! on the same PostgreSQL and Redis, in repetitions of random order.
//!
//! `make bench-dispatch` starts those and runs this; docs/benchmarks.md says what is measured.

mod depth;
mod latency;
mod ours;
mod peers;
mod table;
mod throughput;

#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "another bench uses the rest")]
mod common;

use ours::Mode;
use peers::Peer;

/// Who hands out jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Ours(Mode),
    Peer(Peer),
}

impl System {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(Mode::Database) => "Framefarm, over HTTP (PostgreSQL)",
            Self::Ours(Mode::Hybrid) => "Framefarm, over HTTP (PostgreSQL and Redis)",
            Self::Peer(peer) => peer.name(),
        }
    }

    /// All, or those that `--systems database,graphile` names.
    fn chosen() -> Vec<Self> {
        let all = [
            ("database", Self::Ours(Mode::Database)),
            ("hybrid", Self::Ours(Mode::Hybrid)),
            ("graphile", Self::Peer(Peer::Graphile)),
            ("pgboss", Self::Peer(Peer::PgBoss)),
            ("bullmq", Self::Peer(Peer::BullMq)),
            ("procrastinate", Self::Peer(Peer::Procrastinate)),
        ];
        let wanted: String = common::option("--systems", String::new());
        let is_wanted = |name: &str| wanted.is_empty() || wanted.split(',').any(|one| one == name);
        let systems = all.into_iter().filter(|(name, _)| is_wanted(name)).map(|(_, system)| system);
        // A server that does not know the setting would measure the same thing twice.
        systems.filter(|system| *system != Self::Ours(Mode::Hybrid) || ours::knows_redis()).collect()
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    if std::env::var_os("FRAMEFARM_TEST_POSTGRES_URL").is_none() {
        eprintln!("dispatch: start it by `make bench-dispatch`, which starts PostgreSQL and Redis");
        std::process::exit(2);
    }
    let only: String = common::option("--only", String::new());
    let wanted = |what: &str| only.is_empty() || only.split(',').any(|one| one == what);
    let systems = System::chosen();
    table::machine();
    if wanted("latency") {
        Box::pin(latency::run(&systems)).await;
    }
    if wanted("throughput") {
        Box::pin(throughput::run(&systems)).await;
    }
    if wanted("depth") {
        Box::pin(depth::run()).await;
    }
}
