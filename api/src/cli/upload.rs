//! `framefarm upload`: files from this machine to a farm anywhere, by its HTTP API alone.

mod farm;
mod send;
mod watch;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use indicatif::MultiProgress;
use reqwest::Url;

use super::{Failure, block_on};
use farm::Farm;

/// Upload videos, and wait for them if asked to
#[derive(Args)]
#[command(after_help = "\
Examples:
  export FRAMEFARM_TOKEN=$(framefarm token create --name me --scope upload)
  framefarm upload holiday.mov --title Holiday --wait
  framefarm upload *.mp4 --api https://farm.example.org --token-file ~/.framefarm-token

A connection that breaks is taken up again where it was. With --wait the command ends when the videos play, and
fails when one of them failed.")]
pub(super) struct Upload {
    /// Files to upload
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Address of the farm, as in the browser
    #[arg(long, env = "FRAMEFARM_API", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    api: Url,

    /// A token with the scope `upload`. Others on this machine can see a command line: prefer the file or the environment
    #[arg(
        long,
        env = "FRAMEFARM_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true,
        conflicts_with = "token_file"
    )]
    token: Option<String>,

    /// A file that holds the token
    #[arg(long, env = "FRAMEFARM_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Title of the video, for one file; the file's name if absent
    #[arg(long)]
    title: Option<String>,

    /// Only these qualities, separated by commas (720p,360p); all that the source allows if absent
    #[arg(long, value_name = "NAMES")]
    qualities: Option<String>,

    /// Wait until every video plays, and show how far its qualities are
    #[arg(long)]
    wait: bool,
}

impl Upload {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.title.is_some() && self.files.len() > 1 {
            return Err(Failure::Usage(anyhow::anyhow!(
                "--title is for one file; give each its own command"
            )));
        }
        let token = read_token(self.token.as_deref(), self.token_file.as_deref()).map_err(Failure::Usage)?;
        block_on(upload(self, token))
    }
}

fn read_token(token: Option<&str>, file: Option<&Path>) -> anyhow::Result<String> {
    let text = match (token, file) {
        (Some(token), _) => token.to_owned(),
        (None, Some(path)) => {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
        }
        (None, None) => anyhow::bail!(
            "a token is needed: set FRAMEFARM_TOKEN, or give --token or --token-file. On the farm's machine, \
             `framefarm token create --name me --scope upload` makes one"
        ),
    };
    Ok(text.trim().to_owned())
}

async fn upload(command: Upload, token: String) -> anyhow::Result<()> {
    let farm = Farm::new(command.api, &token)?;
    let wishes = [("title", command.title.as_deref()), ("qualities", command.qualities.as_deref())];
    let bars = MultiProgress::new();
    let mut videos = Vec::new();
    for file in &command.files {
        let sent = send::send(&farm, file, &wishes, &bars);
        let sent = sent.await.with_context(|| file.display().to_string())?;
        let again = if sent.deduplicated { ", which was here already" } else { "" };
        bars.suspend(|| println!("{}: video {}{again}", file.display(), sent.video));
        videos.push(sent.video);
    }
    let mut failed = Vec::new();
    for video in videos.iter().filter(|_| command.wait) {
        match watch::until_it_plays(&farm, video, &bars).await? {
            Ok(url) => println!("{url}"),
            Err(why) => failed.push(format!("video {video} failed: {why}")),
        }
    }
    anyhow::ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_token_it_says_how_to_make_one() {
        let error = read_token(None, None).unwrap_err().to_string();
        assert!(error.contains("framefarm token create --name me --scope upload"), "{error}");
        assert_eq!(read_token(Some(" t\n"), None).unwrap(), "t");
    }
}
