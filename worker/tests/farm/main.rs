//! The whole way: the real API on a real port, a real clip, the worker's own client or the real worker program, and a
//! player at the end.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod api;
mod backup;
mod compare;
mod covers;
mod delivered;
mod encode;
mod encrypted;
mod gpus;
mod joining;
mod kills;
mod line;
mod player;
mod probe;
mod program;
mod served;
mod sources;
mod stopping;
mod takeover;
mod traces;
mod watch;
mod worker;

use std::time::Duration;

use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::worker_api::CompleteRequest;
use framefarm_worker::child::{Child, LockLostBehavior, Outcome};
use framefarm_worker::client::{Backoff, CallError, retry};
use serde_json::json;
use tokio::process::Command;

use api::Api;
use worker::Worker;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clip_becomes_a_playable_video_and_one_quality_of_it_is_made_again() {
    let api = Api::start().await;
    let clip = encode::clip(api.scratch()).await;
    let video = api.upload(&clip).await;
    let worker = Worker::register(&api).await;

    let job = worker.claim().await.expect("the upload waits for a worker");
    assert_eq!(job.job_id, video.job_id);
    let done = worker.transcode(&job).await;
    assert_eq!((done.status, done.generation), (JobStatus::Completed, 1));
    assert_eq!(api.video(video.id).await["status"], "ready");
    let first = player::play_through(&api, &video.slug).await;
    assert_eq!(first, ["854x480", "640x360"]);
    assert!(player::master(&api, &video.slug).await.contains("g1/"));
    let poster = api.video(video.id).await["poster_url"].as_str().unwrap().to_owned();
    assert!(api.bytes(&poster).await.starts_with(b"\xff\xd8\xff"));

    api.post(&format!("/api/videos/{}/retranscode", video.id), json!({ "qualities": ["360p"] })).await;
    let job = worker.claim().await.expect("the re-transcode waits for a worker");
    assert_eq!(job.generation, 2);
    let (hold, plan) = worker.begin(&job).await;
    assert!(player::master(&api, &video.slug).await.contains("g1/"), "the old generation plays on");
    assert_eq!(player::play_through(&api, &video.slug).await, first);
    let made = worker.encode_missing(&job, &hold, &plan).await;
    assert_eq!(made, ["360p"], "only what was asked for is encoded again");
    assert!(player::master(&api, &video.slug).await.contains("g1/"), "delivered is not yet published");
    let complete = CompleteRequest { job_id: job.job_id, fence: job.fence, results: None, left_out: vec![] };
    hold.unless_lost(worker.client.complete(&complete)).await.unwrap();
    drop(hold);
    assert!(!player::master(&api, &video.slug).await.contains("g1/360p"));
    assert_eq!(api.video(video.id).await["generation"], 2);
    assert_eq!(player::play_through(&api, &video.slug).await, first);
    let carried = api.video(video.id).await["poster_url"].as_str().unwrap().to_owned();
    assert_eq!(carried, poster.replace("/g1/", "/g2/"), "images come along");
    assert_eq!(api.bytes(&carried).await, api.bytes(&poster).await);
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_job_ends_its_processes_and_delivers_nothing_more() {
    let api = Api::start().await;
    let video = api.upload(&encode::clip(api.scratch()).await).await;
    let worker = Worker::register(&api).await;
    let job = worker.claim().await.expect("the upload waits for a worker");
    let (hold, plan) = worker.begin(&job).await;
    let mut encoder = Command::new("sh");
    encoder.args(["-c", "sleep 1000 & sleep 1000"]);
    let encoder = Child::spawn(encoder).unwrap();

    api.post(&format!("/api/videos/{}/cancel", video.id), json!({})).await;
    let running = encoder.run(hold.lost(), LockLostBehavior::Sigkill);
    let outcome =
        tokio::time::timeout(Duration::from_secs(10), running).await.expect("the heartbeat hears of it");
    assert!(matches!(outcome.unwrap(), Outcome::LockLost(ended) if ended.all_are_gone));
    let part = worker.a_part(&job, &plan).await;
    let late = hold.unless_lost(worker.client.put_part(hold.job(), &part)).await;
    assert!(matches!(late, Err(CallError::Stop { code, .. }) if code == "lock_lost"));
    // A refusal may come while the part is still being sent, which breaks the connection.
    let later = retry(Backoff::default(), || worker.client.put_part(hold.job(), &part)).await;
    assert!(matches!(later, Err(CallError::Stop { .. })), "the farm refuses it too: {later:?}");
    api.stop().await;
}
