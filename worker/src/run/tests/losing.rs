//! A claim that is lost: its processes are gone within a second, not a byte is sent after it, and nobody else notices.

use std::time::{Duration, Instant};

use framefarm_shared::id::JobId;

use super::bench::{Bench, calls, ended, is_running};
use crate::scripted::Heard;

/// Makes segments for ever, is deaf to SIGTERM, and has a child of its own and one that left and holds its pipes.
const RESTLESS: &str = "trap '' TERM; sleep 1000 & setsid sh -c 'echo $$ > runaway; exec sleep 1000' & \
    i=0; while :; do seg $i; i=$((i+1)); sleep 0.02; done";

fn about(heard: &[Heard], job: JobId) -> Vec<&Heard> {
    let id = job.to_string();
    let says = |request: &&Heard| {
        request.call.contains(&id)
            || (!request.call.contains("/heartbeat") && String::from_utf8_lossy(&request.body).contains(&id))
    };
    heard.iter().filter(says).collect()
}

/// Loses the claim on `job`; waits until its encoder and the one who left are gone and the farm has heard two more heartbeats.
async fn lose(bench: &Bench, job: JobId, encoder: i32) {
    let beats = || calls(&bench.farm.heard(), "/heartbeat").len();
    let runaway = bench.number_of(job, "runaway").await;
    bench.mood.lock().unwrap().lost.insert(job);
    let told = beats() + 1;
    bench.farm.until(|heard| calls(heard, "/heartbeat").len() >= told).await;
    let lost_at = Instant::now();
    while is_running(encoder) || is_running(runaway) {
        assert!(lost_at.elapsed() < Duration::from_secs(1), "a process outlives its claim");
        tokio::task::yield_now().await;
    }
    // One that was already on its way may have been noted after the loss.
    let sent = about(&bench.farm.heard(), job).len() + 2;
    let later = beats() + 2;
    bench.farm.until(|heard| calls(heard, "/heartbeat").len() >= later).await;
    assert!(about(&bench.farm.heard(), job).len() <= sent, "sent after the loss");
}

#[tokio::test]
async fn a_lost_claim_kills_the_group_and_nothing_more_is_sent() {
    let bench = Bench::with(1, 100_000, RESTLESS).await;
    let working = bench.start();
    let encoder = bench.encoder_of(bench.jobs[0]).await;
    bench.farm.until(|heard| calls(heard, "PUT").len() > 3).await;
    lose(&bench, bench.jobs[0], encoder).await;
    bench.stop.drain();
    ended(working).await.unwrap();
    let heard = bench.farm.heard();
    for call in ["/complete", "/fail", "/release"] {
        assert!(calls(&heard, call).is_empty(), "{call} after the loss");
    }
}

#[tokio::test]
async fn of_two_jobs_in_two_slots_only_the_one_whose_claim_is_lost_is_killed() {
    let bench = Bench::with(2, 100_000, RESTLESS).await;
    let working = bench.start();
    let (lost, kept) = (bench.jobs[0], bench.jobs[1]);
    let (doomed, other) = (bench.encoder_of(lost).await, bench.encoder_of(kept).await);
    let runaway = bench.number_of(kept, "runaway").await;
    lose(&bench, lost, doomed).await;
    let delivered = about(&bench.farm.heard(), kept).len();
    bench.farm.until(|heard| about(heard, kept).len() > delivered + 3).await;
    assert!(is_running(other) && is_running(runaway));
    bench.stop.leave();
    ended(working).await.unwrap();
    assert!(!is_running(other) && !is_running(runaway));
    let released = calls(&bench.farm.heard(), "/release").len();
    assert_eq!(released, 1, "the one that was left is handed back");
}
