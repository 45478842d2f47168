//! Jobs: look at them, put them back, move them, stop them.

use chrono::Duration;
use framefarm_shared::failure::ErrorClass;
use serde_json::{Value, json};

use super::{Site, has, line};

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_is_counted_and_waiting_jobs_say_why() {
    let site = Site::open().await;
    let empty = site.text("queue").await;
    has(&empty, &["QUEUE", "WAITING", "transcode", "preview", "captions", "No jobs are waiting."]);

    site.video("Holiday").await;
    site.video("Keynote").await;
    let text = site.text("queue").await;
    has(line(&text, "Holiday"), &["1", "No worker is online."]);
    assert!(line(&text, "transcode").split_whitespace().nth(1) == Some("2"), "{text}");
    let json = site.json("queue").await;
    assert_eq!(json["queues"][2]["depth"]["pending"], 2);
    assert_eq!(json["jobs"]["items"][1]["video_title"], "Keynote");
    has(&site.text("queue --limit 1").await, &["1 more waiting"]);

    let filtered = site.text("queue --search keyn").await;
    assert!(filtered.contains("Keynote") && !filtered.contains("Holiday"), "{filtered}");
    assert_eq!(site.json("queue --search keyn").await["jobs"]["items"].as_array().unwrap().len(), 1);
    assert_eq!(site.text("queue --status failed").await, "No failed jobs match.\n");

    let worker = site.worker("north").await;
    let job = worker.claim().await;
    worker.progress(&job, 25.0).await.unwrap();
    has(line(&site.text("queue --status running").await, "Holiday"), &["25%", "north", "transcode"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_job_is_found_by_its_number_and_tells_its_error() {
    let site = Site::open().await;
    let id = site.failed("Holiday", ErrorClass::InputInvalid, "no \x1b[31mmoov atom").await.job.id;
    for name in ["1", "#1", id.to_string().as_str()] {
        let text = site.text(&format!("job {name}")).await;
        has(
            &text,
            &[
                "Job 1 (transcode): Holiday",
                "failed",
                "no  [31mmoov atom",
                "input_invalid",
                "ATTEMPT",
                "Job failed",
            ],
        );
    }
    let json = site.json("job 1").await;
    assert_eq!(json["job"]["id"], id.to_string());
    assert_eq!(json["attempts"].as_array().unwrap().len(), 1);
    has(&site.run("job 2").await.ended_with(3), &["There is no such job."]);
    has(&site.run("job twelve").await.ended_with(1), &["is not a job number or id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_run_for_long_are_listed_with_the_reason() {
    let site = Site::open().await;
    assert_eq!(site.text("stuck").await, "No job has been running longer than 10 min.\n");
    site.video("Holiday").await;
    let worker = site.worker("north").await;
    let job = worker.claim().await;
    site.wait(Duration::minutes(11));
    worker.beat(&[&job]).await.unwrap();
    has(line(&site.text("stuck --older 600").await, "Holiday"), &["11 min", "north"]);
    assert_eq!(site.text("stuck --older 3600").await, "No job has been running longer than 1 h.\n");
    assert_eq!(site.json("stuck").await["items"][0]["job"]["number"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_go_back_by_number_by_filter_and_all_at_once() {
    let site = Site::open().await;
    site.failed("Holiday", ErrorClass::InputInvalid, "not a video").await;
    site.failed("Keynote", ErrorClass::InputMissing, "gone").await;
    site.failed("Opening", ErrorClass::InputMissing, "gone").await;
    assert_eq!(site.text("requeue 1").await, "1 job put back in the queue.\n");
    let refused = site.run("requeue 1").await.ended_with(4);
    has(&refused, &["job 1 (not failed or cancelled)"]);
    let partly = site.text("requeue 1 2").await;
    has(&partly, &["1 job put back", "Skipped 1 job: job 1 (not failed"]);
    has(&site.run("requeue 1 99").await.ended_with(3), &["There is no job 99."]);

    assert_eq!(
        site.text("retry --class input_missing --dry-run").await,
        "1 job would be put back in the queue.\n"
    );
    assert_eq!(site.text("retry --class storage").await, "0 jobs put back in the queue.\n");
    assert_eq!(site.json("retry --all").await["retried"], 1);
    assert_eq!(site.text("retry --all --yes").await, "0 jobs put back in the queue.\n");
    has(&site.run("retry").await.ended_with(2), &["<JOB>"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_jobs_are_moved_and_stopped() {
    let site = Site::open().await;
    for title in ["Holiday", "Keynote", "Opening"] {
        site.video(title).await;
    }
    assert_eq!(site.text("priority 2 3 high").await, "Priority of 2 jobs set to 100.\n");
    let titles: Vec<_> = site.json("queue").await["jobs"]["items"].as_array().unwrap().clone();
    assert_eq!(
        titles.iter().map(|job| job["number"].clone()).collect::<Vec<_>>(),
        [json!(2), json!(3), json!(1)]
    );
    assert_eq!(site.text("priority 1 -50").await, "Priority of 1 job set to -50.\n");
    assert_eq!(site.json("priority 1 0").await["changed"], 1);
    site.run("priority 1 urgent").await.ended_with(2);

    assert_eq!(site.text("cancel 1").await, "Cancelled job 1.\n");
    has(&site.run("cancel 1").await.ended_with(4), &["only waiting and running jobs can be cancelled"]);
    has(&site.run("priority 1 high").await.ended_with(4), &["job 1 (not waiting)"]);
    assert_eq!(site.json("cancel 2").await["items"][0]["status"], "cancelled");
    assert_eq!(site.text("cancel --video opening").await, "Cancelled 1 job of Opening.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_is_paused_and_goes_on() {
    let site = Site::open().await;
    has(line(&site.text("pause transcode").await, "transcode"), &["paused"]);
    assert!(!line(&site.text("queue").await, "preview").contains("paused"));
    has(
        &site.text("status").await,
        &["paused", "transcode: no jobs are handed out until `framefarm resume`"],
    );
    assert_eq!(site.json("resume").await["queues"][0]["paused"], false);
    site.run("pause nothing").await.ended_with(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exported_queue_comes_back() {
    let site = Site::open().await;
    site.served.upload(b"some bytes").await;
    let worker = site.somebody().await;
    worker.fail(&worker.claim().await, ErrorClass::InputInvalid, "not a video").await.unwrap();
    let file = site.served.path().join("queue.json");
    let import = format!("import {}", file.display());
    site.text(&format!("export --output {}", file.display())).await;
    let exported: Value = serde_json::from_str(&site.text("export").await).unwrap();
    assert_eq!(exported["errors"].as_array().unwrap().len(), 1);
    has(&site.text(&import).await, &["0 jobs imported, 1 already present, 0 refused."]);

    let other = Site::open().await;
    let refused = other.run(&import).await;
    has(&refused.out, &["0 jobs imported, 0 already present, 1 refused.", "ROW", "refused"]);
    has(&refused.ended_with(4), &["nothing was imported"]);
    // A queue moves with its files.
    let mut copy = std::process::Command::new("cp");
    copy.arg("-r").arg(site.served.path().join("media")).arg(other.served.path());
    assert!(copy.status().unwrap().success());
    has(&other.text(&format!("{import} --dry-run")).await, &["1 job would be imported"]);
    assert_eq!(other.json(&import).await["imported"], 1);
    has(&other.text("job 1").await, &["not a video"]);
    other.run("import /nowhere.json").await.ended_with(1);
}
