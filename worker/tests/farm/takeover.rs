//! A worker dies in the middle, and another one finishes what it began.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use framefarm_api::config::Settings;
use framefarm_api::testing::TestDatabase;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::EventKind;

use crate::api::Api;
use crate::program::Member;
use crate::{encode, player};

/// A farm that notices a death within seconds.
pub(crate) fn quick(settings: &mut Settings) {
    settings.worker_claim_duration_minutes = 4.0 / 60.0;
    settings.worker_offline_threshold_minutes = 3.0 / 60.0;
    settings.stale_job_check_interval = 1;
    settings.redelivery_delay = 3;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_worker_began_another_one_finishes_on_sqlite() {
    finished_by_another(TestDatabase::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_worker_began_another_one_finishes_on_postgres() {
    finished_by_another(TestDatabase::postgres().await).await;
}

async fn finished_by_another(database: TestDatabase) {
    let api = Api::on(database, quick).await;
    let (first, second) = (Member::register(&api, "first").await, Member::register(&api, "second").await);
    let video = api.upload(&encode::long_clip(api.scratch(), "640x360", 25, 60).await).await;
    let doomed = first.start(&api.url, &["--x264-preset", "faster"]);
    api.until_delivered(&video, "360p", 1).await;
    let encoder = doomed.encoder().await;
    let killed_at = Instant::now();
    doomed.kill().await;
    assert!(encoder.dies_within(Duration::from_secs(1)).await, "the encoder outlives its supervisor");
    let heir = second.start(&api.url, &["--x264-preset", "ultrafast"]);
    api.until_event(&video, EventKind::JobLost).await;
    let before = api.segments(&video).await;
    assert!(before["360p"].len() < 10, "the kill hit the middle");
    crate::watch::until("the other one has it", async || (api.job(&video).await.fence == 2).then_some(()))
        .await;
    assert!(
        killed_at.elapsed() < Duration::from_secs(20),
        "a crash costs seconds: {:?}",
        killed_at.elapsed()
    );
    api.until_ready(&video).await;

    let (job, after) = (api.job(&video).await, api.segments(&video).await);
    assert_eq!((job.status, job.lost_count, job.failure_count), (JobStatus::Completed, 1, 0));
    assert_eq!(job.processed_by_worker_id, Some(second.id));
    for (quality, rows) in &before {
        assert!(after[quality].starts_with(rows), "segments of {quality} changed after the kill");
    }
    let deliveries = api.deliveries(&video).await;
    let once: BTreeSet<_> = deliveries.iter().map(|(quality, index, _)| (quality, index)).collect();
    assert_eq!(once.len(), deliveries.len(), "something was delivered twice: {deliveries:?}");
    assert!([1, 2].iter().all(|fence| deliveries.iter().any(|(_, _, by)| by == fence)), "{deliveries:?}");
    assert_eq!(player::frames(&api, &video.slug).await, ["1500"]);
    heir.kill().await;
    api.stop().await;
}
