//! The real programs: a farm is backed up in the middle of an encode, dies, and goes on elsewhere.

use std::time::Duration;

use tokio::process::Command;

use crate::encode;
use crate::served::{Farm, admin_token, run};
use crate::watch::until;

const SECONDS: u32 = 40;

fn slow(command: &mut Command) {
    command.env("FRAMEFARM_WORKER_X264_PRESET", "slow");
}

fn quick(command: &mut Command) {
    command.env("FRAMEFARM_WORKER_X264_PRESET", "ultrafast");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_farm_that_encodes_becomes_a_farm_that_goes_on_encoding() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, elsewhere) = (path("data"), path("backup"), path("elsewhere"));
    let clip = encode::long_clip(place.path(), "640x360", 25, SECONDS).await;
    let token = admin_token(&data).await;
    let mut farm = Farm::start(&data, &token, slow).await;
    let video = farm.upload(&clip).await;
    until("some segments are there", async || (farm.segments(&video).await >= 2).then_some(())).await;

    run(&["backup", &backup, "--data-dir", &data]).await;
    let at_most = farm.segments(&video).await;
    assert!(at_most < u64::from(SECONDS / 6), "it was done too soon: {at_most} segments");
    farm.server.kill().await.unwrap();
    std::fs::remove_dir_all(&data).unwrap();

    let said = run(&["restore", &backup, "--data-dir", &elsewhere, "--redelivery-delay", "3"]).await;
    assert!(said.contains("Claimed jobs put back in the queue: 1"), "{said}");
    let farm = Farm::start(&elsewhere, &token, quick).await;
    let kept = farm.segments(&video).await;
    assert!((2..=at_most).contains(&kept), "{kept} of {at_most} segments were kept");
    let done = until("the video plays", async || {
        let video = farm.video(&video).await;
        (video["video"]["status"] == "ready").then_some(video)
    })
    .await;
    let [job] = &done["jobs"].as_array().unwrap()[..] else { panic!("not one job: {done}") };
    assert!(job["failure_count"] == 0 && job["lost_count"] == 0, "the backup cost something: {job}");
    assert!(job["fence"].as_u64().unwrap() > 1_000_000_000_000, "{job}");
    let playlist = format!("{}{}", farm.url, done["video"]["playback_url"].as_str().unwrap());
    let mut probe = Command::new("ffprobe");
    probe.args([
        "-v",
        "error",
        "-count_frames",
        "-select_streams",
        "v:0",
        "-show_entries",
        "stream=nb_read_frames",
    ]);
    let frames = probe.args(["-of", "csv=p=0", &playlist]).output().await.unwrap();
    let frames = String::from_utf8(frames.stdout).unwrap();
    assert_eq!(frames.lines().next(), Some((SECONDS * 25).to_string().as_str()), "every frame is there");
    let mut farm = farm;
    tokio::time::timeout(Duration::from_secs(10), farm.server.kill()).await.unwrap().unwrap();
}
