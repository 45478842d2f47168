//! A full queue, many workers: jobs a second, each claimed and ended by calls of its own.

use std::sync::Arc;
use std::time::Instant;

use framefarm_api::testing::Farm;
use rand::seq::SliceRandom;
use tokio::task::JoinSet;

use super::System;
use super::common::{cpu_time, option, percentile};
use super::ours::{Mode, Site};
use super::table;

/// How a job of ours ends; each moves other rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// `POST /api/worker/fail` of a transcode with a final class: job, video, attempt, worker, event.
    Fail,
    /// `POST /api/worker/complete` of a captions job, which delivers nothing: job, attempt, worker, event.
    Complete,
}

struct Run {
    system: System,
    ending: Option<Ending>,
    workers: usize,
    /// Jobs a second, one for each round.
    rates: Vec<f64>,
    /// What our own load generator took of a core, to see that it is not what limits.
    generator: Vec<f64>,
}

pub(crate) async fn run(systems: &[System]) {
    let jobs: u32 = option("--jobs", 3_000);
    let rounds: usize = option("--throughput-rounds", 3);
    let mut runs = Vec::new();
    for workers in [16, 64] {
        for system in systems {
            let endings: &[Option<Ending>] = match system {
                System::Ours(_) => &[Some(Ending::Complete), Some(Ending::Fail)],
                System::Peer(_) => &[None],
            };
            runs.extend(endings.iter().map(|ending| Run {
                system: *system,
                ending: *ending,
                workers,
                rates: Vec::new(),
                generator: Vec::new(),
            }));
        }
    }
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.shuffle(&mut rand::rng());
        for index in order {
            let run = &mut runs[index];
            match (run.system, run.ending) {
                (System::Ours(mode), Some(ending)) => {
                    let (rate, generator) = ours(mode, ending, jobs, run.workers).await;
                    run.rates.push(rate);
                    run.generator.push(generator);
                }
                (System::Peer(peer), _) => {
                    run.rates.push(f64::from(jobs) / peer.drain(jobs, run.workers).await.seconds);
                }
                _ => {}
            }
        }
        eprintln!("throughput: round {} of {rounds}", round + 1);
    }
    print(&runs);
}

async fn ours(mode: Mode, ending: Ending, jobs: u32, workers: usize) -> (f64, f64) {
    let site = Site::start(mode, async |farm| fill(farm, jobs.into(), ending).await).await;
    let mut hands = Vec::new();
    for number in 0..workers {
        hands.push(Arc::new(site.worker(&format!("bench-{number}")).await));
    }
    let (began, spent) = (Instant::now(), cpu_time(std::process::id()));
    let mut tasks = JoinSet::new();
    for worker in hands {
        tasks.spawn(async move {
            let mut done = 0u32;
            match ending {
                Ending::Fail => {
                    while let Some(job) = worker.claim("transcode", 0).await {
                        worker.fail(&job).await;
                        done += 1;
                    }
                }
                Ending::Complete => {
                    while let Some(job) = worker.claim("captions", 0).await {
                        worker.complete(&job).await;
                        done += 1;
                    }
                }
            }
            done
        });
    }
    let done: u32 = tasks.join_all().await.into_iter().sum();
    let seconds = began.elapsed().as_secs_f64();
    let generator = cpu_time(std::process::id()).saturating_sub(spent).as_secs_f64() / seconds;
    assert_eq!(done, jobs, "every job once");
    (f64::from(done) / seconds, generator)
}

async fn fill(farm: &Farm, jobs: i64, ending: Ending) {
    farm.fill_queue(jobs).await;
    if ending == Ending::Complete {
        farm.sql("UPDATE job SET queue_type = 'captions'; UPDATE video SET status = 'ready', generation = 1")
            .await;
    }
    super::depth::settle(farm).await;
}

fn print(runs: &[Run]) {
    for workers in [16, 64] {
        let here = || runs.iter().filter(|run| run.workers == workers);
        let reference =
            here().find(|run| run.ending == Some(Ending::Complete)).map(|run| percentile(&run.rates, 0.5));
        let rows = here().map(|run| {
            let rate = percentile(&run.rates, 0.5);
            let [low, high] = [0.0, 1.0].map(|share| percentile(&run.rates, share));
            let calls = match run.ending {
                Some(Ending::Complete) => "claim + complete (captions)",
                Some(Ending::Fail) => "claim + final fail (transcode)",
                None => "fetch + complete",
            };
            let ratio = match (run.ending, reference) {
                (None, Some(ours)) => format!("{:.2}", ours / rate),
                _ => String::new(),
            };
            let generator = run.generator.iter().copied().reduce(f64::max);
            vec![
                run.system.name().to_owned(),
                calls.to_owned(),
                format!("{rate:.0} ({low:.0}–{high:.0})"),
                ratio,
                generator.map(|share| format!("{:.0} %", share * 100.0)).unwrap_or_default(),
            ]
        });
        let title = format!("A full queue, {workers} workers, each job acknowledged by itself");
        table::print(
            &title,
            &["queue", "a job is", "jobs a second", "ours / this", "of a core for the caller"],
            rows,
        );
    }
}
