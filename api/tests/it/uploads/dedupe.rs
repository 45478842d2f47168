//! The same content is the same work.

use std::collections::HashSet;

use framefarm_api::testing::TestDatabase;

use super::{append, create};
use crate::served::{Answer, Served};

async fn a_hundred_at_once(farm: &Served) {
    let uploads = (0..100).map(|_| farm.upload(b"the same content"));
    let answers: Vec<Answer> = futures::future::join_all(uploads).await;
    for answer in &answers {
        assert_eq!(answer.status, 201, "{:?}", answer.body);
    }
    let distinct = |name: &str| answers.iter().map(|answer| answer.header(name)).collect::<HashSet<_>>();
    assert_eq!(distinct("framefarm-video-id").len(), 1);
    assert_eq!(distinct("framefarm-job-id").len(), 1);
    let new = answers.iter().filter(|answer| answer.header("framefarm-deduplicated") == "false").count();
    assert_eq!(new, 1);
    assert_eq!(farm.files("media/sources").len(), 1);
    assert_eq!(farm.files("uploads"), Vec::<String>::new());
}

#[tokio::test]
async fn a_hundred_equal_uploads_are_one_video() {
    a_hundred_at_once(&Served::new().await).await;
}

#[tokio::test]
async fn a_hundred_equal_uploads_are_one_video_on_postgres() {
    a_hundred_at_once(&Served::on(TestDatabase::postgres().await, |_| {}).await).await;
}

#[tokio::test]
async fn another_ladder_is_other_work() {
    let farm = Served::new().await;
    let one = farm.upload(b"content").await;
    let url = create(&farm, 7, &[("qualities", "360p")]).await.header("location").to_owned();
    let two = append(&farm, &url, 0, b"content").await;
    assert_ne!(one.header("framefarm-video-id"), two.header("framefarm-video-id"));
}

#[tokio::test]
async fn force_runs_it_again_and_cancels_only_when_asked() {
    let farm = Served::new().await;
    let first = farm.upload(b"content").await;
    let worker = farm.register("one").await;
    let running = farm.claim(&worker).await;
    let force = |extra: &'static str| async {
        let pairs = [("qualities", "720p"), ("force", "true"), ("cancel_running", extra)];
        let url = create(&farm, 7, &pairs).await.header("location").to_owned();
        append(&farm, &url, 0, b"content").await
    };
    assert_eq!(force("false").await.problem(), (422, "duplicate_running".to_owned()));
    let forced = force("true").await;
    assert_eq!((forced.status.as_u16(), forced.header("framefarm-deduplicated")), (204, "false"));
    assert_eq!(forced.header("framefarm-video-id"), first.header("framefarm-video-id"));
    assert_ne!(forced.header("framefarm-job-id"), running.job_id.to_string());
}
