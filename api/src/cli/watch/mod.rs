//! `framefarm watch`: the progress of a video, or of the whole farm, live.

mod bars;
mod farm;
mod video;

pub(super) use video::{Until, follow};

use clap::Args;
use indicatif::MultiProgress;

use super::answers::VideoDetail;
use super::client::{self, Common, Farm};
use super::exit::{Ended, Exit};
use super::{Failure, block_on};
use crate::auth::Scope;

/// Follow a video until it is playable, or follow the whole farm
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm watch holiday              a bar for each quality, then the playback URL
  framefarm watch                      running jobs and events, live, until Ctrl-C
  framefarm watch --json | jq -r 'select(.event == \"change\") | .data.kind'

With a video, the command exits when all work on it has ended: with code 0 if it is playable, or 7 if it
failed. With --json, it prints the messages of GET /api/events, one per line.")]
pub(super) struct Watch {
    /// Video ID, slug or part of its title; the whole farm if omitted
    #[arg(value_name = "VIDEO")]
    video: Option<String>,

    #[command(flatten)]
    common: Common,
}

impl Watch {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.watch(&farm))
    }

    async fn watch(self, farm: &Farm) -> anyhow::Result<()> {
        let Some(name) = self.video else { return farm::watch(farm, self.common.json).await };
        let VideoDetail { video, .. } = client::video(farm, &name).await?.read()?;
        match follow(farm, &video.id, Until::Done, &MultiProgress::new(), self.common.json).await? {
            Ok(_) if self.common.json => Ok(()),
            Ok(playing) => playing.tell(),
            Err(why) => Err(Ended::with(Exit::VideoFailed, format!("{} failed: {why}", video.title))),
        }
    }
}
