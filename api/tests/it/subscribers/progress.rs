//! What moves often: the newest counts.

use framefarm_api::testing::{TestWorker, a_plan};
use framefarm_shared::wire::worker_api::ClaimedJob;
use serde_json::json;

use super::Watched;

async fn a_running_job(site: &Watched) -> (TestWorker, ClaimedJob) {
    site.farm.upload("clip.mp4").await;
    let worker = site.farm.worker("w1").await;
    let job = worker.claim().await;
    (worker, job)
}

#[tokio::test]
async fn of_much_progress_a_watcher_hears_the_newest() {
    let site = Watched::sqlite().await;
    let (worker, job) = a_running_job(&site).await;
    let mut watcher = site.watch("?topics=videos", None).await;
    watcher.hello().await;
    for number in 1..=200 {
        worker.progress(&job, f64::from(number) / 4.0).await.unwrap();
    }
    let (mut heard, mut percent) = (0, 0.0);
    while percent < 50.0 {
        let block = watcher.next("progress").await;
        assert_eq!((block.id, &block.data["job_id"]), (None, &json!(job.job_id)));
        let told = block.data["percent"].as_f64().unwrap();
        assert!(told > percent, "{told} after {percent}");
        percent = told;
        heard += 1;
    }
    assert!(heard < 100, "two a second at most, not each of 200: {heard}");
}

#[tokio::test]
async fn no_progress_comes_after_the_end() {
    let site = Watched::sqlite().await;
    let (worker, job) = a_running_job(&site).await;
    let mut watcher = site.watch("", None).await;
    watcher.hello().await;
    worker.progress(&job, 10.0).await.unwrap();
    watcher.next("progress").await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    while watcher.next("change").await.data["kind"] != "job_completed" {}
    // Its call was on the way when the job ended: what it published comes late.
    site.farm.app.events.progress(framefarm_api::events::Progress {
        job_id: job.job_id,
        video_id: job.video_id,
        fence: job.fence,
        step: framefarm_shared::state::Step::Transcode,
        percent: 99.0,
        eta: None,
        qualities: Vec::new(),
        log: None,
    });
    worker.beat(&[]).await.unwrap();
    loop {
        let block = watcher.block().await.unwrap();
        assert_ne!(block.event, "progress");
        if block.event == "worker" {
            break;
        }
    }
}

#[tokio::test]
async fn a_heartbeat_shows_at_once() {
    let site = Watched::sqlite().await;
    let worker = site.farm.worker("w1").await;
    let mut watcher = site.watch("?topics=workers", None).await;
    watcher.hello().await;
    worker.beat(&[]).await.unwrap();
    let sign = watcher.next("worker").await;
    assert_eq!((&sign.data["id"], &sign.data["status"]), (&json!(worker.id), &json!("idle")));
}

#[tokio::test]
async fn progress_has_its_estimate_and_its_qualities() {
    let site = Watched::sqlite().await;
    let (worker, job) = a_running_job(&site).await;
    worker.plan(&job, a_plan()).await.unwrap();
    let mut watcher = site.watch("", None).await;
    watcher.hello().await;
    site.farm.wait(chrono::Duration::seconds(30));
    worker.progress(&job, 50.0).await.unwrap();
    let progress = watcher.next("progress").await.data;
    let eta = &progress["eta"];
    assert!((eta["seconds"].as_f64().unwrap() - 30.0).abs() < 0.1, "{eta}");
    assert!(eta["low_seconds"].as_f64().unwrap() < 30.0 && eta["high_seconds"].as_f64().unwrap() > 30.0);
    assert_eq!(progress["step"], "transcode");
}
