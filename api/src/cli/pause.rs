//! `framefarm pause` and `framefarm resume`.

use clap::Args;
use framefarm_shared::queue::QueueType;

use super::client::Common;
use super::{Failure, block_on, output, queue};
use crate::auth::Scope;

/// Stop handing out jobs; running jobs continue
#[derive(Args)]
#[command(
    after_help = "Examples:\n  framefarm pause                 all queues\n  framefarm pause transcode"
)]
pub(super) struct Pause {
    /// Queue to pause; all queues if omitted
    #[arg(value_name = "TYPE")]
    queue_type: Option<QueueType>,

    #[command(flatten)]
    common: Common,
}

/// Hand out jobs again after a pause
#[derive(Args)]
#[command(
    after_help = "Examples:\n  framefarm resume                all queues\n  framefarm resume transcode"
)]
pub(super) struct Resume {
    /// Queue to resume; all queues if omitted
    #[arg(value_name = "TYPE")]
    queue_type: Option<QueueType>,

    #[command(flatten)]
    common: Common,
}

impl Pause {
    pub(super) fn run(self) -> Result<(), Failure> {
        switch(&self.common, self.queue_type, "pause")
    }
}

impl Resume {
    pub(super) fn run(self) -> Result<(), Failure> {
        switch(&self.common, self.queue_type, "resume")
    }
}

fn switch(common: &Common, kind: Option<QueueType>, action: &str) -> Result<(), Failure> {
    let farm = common.connection.open(Scope::Admin)?;
    block_on(async {
        let asked = [("queue_type", kind.map(|kind| kind.to_string()))];
        let answer = farm.post(&farm.asking(&format!("/api/queue/{action}"), &asked)).await?;
        if common.json {
            return output::raw(&answer);
        }
        output::print(&queue::counts(&answer.read()?).text())
    })
}
