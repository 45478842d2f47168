//! `framefarm cancel`.

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answers::VideoDetail;
use super::client::{self, Common, Farm};
use super::{Failure, block_on, format, output};
use crate::auth::Scope;

/// Cancel waiting or running jobs, or all jobs of a video
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm cancel 12 13
  framefarm cancel --video holiday")]
pub(super) struct Cancel {
    /// Job numbers or IDs
    #[arg(value_name = "JOB", required_unless_present = "video")]
    jobs: Vec<String>,

    /// Cancel all jobs of this video (ID, slug or part of its title)
    #[arg(long, value_name = "VIDEO", conflicts_with = "jobs")]
    video: Option<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Deserialize)]
struct Cancelled {
    cancelled: Vec<String>,
}

/// Several answers as one list.
#[derive(Serialize)]
struct Items {
    items: Vec<Box<RawValue>>,
}

impl Cancel {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.cancel(&farm))
    }

    async fn cancel(self, farm: &Farm) -> anyhow::Result<()> {
        if let Some(name) = &self.video {
            let VideoDetail { video, .. } = client::video(farm, name).await?.read()?;
            let answer = farm.post(&format!("{}/cancel", farm.below("/api/videos", &video.id))).await?;
            if self.common.json {
                return output::raw(&answer);
            }
            let Cancelled { cancelled } = answer.read()?;
            let count = i64::try_from(cancelled.len()).unwrap_or(i64::MAX);
            return output::say(&format!("Cancelled {} of {}.", format::count(count, "job"), video.title));
        }
        let mut items = Vec::new();
        for job in client::job_ids(farm, &self.jobs).await? {
            let answer = farm.post(&format!("{}/cancel", farm.below("/api/queue/jobs", &job.id))).await?;
            if self.common.json {
                items.push(answer.read()?);
            } else {
                output::say(&format!("Cancelled job {}.", job.number))?;
            }
        }
        if self.common.json { output::json(&Items { items }) } else { Ok(()) }
    }
}
