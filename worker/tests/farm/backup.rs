//! The real programs: a farm is backed up in the middle of an encode, dies, and goes on elsewhere.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::encode;
use crate::watch::until;

const SECONDS: u32 = 40;

/// `framefarm` is built beside `framefarm-worker`.
fn framefarm() -> Command {
    let worker = Path::new(env!("CARGO_BIN_EXE_framefarm-worker"));
    let program: PathBuf = worker.with_file_name("framefarm");
    assert!(program.exists(), "{} is missing: `cargo build -p framefarm-api` makes it", program.display());
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FRAMEFARM_"))
    {
        command.env_remove(name);
    }
    command.kill_on_drop(true);
    command
}

async fn run(arguments: &[&str]) -> String {
    let output = framefarm().args(arguments).output().await.unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// `framefarm serve` with the worker that it starts beside itself.
struct Farm {
    server: Child,
    url: String,
    token: String,
}

impl Farm {
    async fn start(data: &str, token: &str) -> Self {
        let mut command = framefarm();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir", data, "--preset", "fast"]);
        command.args(["--worker-program", env!("CARGO_BIN_EXE_framefarm-worker"), "--ladder", "360p:600"]);
        command.env("FRAMEFARM_WORKER_PRESET", "slow").env("FRAMEFARM_WORKER_COPY", "never");
        let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let url = loop {
            let line = lines.next_line().await.unwrap().expect("the server ended");
            if let Some(url) = line.strip_prefix("listening on ") {
                break url.to_owned();
            }
        };
        Self { server, url, token: token.to_owned() }
    }

    async fn upload(&self, clip: &Path) -> String {
        let file = Part::bytes(std::fs::read(clip).unwrap()).file_name("clip.mp4");
        let request = reqwest::Client::new().post(format!("{}/api/videos", self.url));
        let request = request.multipart(Form::new().part("file", file)).bearer_auth(&self.token);
        let answer: Value = request.send().await.unwrap().error_for_status().unwrap().json().await.unwrap();
        answer["video_id"].as_str().unwrap().to_owned()
    }

    async fn video(&self, id: &str) -> Value {
        let request = reqwest::Client::new().get(format!("{}/api/videos/{id}", self.url));
        request.bearer_auth(&self.token).send().await.unwrap().json().await.unwrap()
    }

    /// Segments of the picture that count.
    async fn segments(&self, id: &str) -> u64 {
        let video = self.video(id).await;
        let qualities = video["qualities"].as_array().unwrap();
        let picture = qualities.iter().find(|quality| quality["name"] == "360p");
        picture.and_then(|quality| quality["segments_completed"].as_u64()).unwrap_or(0)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_farm_that_encodes_becomes_a_farm_that_goes_on_encoding() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, elsewhere) = (path("data"), path("backup"), path("elsewhere"));
    let clip = encode::long_clip(place.path(), "640x360", 25, SECONDS).await;
    let token = run(&["token", "create", "--name", "test", "--scope", "admin", "--data-dir", &data]).await;
    let mut farm = Farm::start(&data, &token).await;
    let video = farm.upload(&clip).await;
    until("some segments are there", async || (farm.segments(&video).await >= 2).then_some(())).await;

    run(&["backup", &backup, "--data-dir", &data]).await;
    let at_most = farm.segments(&video).await;
    assert!(at_most < u64::from(SECONDS / 6), "it was done too soon: {at_most} segments");
    farm.server.kill().await.unwrap();
    std::fs::remove_dir_all(&data).unwrap();

    let said = run(&["restore", &backup, "--data-dir", &elsewhere]).await;
    assert!(said.contains("1 claimed jobs went back to the queue"), "{said}");
    let farm = Farm::start(&elsewhere, &token).await;
    let kept = farm.segments(&video).await;
    assert!((2..=at_most).contains(&kept), "{kept} of {at_most} segments were kept");
    let done = until("the film plays", async || {
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
