//! The commands that ask a farm: the real program against a real server.

mod farm;
mod jobs;
mod manners;
mod videos;
mod watch;
mod workers;

use std::net::SocketAddr;
use std::ops::Deref;
use std::process::Stdio;

use framefarm_api::auth::{Scope, token};
use framefarm_api::testing::{Farm, TestWorker, Uploaded};
use framefarm_shared::failure::ErrorClass;
use serde_json::Value;
use tokio::process::Command;

use crate::served::Served;

/// A farm behind a listener, and somebody who may do everything there.
struct Site {
    served: Served,
    at: SocketAddr,
    admin: String,
}

impl Deref for Site {
    type Target = Farm;

    fn deref(&self) -> &Farm {
        &self.served
    }
}

/// How a command ended and what it wrote.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// What it printed; fails unless all went well.
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        assert!(!self.out.contains('\x1b'), "colours in a pipe: {:?}", self.out);
        self.out
    }

    /// What it said went wrong; fails unless it ended with this code.
    #[track_caller]
    fn ended_with(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self.err
    }
}

impl Site {
    async fn open() -> Self {
        Self::of(Served::new().await).await
    }

    async fn of(served: Served) -> Self {
        let admin = token::create(&served.app, "me", Scope::Admin, "admin").await.unwrap().1;
        tokio::spawn(framefarm_api::events::follow(served.app.clone()));
        let at = served.listen().await;
        Self { served, at, admin }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = framefarm(line);
        command.env("FRAMEFARM_API", format!("http://{}", self.at)).env("FRAMEFARM_TOKEN", &self.admin);
        command
    }

    async fn run(&self, line: &str) -> Ran {
        run(self.command(line)).await
    }

    /// What a command prints.
    async fn text(&self, line: &str) -> String {
        self.run(line).await.ok()
    }

    /// What a command prints for scripts.
    async fn json(&self, line: &str) -> Value {
        let text = self.run(&format!("{line} --json")).await.ok();
        assert_eq!(text.trim_end().lines().count(), 1, "{line}: {text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{line}: {error}: {text}"))
    }

    async fn token(&self, scope: Scope) -> String {
        token::create(&self.app, "other", scope, "admin").await.unwrap().1
    }

    async fn video(&self, title: &str) -> Uploaded {
        let title = title.to_owned();
        self.upload_with(&format!("{title}.mp4"), |request| request.title = Some(title)).await
    }

    /// A video whose job failed.
    async fn failed(&self, title: &str, class: ErrorClass, message: &str) -> Uploaded {
        let enqueued = self.video(title).await;
        let worker = self.somebody().await;
        let job = worker.claim().await;
        worker.fail(&job, class, message).await.unwrap();
        enqueued
    }

    async fn somebody(&self) -> TestWorker {
        self.worker(&format!("w{}", self.events().await.len())).await
    }
}

/// The program, without what the machine that tests would add; words are separated by spaces.
fn framefarm(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_framefarm"));
    command.args(line.split_whitespace()).stdin(Stdio::null()).kill_on_drop(true);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FRAMEFARM_") {
            command.env_remove(name);
        }
    }
    command
}

async fn run(mut command: Command) -> Ran {
    let output = command.output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The words of the line that has this one.
#[track_caller]
fn line<'a>(text: &'a str, with: &str) -> &'a str {
    text.lines()
        .find(|line| line.contains(with))
        .unwrap_or_else(|| panic!("no line with {with:?} in\n{text}"))
}

/// Fails unless every one of these is there.
#[track_caller]
fn has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in\n{text}");
    }
}
