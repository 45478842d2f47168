//! What a claim costs in the database, at 10,000 and at 1,000,000 waiting jobs, on both engines, beside the
//! statements people write by hand. Ratios count; the machine's absolute figures are only for orientation.
//!
//! `make bench` runs it with a PostgreSQL that really syncs. `make bench ARGS=--quick` takes smaller queues.

use std::time::{Duration as StdDuration, Instant};

use chrono::Duration;
use framefarm_api::db::job;
use framefarm_api::db::job::claim::Claimer;
use framefarm_api::db::{Engine, Tx};
use framefarm_api::testing::{Farm, TestDatabase};
use framefarm_shared::queue::QueueType;

const CLAIMS: usize = 1_000;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let sizes: &[i64] = if quick { &[2_000, 100_000] } else { &[10_000, 1_000_000] };
    println!("one claim statement, {CLAIMS} times; microseconds\n");
    println!("{:<10} {:>9}  {:<34} {:>7} {:>7} {:>7}", "engine", "waiting", "statement", "p50", "p99", "max");
    for engine in ["sqlite", "postgres"] {
        let mut reference = None;
        for size in sizes {
            let database =
                if engine == "sqlite" { TestDatabase::sqlite() } else { TestDatabase::postgres().await };
            let farm = Farm::on(database, |_| {}).await;
            fill(&farm, *size).await;
            let ours = measure(&farm, Statement::Ours).await;
            ours.print(engine, *size, "framefarm: claim by index");
            let naive = measure(&farm, Statement::SelectThenUpdate).await;
            naive.print(engine, *size, "select by count, then update by id");
            println!(
                "{:<22} naive / ours at p50: {:.1}",
                "",
                naive.p50.as_secs_f64() / ours.p50.as_secs_f64()
            );
            match reference {
                None => reference = Some(ours.p99),
                Some(small) => {
                    let ratio = ours.p99.as_secs_f64() / small.as_secs_f64();
                    println!(
                        "{:<22} p99 at {size} / p99 at {}: {ratio:.2} (wanted: at most 2)",
                        "", sizes[0]
                    );
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Statement {
    Ours,
    /// What a first version of a queue does: an ordered subquery on plain columns, and an update by id.
    SelectThenUpdate,
}

struct Timing {
    p50: StdDuration,
    p99: StdDuration,
    max: StdDuration,
}

impl Timing {
    fn print(&self, engine: &str, waiting: i64, statement: &str) {
        let us = |span: StdDuration| span.as_micros();
        println!(
            "{engine:<10} {waiting:>9}  {statement:<34} {:>7} {:>7} {:>7}",
            us(self.p50),
            us(self.p99),
            us(self.max)
        );
    }
}

async fn measure(farm: &Farm, statement: Statement) -> Timing {
    let worker = farm.worker("bench").await;
    let by = Claimer {
        worker: worker.id,
        worker_name: "bench",
        now: farm.now(),
        expires: farm.now() + Duration::minutes(30),
    };
    let runs = if matches!(statement, Statement::Ours) { CLAIMS } else { 20 };
    let mut spans = Vec::with_capacity(runs);
    // The first hundred warm the caches and the statement.
    for run in 0..runs + 100.min(runs) {
        let mut tx = farm.app.db.begin().await.expect("begin");
        let started = Instant::now();
        match statement {
            Statement::Ours => {
                let job = job::claim::claim_next(&mut tx, by, QueueType::Transcode, farm.now(), false)
                    .await
                    .expect("claim");
                assert!(job.is_some(), "the queue ran dry");
            }
            Statement::SelectThenUpdate => naive(&mut tx).await,
        }
        if run >= 100.min(runs) {
            spans.push(started.elapsed());
        }
        tx.commit().await.expect("commit");
    }
    spans.sort_unstable();
    let at = |share: f64| {
        #[expect(
            clippy::cast_sign_loss,
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a rank"
        )]
        let rank = ((spans.len() - 1) as f64 * share).round() as usize;
        spans[rank]
    };
    Timing { p50: at(0.5), p99: at(0.99), max: at(1.0) }
}

async fn naive(tx: &mut Tx) {
    const SELECT: &str = "SELECT number FROM job WHERE status = 'pending' AND attempt_number < max_attempts \
         ORDER BY priority DESC, enqueued_at LIMIT 1";
    const UPDATE: &str = "UPDATE job SET attempt_number = attempt_number WHERE number = $1";
    macro_rules! run {
        ($conn:expr) => {{
            let number: i64 = sqlx::query_scalar(SELECT).fetch_one(&mut *$conn).await.expect("select");
            sqlx::query(UPDATE).bind(number).execute(&mut *$conn).await.expect("update");
        }};
    }
    match tx.engine() {
        Engine::Postgres(conn) => run!(conn),
        Engine::Sqlite(conn) => run!(conn),
    }
}

/// A queue as autovacuum leaves it; otherwise the first claims would pay for the load of the table.
async fn fill(farm: &Farm, count: i64) {
    use sqlx::Connection;
    farm.fill_queue(count).await;
    if !farm.app.db.is_sqlite() {
        let mut connection = sqlx::PgConnection::connect(&farm.database.url()).await.expect("connect");
        for text in ["VACUUM ANALYZE job", "VACUUM ANALYZE video", "CHECKPOINT"] {
            sqlx::raw_sql(text).execute(&mut connection).await.expect("vacuum");
        }
    }
}
