//! `framefarm upload`: files from this machine to a farm anywhere, by its HTTP API alone.

mod send;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use framefarm_shared::untrusted_text::tame_line;
use indicatif::MultiProgress;

use super::client::{Connection, Farm};
use super::exit::{Ended, Exit};
use super::watch::{Until, follow};
use super::{Failure, block_on, output};
use crate::auth::Scope;

/// Upload videos, and wait for them if asked to
#[derive(Args)]
#[command(after_help = "\
Examples:
  export FRAMEFARM_TOKEN=$(framefarm token create --name me --scope upload)
  framefarm upload holiday.mov --title Holiday --wait
  framefarm upload *.mp4 --api https://farm.example.org --token-file ~/.framefarm-token

A connection that breaks is taken up again where it was. With --wait the command ends when the videos play, and
with 7 when one of them failed.")]
pub(super) struct Upload {
    /// Files to upload
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Title of the video, for one file; the file's name if absent
    #[arg(long)]
    title: Option<String>,

    /// Only these qualities, separated by commas (720p,360p); all that the source allows if absent
    #[arg(long, value_name = "NAMES")]
    qualities: Option<String>,

    /// Wait until every video plays, and show how far its qualities are
    #[arg(long)]
    wait: bool,

    #[command(flatten)]
    connection: Connection,
}

impl Upload {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.title.is_some() && self.files.len() > 1 {
            return Err(Failure::usage(anyhow::anyhow!(
                "--title is for one file; give each its own command"
            )));
        }
        let farm = self.connection.open(Scope::Upload)?;
        block_on(self.upload(&farm))
    }

    async fn upload(self, farm: &Farm) -> anyhow::Result<()> {
        let wishes = [("title", self.title.as_deref()), ("qualities", self.qualities.as_deref())];
        let bars = MultiProgress::new();
        let mut videos = Vec::new();
        for file in &self.files {
            let sent = send::send(farm, file, &wishes, &bars);
            let sent = sent.await.with_context(|| file.display().to_string())?;
            let again =
                sent.already.map(|title| format!(", already uploaded as “{title}”")).unwrap_or_default();
            let line = format!("{}: video {}{again}", file.display(), sent.video);
            bars.suspend(|| output::say(&tame_line(&line)))?;
            videos.push(sent.video);
        }
        let mut failed = Vec::new();
        for video in videos.iter().filter(|_| self.wait) {
            match follow(farm, video, Until::Plays, &bars, false).await? {
                Ok(playing) => bars.suspend(|| playing.tell())?,
                Err(why) => failed.push(format!("video {video} failed: {why}")),
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(Ended::with(Exit::VideoFailed, failed.join("\n"))) }
    }
}
