//! The real program is told to stop, or is stopped, in the middle of an encode.

use std::time::{Duration, Instant};

use framefarm_api::testing::TestDatabase;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::EventKind;
use rustix::process::Signal;

use crate::api::Api;
use crate::line::Line;
use crate::program::Member;
use crate::takeover::quick;
use crate::watch::until;
use crate::{encode, player};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_hands_the_job_back_with_what_is_finished_and_costs_no_attempt() {
    let api = Api::start().await;
    let member = Member::register(&api, "stopped").await;
    let video = api.upload(&encode::long_clip(api.scratch(), "640x360", 25, 60).await).await;
    let program = member.start(&api.url, &["--x264-preset", "faster"]);
    let before = api.until_delivered(&video, "360p", 1).await["360p"].len();
    let encoder = program.encoder().await;
    program.signal(Signal::TERM);
    assert_eq!(program.ended().await.code(), Some(0));
    assert!(encoder.dies_within(Duration::from_secs(1)).await);

    let (job, segments) = (api.job(&video).await, api.segments(&video).await);
    assert_eq!(job.status, JobStatus::Pending, "{}", member.log());
    assert_eq!((job.failure_count, job.lost_count, job.attempt_number), (0, 0, 0));
    assert_eq!(api.events(&video, EventKind::JobReleased).await.len(), 1);
    // The segment that was in the works came to its boundary and was delivered.
    assert!((before + 1..10).contains(&segments["360p"].len()), "{before}, then {}", segments["360p"].len());
    assert_eq!(std::fs::read_dir(member.scratch().join("jobs")).unwrap().count(), 0);

    let next = member.start(&api.url, &["--x264-preset", "ultrafast"]);
    api.until_ready(&video).await;
    assert!(api.segments(&video).await["360p"].starts_with(&segments["360p"]));
    assert_eq!(player::frames(&api, &video.slug).await, ["1500"]);
    next.signal(Signal::TERM);
    assert_eq!(next.ended().await.code(), Some(0));
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_sigterm_ends_the_program_at_once() {
    let api = Api::start().await;
    let member = Member::register(&api, "stopped twice").await;
    let video = api.upload(&encode::long_clip(api.scratch(), "1280x720", 25, 20).await).await;
    // A segment takes far longer than this test.
    let program = member.start(&api.url, &["--x264-preset", "veryslow"]);
    let encoder = program.encoder().await;
    program.signal(Signal::TERM);
    until("it has heard the first", async || {
        member.log().contains("a second signal stops them immediately").then_some(())
    })
    .await;
    let asked_again = Instant::now();
    program.signal(Signal::TERM);
    assert_eq!(program.ended().await.code(), Some(0));
    assert!(asked_again.elapsed() < Duration::from_secs(2), "took {:?}", asked_again.elapsed());
    assert!(encoder.dies_within(Duration::from_secs(1)).await);
    let job = api.job(&video).await;
    assert_eq!((job.status, job.failure_count, job.lost_count), (JobStatus::Pending, 0, 0));
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_slept_through_its_lease_says_nothing_of_the_job_and_its_encoder_dies() {
    let api = Api::on(TestDatabase::sqlite(), quick).await;
    let (line, member) = (Line::to(&api).await, Member::register(&api, "asleep").await);
    let video = api.upload(&encode::long_clip(api.scratch(), "640x360", 25, 60).await).await;
    let program = member.start(&line.url, &["--x264-preset", "slow"]);
    api.until_delivered(&video, "360p", 1).await;
    let encoder = program.encoder().await;
    program.signal(Signal::STOP);
    api.until_event(&video, EventKind::JobLost).await;
    let (delivered, asked) = (api.deliveries(&video).await, line.heard().len());
    program.signal(Signal::CONT);
    assert!(encoder.dies_within(Duration::from_secs(1)).await, "the encoder of a lost job goes on");
    until("it has the job again", async || (api.job(&video).await.fence == 2).then_some(())).await;

    let said = line.heard().split_off(asked);
    let of_the_lost = said.iter().find(|request| request.contains("fence=1") || of_fence_one(request));
    assert!(of_the_lost.is_none(), "said after the loss: {of_the_lost:?}");
    assert!(api.deliveries(&video).await.iter().filter(|(_, _, fence)| *fence == 1).eq(&delivered));
    assert!(member.log().contains("lease expired") || member.log().contains("claim lost"));
    program.kill().await;
    api.stop().await;
}

/// The heartbeat may ask how a job stands; to report on it is another thing.
fn of_fence_one(request: &str) -> bool {
    !request.contains("/heartbeat ") && request.contains("\"fence\":1")
}
