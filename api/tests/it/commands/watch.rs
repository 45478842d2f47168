//! `framefarm watch`: live, to the end.

use std::process::Stdio;

use framefarm_shared::failure::ErrorClass;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use super::{Site, has, run};

fn start(site: &Site, line: &str) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = site.command(line).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_video_is_followed_until_it_plays() {
    let site = Site::open().await;
    site.served.upload(b"some bytes").await;
    let (mut child, mut printed) = start(&site, "watch a");
    let worker = site.served.register("north").await;
    site.served.encode(&worker).await;
    let url = printed.next_line().await.unwrap().unwrap();
    assert!(url.starts_with(&format!("http://{}/videos/a-", site.at)), "{url}");
    assert!(child.wait().await.unwrap().success());
    // Nothing is being done any more: it ends at once.
    assert_eq!(site.text("watch a").await.trim_end(), url);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_video_that_failed_ends_with_a_code_of_its_own() {
    let site = Site::open().await;
    site.video("Holiday").await;
    let watching = run(site.command("watch Holiday"));
    let failing = async {
        let worker = site.worker("north").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::InputInvalid, "not a video").await.unwrap();
    };
    let (watched, ()) = tokio::join!(watching, failing);
    has(&watched.ended_with(7), &["Holiday failed: not a video"]);
    site.run("watch nothing").await.ended_with(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_farm_is_followed_line_by_line() {
    let site = Site::open().await;
    let (_child, mut lines) = start(&site, "watch --json");
    let hello: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(hello["event"], "hello");
    let (_other, mut words) = start(&site, "watch");
    // The second one has said nothing yet and may still be on its way: something happens until it does.
    let changes = async {
        loop {
            site.text("pause").await;
            site.text("resume").await;
        }
    };
    let said = tokio::select! {
        line = words.next_line() => line.unwrap().unwrap(),
        () = changes => unreachable!(),
    };
    has(&said, &["Queue", "by token:me"]);
    let change: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(
        (change["event"].as_str(), change["data"]["kind"].as_str()),
        (Some("change"), Some("queue_paused"))
    );
}
