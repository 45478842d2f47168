//! A quiet farm, one worker that waits: from the enqueue to the job in its hands.

use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use tokio::sync::mpsc;

use super::System;
use super::common::{option, percentile};
use super::ours::{Mode, Site};
use super::peers::Sample;
use super::table;

const WARM_UP: usize = 10;

pub(crate) async fn run(systems: &[System]) {
    let samples: usize = option("--samples", 1_000);
    let rounds: usize = option("--rounds", 10);
    let each = samples.div_ceil(rounds);
    let mut found: Vec<(System, Vec<Sample>)> = systems.iter().map(|system| (*system, Vec::new())).collect();
    for round in 0..rounds {
        found.shuffle(&mut rand::rng());
        for (system, samples) in &mut found {
            samples.extend(match system {
                System::Ours(mode) => ours(*mode, each, round).await,
                System::Peer(peer) => peer.idle(each).await,
            });
        }
        eprintln!("latency: round {} of {rounds}", round + 1);
    }
    found.sort_by_key(|(system, _)| systems.iter().position(|one| one == system));
    print(&found);
}

async fn ours(mode: Mode, count: usize, round: usize) -> Vec<Sample> {
    let site = Site::start(mode, async |_| {}).await;
    let (producer, worker) = (site.uploader().await, site.worker("bench").await);
    let (tell, mut told) = mpsc::channel(1);
    let working = tokio::spawn(async move {
        while !tell.is_closed() {
            let Some(job) = worker.claim("transcode", 5).await else { continue };
            let in_hands = Instant::now();
            worker.fail(&job).await;
            let _ = tell.send(in_hands).await;
        }
    });
    let mut samples = Vec::new();
    for number in 0..WARM_UP + count {
        // The worker asks again in this time; not in step with anything that ticks.
        tokio::time::sleep(Duration::from_micros(rand::random_range(10_000..30_000))).await;
        let called = Instant::now();
        producer.upload(&format!("round {round}, upload {number}")).await;
        let acked = Instant::now();
        let in_hands = told.recv().await.expect("a claim");
        if number >= WARM_UP {
            let since_call = micros(called, in_hands);
            samples.push(Sample { since_call, since_ack: since_call - micros(called, acked) });
        }
    }
    drop(told);
    working.abort();
    samples
}

fn micros(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1e6
}

fn print(found: &[(System, Vec<Sample>)]) {
    let millis = |samples: &[Sample], of: fn(&Sample) -> f64, share: f64| {
        percentile(&samples.iter().map(of).collect::<Vec<_>>(), share) / 1e3
    };
    let since_ack = |sample: &Sample| sample.since_ack.max(0.0);
    let reference = found.iter().find(|(system, _)| matches!(system, System::Ours(_)));
    let rows = found.iter().map(|(system, samples)| {
        let [p50, p99] = [0.5, 0.99].map(|share| millis(samples, since_ack, share));
        let [call50, call99] = [0.5, 0.99].map(|share| millis(samples, |sample| sample.since_call, share));
        let ratio = |share: f64, this: f64| match reference {
            Some((first, ours)) if first != system => {
                format!("{:.2}", millis(ours, since_ack, share) / this)
            }
            _ => String::new(),
        };
        vec![
            system.name().to_owned(),
            samples.len().to_string(),
            format!("{p50:.2}"),
            format!("{p99:.2}"),
            ratio(0.5, p50),
            ratio(0.99, p99),
            format!("{call50:.2}"),
            format!("{call99:.2}"),
        ]
    });
    table::print(
        "Idle: from the acknowledged enqueue to the job in the hands of a waiting worker, milliseconds",
        &["queue", "samples", "p50", "p99", "ours / this p50", "p99", "from the call p50", "p99"],
        rows,
    );
}
