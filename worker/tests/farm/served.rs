//! The real programs: `framefarm serve` and the worker that it starts beside itself.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use reqwest::multipart::{Form, Part};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// `framefarm` is built beside `framefarm-worker`.
pub(crate) fn framefarm() -> Command {
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

pub(crate) async fn run(arguments: &[&str]) -> String {
    let output = framefarm().args(arguments).output().await.unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A token of the admin of a new farm.
pub(crate) async fn admin_token(data: &str) -> String {
    run(&["migrate", "--data-dir", data]).await;
    run(&["token", "create", "--name", "test", "--scope", "admin", "--data-dir", data]).await
}

/// `framefarm serve` with the worker that it starts beside itself.
pub(crate) struct Farm {
    pub(crate) server: Child,
    pub(crate) url: String,
    token: String,
}

impl Farm {
    pub(crate) async fn start(data: &str, token: &str, change: impl FnOnce(&mut Command)) -> Self {
        let mut command = framefarm();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir", data, "--timing", "fast"]);
        command.args(["--worker-program", env!("CARGO_BIN_EXE_framefarm-worker"), "--ladder", "360p:600"]);
        command.env("FRAMEFARM_WORKER_COPY", "never");
        change(&mut command);
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

    pub(crate) async fn upload(&self, clip: &Path) -> String {
        let file = Part::bytes(std::fs::read(clip).unwrap()).file_name("clip.mp4");
        let request = reqwest::Client::new().post(format!("{}/api/videos", self.url));
        let request = request.multipart(Form::new().part("file", file)).bearer_auth(&self.token);
        let answer: Value = request.send().await.unwrap().error_for_status().unwrap().json().await.unwrap();
        answer["video_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn video(&self, id: &str) -> Value {
        let request = reqwest::Client::new().get(format!("{}/api/videos/{id}", self.url));
        request.bearer_auth(&self.token).send().await.unwrap().json().await.unwrap()
    }

    /// Segments of the picture that count.
    pub(crate) async fn segments(&self, id: &str) -> u64 {
        let video = self.video(id).await;
        let qualities = video["qualities"].as_array().unwrap();
        let picture = qualities.iter().find(|quality| quality["name"] == "360p");
        picture.and_then(|quality| quality["segments_completed"].as_u64()).unwrap_or(0)
    }
}
