//! `framefarm upload` against a farm, as a person runs it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use framefarm_api::lifecycle::fail;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::wire::worker_api::FailRequest;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::served::Served;

fn upload(farm: &Served, at: SocketAddr, file: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_framefarm"));
    command.arg("upload").arg(file).args(["--api", &format!("http://{at}")]).args(more);
    command.env("FRAMEFARM_TOKEN", &farm.token).env_remove("FRAMEFARM_TOKEN_FILE").kill_on_drop(true);
    command
}

/// With the stream of events that --wait listens to.
async fn live(farm: &Served) -> SocketAddr {
    tokio::spawn(framefarm_api::events::follow(farm.app.clone()));
    farm.listen().await
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn a_file(farm: &Served, bytes: usize) -> std::path::PathBuf {
    let path = farm.path().join("holiday.mov");
    std::fs::write(&path, vec![7; bytes]).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_whose_chunks_get_lost_arrives_whole() {
    let farm = Served::new().await;
    // The first piece never arrives; the answer to the third one gets lost.
    let pieces = Arc::new(AtomicUsize::new(0));
    let disturb = from_fn(move |request: Request, next: Next| {
        let is_piece = request.method() == Method::PATCH;
        let number = if is_piece { pieces.fetch_add(1, Ordering::SeqCst) } else { usize::MAX };
        async move {
            if number == 0 {
                return StatusCode::BAD_GATEWAY.into_response();
            }
            let answer = next.run(request).await;
            if number == 2 { StatusCode::GATEWAY_TIMEOUT.into_response() } else { answer }
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, farm.router().layer(disturb)).into_future());

    let file = a_file(&farm, 20 * 1024 * 1024);
    let output = upload(&farm, at, &file, &["--title", "Holiday"]).output().await.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let sources = farm.files("media/sources");
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert_eq!(std::fs::metadata(farm.path().join(&sources[0])).unwrap().len(), 20 * 1024 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_wait_it_ends_when_the_video_plays_and_says_where() {
    let farm = Served::new().await;
    let (at, worker) = (live(&farm).await, farm.register("w1").await);
    let mut command = upload(&farm, at, &a_file(&farm, 100), &["--qualities", "720p", "--wait"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
    let uploaded = printed.next_line().await.unwrap().unwrap();
    assert!(uploaded.contains("holiday.mov: video "), "{uploaded}");
    farm.encode(&worker).await;
    let url = printed.next_line().await.unwrap().unwrap();
    assert!(url.starts_with(&format!("http://{at}/videos/")) && url.ends_with("/master.m3u8"), "{url}");
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn with_wait_a_quality_that_is_too_large_is_told() {
    let farm = Served::new().await;
    let (at, worker) = (live(&farm).await, farm.register("w1").await);
    let mut command = upload(&farm, at, &a_file(&farm, 100), &["--qualities", "1080p", "--wait"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(printed.next_line().await.unwrap().unwrap().contains("holiday.mov: video "));
    farm.encode(&worker).await;
    let Output { status, stderr, .. } = child.wait_with_output().await.unwrap();
    assert!(status.success());
    let told = text(&stderr);
    assert!(told.contains("note: 1080p is larger than the source; made 720p instead."), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_break_in_a_files_name_does_not_keep_it_out() {
    let farm = Served::new().await;
    let at = farm.listen().await;
    let path = farm.path().join("two\nlines\u{1b}[31m.mov");
    std::fs::write(&path, [7; 100]).unwrap();
    let output = upload(&farm, at, &path, &[]).output().await.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains('\u{1b}'));
    let id = text(&output.stdout).trim_end().rsplit(' ').next().unwrap().parse().unwrap();
    let video = farm.video(id).await;
    assert_eq!((video.source_name.as_str(), video.title.as_str()), ("two lines [31m.mov", "two lines [31m"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_there_is_told_without_a_number() {
    let farm = Served::new().await;
    let at = farm.listen().await;
    let output = upload(&farm, at, Path::new("/nowhere/holiday.mov"), &[]).output().await.unwrap();
    let told = text(&output.stderr);
    assert!(told.contains("holiday.mov: No such file or directory") && !told.contains("os error"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_wait_a_video_that_failed_is_told_in_words() {
    let farm = Served::new().await;
    let (at, worker) = (live(&farm).await, farm.register("w1").await);
    let waiting = upload(&farm, at, &a_file(&farm, 100), &["--wait"]).output();
    let failing = async {
        let job = loop {
            match farm.queued(&worker).await {
                Some(job) => break job,
                None => tokio::task::yield_now().await,
            }
        };
        let request = FailRequest {
            job_id: job.job_id,
            fence: job.fence,
            class: ErrorClass::InputInvalid,
            message: "not a video".to_owned(),
            log: None,
        };
        fail::fail(&farm.app, worker.id, &request).await.unwrap();
    };
    let (output, ()) = tokio::join!(waiting, failing);
    let Output { status, stderr, .. } = output.unwrap();
    assert_eq!(status.code(), Some(7));
    assert!(text(&stderr).contains("not a video"), "{}", text(&stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_or_with_a_wrong_one_it_says_what_to_do() {
    let farm = Served::new().await;
    let (at, file) = (farm.listen().await, a_file(&farm, 100));
    let output = upload(&farm, at, &file, &[]).env_remove("FRAMEFARM_TOKEN").output().await.unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert!(text(&output.stderr).contains("framefarm token create --name me --scope upload"));
    let output = upload(&farm, at, &file, &[]).env("FRAMEFARM_TOKEN", "wrong").output().await.unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert!(text(&output.stderr).contains("scope `upload`"), "{}", text(&output.stderr));
}
