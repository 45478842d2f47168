//! The end of a worker that is told to stop.

use serde_json::json;

use super::bench::{Bench, calls, ended, is_running, the_call};
use crate::scripted::Heard;

#[tokio::test]
async fn a_worker_that_stops_reaches_a_boundary_delivers_and_hands_the_job_back() {
    let bench = Bench::new("seg 0; read -r word; [ \"$word\" = stop ] && seg 1; done_ true").await;
    let working = bench.start();
    bench.farm.until(|heard| !calls(heard, "PUT").is_empty()).await;
    bench.stop.further();
    ended(working).await.unwrap();
    let heard = bench.farm.heard();
    assert!(calls(&heard, "PUT").iter().any(|request| request.call.contains("/parts/1?")));
    let release = the_call(&heard, "/release");
    assert_eq!(
        (&release["job_id"], &release["reason"]),
        (&json!(bench.jobs[0]), &json!("worker is stopping"))
    );
    assert!(calls(&heard, "/complete").is_empty() && calls(&heard, "/fail").is_empty());
}

#[tokio::test]
async fn the_last_heartbeat_of_a_worker_that_stops_says_so_and_no_other_does() {
    let bench = Bench::new("seg 0; read -r word; seg 1; seg 2; done_ false").await;
    let working = bench.start();
    bench.farm.until(|heard| !calls(heard, "PUT").is_empty()).await;
    bench.stop.drain();
    ended(working).await.unwrap();
    let heard = bench.farm.heard();
    let beats: Vec<_> = calls(&heard, "/heartbeat").iter().map(|request| request.json()).collect();
    let (last, before) = beats.split_last().unwrap();
    assert_eq!((&last["stopping"], &last["held"]), (&json!(true), &json!([])));
    // An older farm refuses words that it does not know.
    assert!(before.iter().all(|beat| beat.get("stopping").is_none()));
}

#[tokio::test]
async fn a_job_that_is_done_when_the_worker_stops_is_completed() {
    let bench = Bench::new("seg 0; read -r word; seg 1; seg 2; done_ false").await;
    let working = bench.start();
    bench.farm.until(|heard| !calls(heard, "PUT").is_empty()).await;
    bench.stop.drain();
    ended(working).await.unwrap();
    the_call(&bench.farm.heard(), "/complete");
}

#[tokio::test]
async fn an_encoder_that_reaches_no_boundary_in_time_is_ended_and_the_job_handed_back() {
    let mut bench = Bench::new("seg 0; exec sleep 1000").await;
    bench.options.drain = std::time::Duration::from_millis(400);
    let working = bench.start();
    bench.farm.until(|heard| !calls(heard, "PUT").is_empty()).await;
    bench.stop.drain();
    ended(working).await.unwrap();
    the_call(&bench.farm.heard(), "/release");
}

#[tokio::test]
async fn a_second_signal_ends_the_encoder_at_once_and_still_hands_the_job_back() {
    let bench = Bench::new("seg 0; trap '' TERM; while :; do sleep 1; done").await;
    let working = bench.start();
    let encoder = bench.encoder_of(bench.jobs[0]).await;
    bench.farm.until(|heard| !calls(heard, "PUT").is_empty()).await;
    bench.stop.further();
    assert!(is_running(encoder));
    bench.stop.further();
    ended(working).await.unwrap();
    assert!(!is_running(encoder));
    the_call(&bench.farm.heard(), "/release");
}

#[tokio::test]
async fn a_worker_that_refuses_to_encode_stays_with_the_farm_and_takes_no_jobs() {
    let mut bench = Bench::new("").await;
    bench.options.refusal = Some("the sandbox is incomplete".to_owned());
    let working = bench.start();
    // The farm asks for a heartbeat a second; a worker that takes jobs has asked for one by the third.
    let beats = |heard: &[Heard]| calls(heard, "/heartbeat").len();
    bench.farm.until(|heard| beats(heard) >= 3).await;
    bench.stop.drain();
    ended(working).await.unwrap();
    assert!(calls(&bench.farm.heard(), "/claim").is_empty());
}
