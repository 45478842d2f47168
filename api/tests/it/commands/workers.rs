//! Workers and their switches.

use framefarm_api::testing::a_gpu;

use super::{Site, has, line};

#[tokio::test(flavor = "multi_thread")]
async fn workers_are_shown_with_what_they_do_and_their_gpus() {
    let site = Site::open().await;
    has(&site.text("workers").await, &["No workers yet", "framefarm worker invite"]);
    site.video("Holiday").await;
    let (north, south) = (site.worker("north").await, site.worker("south").await);
    let job = north.claim().await;
    north.progress(&job, 40.0).await.unwrap();
    south.beat_with_gpus(vec![a_gpu("GPU-1")]).await.unwrap();
    let text = site.text("workers").await;
    has(line(&text, "north"), &["busy", "1 Holiday", "40%"]);
    has(line(&text, "south"), &["idle"]);
    has(line(&text, "test GPU"), &["nvenc", "south", "ready", "0/3", "8.6 GB"]);
    assert_eq!(site.json("workers").await["items"][0]["name"], "north");

    has(&site.text("worker show north").await, &["north  busy", "1 of 1 in use", "Holiday"]);
    let id = south.id.to_string();
    assert_eq!(site.json(&format!("worker show {id}")).await["name"], "south");
    has(&site.run("worker show east").await.ended_with(3), &["no worker `east`", "framefarm workers"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_are_drained_switched_and_forgotten() {
    let site = Site::open().await;
    let worker = site.worker("north").await;
    worker.beat(&[]).await.unwrap();
    assert_eq!(site.text("worker drain north").await, "north has no jobs and accepts no new ones.\n");
    has(line(&site.text("workers").await, "north"), &["draining"]);
    assert_eq!(site.text("worker drain north --end").await, "north accepts jobs again.\n");
    assert_eq!(site.json("worker disable north").await["status"], "disabled");
    assert_eq!(site.text("worker enable north").await, "north is enabled.\n");
    assert_eq!(site.text("worker revoke-key north --yes").await, "north no longer has a key.\n");
    let key = site.text("worker rotate-key north").await;
    assert_eq!(key.trim_end().len(), 43, "{key}");
    assert_eq!(site.text("worker delete north --yes").await, "Deleted north.\n");
    site.run("worker delete north --yes").await.ended_with(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_registered_or_invited() {
    let site = Site::open().await;
    let key = site.text("worker register --name east").await;
    let answer = reqwest::Client::new()
        .post(format!("http://{}/api/worker/claim", site.at))
        .bearer_auth(key.trim_end())
        .json(&serde_json::json!({ "boot_id": framefarm_shared::id::BootId::new(&site.clock) }))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    has(&site.text("workers").await, &["east"]);
    let invited = site.run("worker invite").await;
    has(&invited.err, &["Run this on the other machine within"]);
    has(&invited.ok(), &["framefarm-worker run --api http", "--join ffj_", "--scratch"]);
    assert!(site.json("worker invite").await["token"].as_str().unwrap().starts_with("ffj_"));
}
