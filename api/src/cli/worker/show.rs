//! `framefarm worker show`.

use clap::Args;

use crate::auth::Scope;
use crate::cli::answers::Worker;
use crate::cli::client::{self, Common, Farm};
use crate::cli::output::{self, Details};
use crate::cli::{Failure, block_on, format, workers};

/// Show a worker: its jobs, GPUs and last heartbeat
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm worker show north")]
pub(super) struct Show {
    /// Worker name or ID
    #[arg(value_name = "WORKER")]
    name: String,

    #[command(flatten)]
    common: Common,
}

impl Show {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let found = client::worker(farm, &self.name).await?;
        let answer = farm.get(&farm.below("/api/workers", &found.id)).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        output::print(&details(answer.read()?).text())
    }
}

fn details(worker: Worker) -> Details {
    let mut details = Details::headed(&worker.name, &worker.status);
    if worker.draining {
        details.line("draining", "Finishes its jobs and accepts no new ones.");
    }
    details.line("type", &worker.kind);
    details.line("slots", format!("{} of {} in use", worker.jobs.len(), worker.slots));
    details.maybe("speed", worker.speed.map(|speed| format!("{speed:.1}× real time")));
    details.maybe("version", worker.version.as_ref());
    details.line("last seen", worker.last_heartbeat.map_or_else(|| "never".to_owned(), format::ago));
    details.line("registered", format::ago(worker.registered_at));
    details.line("id", &worker.id);
    let workers = [worker];
    if workers.iter().any(|worker| !worker.jobs.is_empty()) {
        details.table(workers::lines(&workers));
    }
    details.table(workers::gpus(&workers));
    details
}
