//! `framefarm videos`.

use clap::Args;
use framefarm_shared::state::VideoStatus;

use super::answers::Video;
use super::client::{Common, Farm, list};
use super::output::{self, Cell, Column, Table};
use super::{Failure, block_on, format};
use crate::auth::Scope;

/// List videos, newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm videos
  framefarm videos --status failed
  framefarm videos --search holiday --json | jq -r '.items[].id'")]
pub(super) struct Videos {
    /// List videos with this status
    #[arg(long)]
    status: Option<VideoStatus>,

    /// List videos in this collection
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,

    /// List videos whose title contains this text
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,

    /// Maximum number of videos to list
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    #[command(flatten)]
    common: Common,
}

impl Videos {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let is_filtered = self.status.is_some() || self.collection.is_some() || self.search.is_some();
        let asked = [
            ("status", self.status.map(|status| status.to_string())),
            ("collection", self.collection),
            ("search", self.search),
        ];
        let page = list(farm, "/api/videos", &asked, self.limit as usize).await?;
        if self.common.json {
            return output::json(&page);
        }
        let videos: Vec<Video> = page.read()?;
        if videos.is_empty() {
            return output::say(if is_filtered {
                "No videos match."
            } else {
                "No videos yet; upload one with `framefarm upload FILE`."
            });
        }
        let mut text = lines(&videos).text();
        if page.next_cursor.is_some() {
            text.push_str("There are more; use --limit to list them.\n");
        }
        output::print(&text)
    }
}

fn lines(videos: &[Video]) -> Table {
    let columns = [
        Column::new("VIDEO").gives(),
        Column::new("STATUS"),
        Column::new("DONE").right(),
        Column::new("ADDED").right(),
        Column::new("DURATION").right().optional(),
        Column::new("SIZE").right().optional(),
        Column::new("COLLECTION").optional(),
        Column::new("SLUG").optional(),
        Column::new("ID").optional(),
    ];
    let mut table = Table::new(columns);
    for video in videos {
        let done = match (&video.work, video.status.as_str()) {
            (Some(work), _) => format::percent(work.percent),
            (None, "ready") => format::percent(100.0),
            (None, _) => String::new(),
        };
        table.row([
            video.title.clone().into(),
            Cell::state(&video.status),
            done.into(),
            format::ago(video.created_at).into(),
            video.duration_seconds.map(format::clock).unwrap_or_default().into(),
            format::bytes(video.source_size).into(),
            video.collection.clone().unwrap_or_default().into(),
            video.slug.clone().into(),
            video.id.clone().into(),
        ]);
    }
    table
}
