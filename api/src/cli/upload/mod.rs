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

/// Upload videos
#[derive(Args)]
#[command(after_help = "\
Examples:
  export FRAMEFARM_TOKEN=$(framefarm token create --name me --scope upload)
  framefarm upload holiday.mov --title Holiday --wait
  framefarm upload *.mp4 --api https://farm.example.org --token-file ~/.framefarm-token

After a broken connection, the upload resumes where it stopped. With --wait, the command exits when all videos
are playable, or with code 7 if one of them failed.")]
pub(super) struct Upload {
    /// Files to upload
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Title of the video, for a single file; default: the file name
    #[arg(long)]
    title: Option<String>,

    /// Comma-separated qualities to encode (720p,360p); default: all that the source allows
    #[arg(long, value_name = "NAMES")]
    qualities: Option<String>,

    /// Wait until every video is playable, and show the progress of its qualities
    #[arg(long)]
    wait: bool,

    #[command(flatten)]
    connection: Connection,
}

impl Upload {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.title.is_some() && self.files.len() > 1 {
            return Err(Failure::usage(anyhow::anyhow!(
                "--title works with a single file; run one command per file"
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
