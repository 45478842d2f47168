//! The farm as a whole: how it is, what went on, and who is told.

use framefarm_api::testing::a_gpu;
use framefarm_shared::failure::ErrorClass;

use super::{Site, has, line};

#[tokio::test(flavor = "multi_thread")]
async fn the_status_of_a_farm_is_one_screen() {
    let site = Site::open().await;
    has(
        &site.text("status").await,
        &["Framefarm 0", &site.at.to_string(), "ok", "no jobs", "none yet", "sqlite"],
    );
    site.failed("Keynote", ErrorClass::InputInvalid, "not a video").await;
    for title in ["Holiday", "Opening"] {
        site.video(title).await;
    }
    let worker = site.worker("north").await;
    worker.beat_with_gpus(vec![a_gpu("GPU-1")]).await.unwrap();
    let job = worker.claim().await;
    worker.progress(&job, 40.0).await.unwrap();
    // Health is kept for a second.
    site.clock.advance(chrono::Duration::seconds(1));
    let text = site.text("status").await;
    has(line(&text, "queue"), &["1 waiting, 1 running, 1 failed"]);
    has(&text, &["oldest waiting job: ", "disk, "]);
    has(line(&text, "north"), &["busy", "2 Holiday", "40%"]);
    has(&text, &["test GPU (nvenc)"]);
    has(line(&text, "not a video"), &["1", "Keynote", "input_invalid"]);
    assert!(text.lines().count() < 30, "{text}");

    let json = site.json("status").await;
    assert_eq!(json["overview"]["health"]["processing"]["jobs"]["errors"], 1);
    assert_eq!(json["workers"]["items"].as_array().unwrap().len(), 2);
    for part in ["version", "queue", "alerts"] {
        assert!(json[part].is_object(), "{part}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_degraded_is_said_in_words() {
    let served = crate::served::Served::with(|settings| {
        settings.disk_reserve_bytes = u64::MAX;
        settings.stale_job_check_interval = 0;
    });
    let site = Site::of(served.await).await;
    let text = site.text("status").await;
    has(&text, &["degraded", "disk nearly full: uploads are rejected", "reaper off"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_names_who_did_what() {
    let site = Site::open().await;
    site.video("Holiday").await;
    site.text("cancel 1").await;
    let text = site.text("audit --limit 5").await;
    has(line(&text, "Job cancelled"), &["token:me", "cancelled"]);
    assert_eq!(site.json("audit --limit 1").await["items"][0]["kind"], "job_cancelled");
    let exported = site.text("audit export").await;
    let last: serde_json::Value = serde_json::from_str(exported.lines().last().unwrap()).unwrap();
    assert_eq!((&last["kind"], &last["actor_kind"]), (&"job_cancelled".into(), &"token".into()));
    let after = format!("audit export --after {}", last["id"]);
    assert_eq!(site.text(&after).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn alerts_are_listed_and_a_receiver_is_tested() {
    let site = Site::open().await;
    has(line(&site.text("alerts list").await, "worker_offline"), &["inactive"]);
    assert_eq!(site.text("alerts list --firing").await, "No alert is firing.\n");
    assert!(site.json("alerts list").await["items"].is_array());
    has(&site.text("alerts endpoints").await, &["No alert endpoints"]);
    assert_eq!(site.text("alerts deliveries").await, "No deliveries found.\n");
    has(&site.run("alerts test ops").await.ended_with(3), &["no endpoint `ops`"]);
    site.run(&format!("alerts replay {}", framefarm_shared::id::JobId::new(&site.clock))).await.ended_with(3);
}
