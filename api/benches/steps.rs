//! What the steps of a job's way cost on SQLite, each from the call until it is safe on disk. Nobody else writes: a step
//! holds the database at most that long. Beside them what the disk alone costs: one row, committed.
//!
//! `make bench` runs it.

use std::time::{Duration, Instant};

use framefarm_api::db::Engine;
use framefarm_api::testing::Farm;

const TIMES: usize = 1_000;
const WARM_UP: usize = 100;
const STEPS: [&str; 6] = ["one row", "enqueue", "claim", "heartbeat", "progress", "hand back"];

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let farm = Farm::sqlite().await;
    farm.sql("CREATE TABLE bench (n INTEGER)").await;
    let worker = farm.worker("bench").await;
    let mut spans: [Vec<Duration>; STEPS.len()] = Default::default();
    for run in 0..WARM_UP + TIMES {
        let mut times = [Instant::now(); STEPS.len() + 1];
        one_row(&farm).await;
        times[1] = Instant::now();
        farm.upload(&format!("clip {run}")).await;
        times[2] = Instant::now();
        let job = worker.claim().await;
        times[3] = Instant::now();
        worker.beat(&[&job]).await.expect("renewed");
        times[4] = Instant::now();
        worker.progress(&job, 50.0).await.expect("written");
        times[5] = Instant::now();
        worker.release(&job).await.expect("handed back");
        times[6] = Instant::now();
        if run >= WARM_UP {
            for (step, pair) in times.windows(2).enumerate() {
                spans[step].push(pair[1] - pair[0]);
            }
        }
    }
    print(spans);
}

/// With the settings of every other transaction.
async fn one_row(farm: &Farm) {
    let mut tx = farm.app.db.begin().await.expect("begin");
    let Engine::Sqlite(conn) = tx.engine() else { unreachable!("this farm is on SQLite") };
    sqlx::query("INSERT INTO bench VALUES (1)").execute(conn).await.expect("insert");
    tx.commit().await.expect("commit");
}

fn print(spans: [Vec<Duration>; STEPS.len()]) {
    println!("\nwhole steps on SQLite, {TIMES} times; microseconds\n");
    println!("{:<10} {:>7} {:>7} {:>7}   of one row, at p50", "step", "p50", "p99", "max");
    let mut disk = None;
    for (step, mut spans) in STEPS.into_iter().zip(spans) {
        spans.sort_unstable();
        let [p50, p99, max] = [TIMES / 2, TIMES * 99 / 100, TIMES - 1].map(|rank| spans[rank]);
        let ratio = p50.as_secs_f64() / disk.get_or_insert(p50).as_secs_f64();
        println!(
            "{step:<10} {:>7} {:>7} {:>7}   {ratio:.2}",
            p50.as_micros(),
            p99.as_micros(),
            max.as_micros()
        );
    }
}
