//! Ten thousand watchers of one instance: how late they hear, what each costs in memory, and how long it takes until all
//! are back after their connections broke.
//!
//! `make bench-events` runs it. Workers tell progress over the worker API, twice a second for each video; a watcher's delay
//! is the time from the answer to such a call until its message arrives.

mod clients;
mod drive;

#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "another bench uses the rest")]
mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use framefarm_api::auth::{Scope, token};
use framefarm_api::testing::{Farm, TestDatabase};

use clients::{Crowd, Told};
use common::{Server, cpu_time, option, resident_kib};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    if std::env::var_os("FRAMEFARM_TEST_POSTGRES_URL").is_none() {
        eprintln!("events: start it by `make bench-events`, which starts PostgreSQL");
        std::process::exit(2);
    }
    let videos: usize = option("--videos", 500);
    let each: usize = option("--watchers-each", 20);
    let seconds: u64 = option("--seconds", 30);
    let watchers = videos * each;
    common::raise_open_files(watchers as u64 * 2 + 4096);

    let farm = Farm::on(TestDatabase::postgres().await, |_| {}).await;
    farm.fill_queue(i64::try_from(videos).expect("a count")).await;
    let reader = token::create(&farm.app, "bench", Scope::Read, "admin").await.expect("a token").1;
    // Whoever comes back may be there before the server has noticed that they left.
    let most = (watchers * 2).to_string();
    let server = Server::start(&farm.database.url(), &[("FRAMEFARM_SSE_CLIENTS", &most)]);

    let told = Arc::new(Told::new(videos, usize::try_from(seconds).unwrap_or(0) * 4 + 100));
    let jobs = drive::claim(&farm, &server.url, videos).await;
    let before = resident_kib(server.pid());

    let began = Instant::now();
    let mut crowd = Crowd::gather(&server.url, &reader, &jobs, each, &told).await;
    println!("{watchers} watchers of {videos} videos are there after {:.1} s", began.elapsed().as_secs_f64());
    let idle = resident_kib(server.pid());

    let (began, ours, theirs) = (Instant::now(), cpu_time(std::process::id()), cpu_time(server.pid()));
    let calls = drive::progress(&jobs, &told, Duration::from_secs(seconds)).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let spent = began.elapsed().as_secs_f64();
    let busy = resident_kib(server.pid());
    let shares = [(theirs, server.pid()), (ours, std::process::id())]
        .map(|(since, pid)| cpu_time(pid).saturating_sub(since).as_secs_f64() / spent);

    let back = crowd.reconnect().await;
    let per_client = |kib: u64| ratio(kib.saturating_sub(before), watchers as u64);
    let delays = told.delays();
    println!("\n| | | wanted |\n|---|---|---|");
    let row = |name: &str, value: String, wanted: &str| println!("| {name} | {value} | {wanted} |");
    row(
        "calls of progress a second",
        format!("{:.0}", ratio(calls as u64, seconds)),
        &(videos * 2).to_string(),
    );
    row("messages that arrived", format!("{} of {}", delays.arrived, calls * each), "all, or a newer one");
    row("delay p50", format!("{} ms", delays.at(0.5)), "");
    row("delay p99", format!("{} ms", delays.at(0.99)), "≤ 250 ms");
    row("longest", format!("{} ms", delays.at(1.0)), "");
    row("memory of a watcher, idle", format!("{:.1} KiB", per_client(idle)), "");
    row("memory of a watcher, busy", format!("{:.1} KiB", per_client(busy)), "≤ 32 KiB");
    row("all back after a break", format!("{:.1} s", back.took.as_secs_f64()), "≤ 10 s");
    row("answers other than 200 while coming back", back.refused.to_string(), "0");
    row("cores: the server", format!("{:.2}", shares[0]), "");
    row("cores: this load", format!("{:.2}", shares[1]), "");
}

#[expect(clippy::cast_precision_loss, reason = "counts that a bench has time for")]
fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of as f64
}
