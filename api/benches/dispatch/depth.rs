//! What a claim costs as the queue grows, seen by a worker.

use std::time::Instant;

use framefarm_api::testing::Farm;
use sqlx::Connection;

use super::common::{option, percentile};
use super::ours::{Mode, Site};
use super::table;

const WARM_UP: usize = 100;

pub(crate) async fn run() {
    let claims: usize = option("--claims", 800);
    let largest: i64 = option("--largest", 1_000_000);
    let mut rows = Vec::new();
    let mut reference = None;
    // The smallest queue still holds every claim of the run.
    for waiting in [1_000, 10_000, 100_000, largest] {
        let site = Site::start(Mode::Database, async |farm| {
            farm.fill_queue(waiting).await;
            settle(farm).await;
        })
        .await;
        let worker = site.worker("bench").await;
        let mut millis = Vec::with_capacity(claims);
        for number in 0..WARM_UP + claims {
            let began = Instant::now();
            let job = worker.claim("transcode", 0).await.expect("a job");
            if number >= WARM_UP {
                millis.push(began.elapsed().as_secs_f64() * 1e3);
            }
            worker.fail(&job).await;
        }
        let p50 = percentile(&millis, 0.5);
        let smallest = *reference.get_or_insert(p50);
        rows.push(vec![
            waiting.to_string(),
            format!("{p50:.2}"),
            format!("{:.2}", percentile(&millis, 0.99)),
            format!("{:.2}", p50 / smallest),
        ]);
        eprintln!("depth: {waiting} done");
    }
    let title = "One claim over HTTP by one worker, as the queue grows, milliseconds";
    table::print(title, &["waiting", "p50", "p99", "p50 / p50 of the smallest"], rows);
}

/// A queue as autovacuum leaves it; otherwise the first claims would pay for the load of the table.
pub(crate) async fn settle(farm: &Farm) {
    let mut connection = sqlx::PgConnection::connect(&farm.database.url()).await.expect("connect");
    for text in ["VACUUM ANALYZE job", "VACUUM ANALYZE video", "VACUUM ANALYZE generation", "CHECKPOINT"] {
        sqlx::raw_sql(text).execute(&mut connection).await.expect("vacuum");
    }
}
