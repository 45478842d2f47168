//! `framefarm workers`.

use clap::Args;

use super::answers::{Gpu, Worker, Workers as All};
use super::client::{Common, Farm};
use super::output::{self, Cell, Column, Table, Tone};
use super::{Failure, block_on, format};
use crate::auth::Scope;

/// List workers with their jobs and GPUs
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm workers
  framefarm workers --json | jq -r '.items[] | select(.status == \"offline\") | .name'")]
pub(super) struct Workers {
    #[command(flatten)]
    common: Common,
}

impl Workers {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = farm.get("/api/workers").await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let All { items } = answer.read()?;
        if items.is_empty() {
            return output::say("No workers yet; `framefarm worker invite` prints a join command.");
        }
        let mut text = lines(&items).text();
        let gpus = gpus(&items);
        if !gpus.is_empty() {
            text.push('\n');
            text.push_str(&gpus.text());
        }
        output::print(&text)
    }
}

/// `draining` is no state of its own, but the one that matters.
pub(super) fn state(worker: &Worker) -> Cell {
    let alive = !matches!(worker.status.as_str(), "offline" | "disabled");
    if worker.draining && alive { Cell::state("draining") } else { Cell::state(&worker.status) }
}

/// A line for each worker; more lines for one that runs several jobs.
pub(super) fn lines(workers: &[Worker]) -> Table {
    let columns = [
        Column::new("WORKER").gives(),
        Column::new("STATUS"),
        Column::new("JOB").gives(),
        Column::new("DONE").right(),
        Column::new("ETA"),
        Column::new("LAST SEEN").right(),
        Column::new("SLOTS").right().optional(),
        Column::new("SPEED").right().optional(),
        Column::new("VERSION").optional(),
    ];
    let mut table = Table::new(columns);
    for worker in workers {
        let mut jobs = worker.jobs.iter();
        let job = jobs.next();
        let heard = worker.last_heartbeat.map_or_else(|| "never".to_owned(), format::ago);
        table.row([
            worker.name.clone().into(),
            state(worker),
            job.map(|job| format!("{} {}", job.number, job.video_title)).unwrap_or_default().into(),
            job.map(|job| format::percent(job.percent)).unwrap_or_default().into(),
            job.and_then(|job| job.eta.as_ref()).map(format::eta).unwrap_or_default().into(),
            heard.into(),
            format!("{}/{}", worker.jobs.len(), worker.slots).into(),
            worker.speed.map(|speed| format!("{speed:.1}×")).unwrap_or_default().into(),
            worker.version.clone().unwrap_or_default().into(),
        ]);
        for job in jobs {
            table.row([
                Cell::default(),
                Cell::default(),
                format!("{} {}", job.number, job.video_title).into(),
                format::percent(job.percent).into(),
                job.eta.as_ref().map(format::eta).unwrap_or_default().into(),
            ]);
        }
    }
    table
}

/// A line for each GPU of each worker.
pub(super) fn gpus(workers: &[Worker]) -> Table {
    let columns = [
        Column::new("GPU").gives(),
        Column::new("WORKER").gives(),
        Column::new("STATE"),
        Column::new("SESSIONS").right(),
        Column::new("ENCODER").right(),
        Column::new("MEMORY").right(),
        Column::new("TEMP").right(),
        Column::new("REASON").gives(),
    ];
    let mut table = Table::new(columns);
    for worker in workers {
        for gpu in &worker.gpus {
            table.row(gpu_line(worker, gpu));
        }
    }
    table
}

fn gpu_line(worker: &Worker, gpu: &Gpu) -> Vec<Cell> {
    let sample = gpu.sample.as_ref();
    let sessions = match gpu.session_limit {
        Some(most) => format!("{}/{most}", gpu.sessions),
        None => gpu.sessions.to_string(),
    };
    let used = sample.and_then(|now| now.memory_used_bytes);
    let memory = match (used, gpu.memory_bytes) {
        (Some(used), Some(all)) => format!("{} of {}", format::bytes(used), format::bytes(all)),
        (None, Some(all)) => format::bytes(all),
        _ => String::new(),
    };
    vec![
        format!("{} ({})", gpu.name, gpu.kind).into(),
        worker.name.clone().into(),
        Cell::state(&gpu.state),
        sessions.into(),
        sample.and_then(|now| now.encoder_percent).map(|busy| format!("{busy}%")).unwrap_or_default().into(),
        memory.into(),
        sample
            .and_then(|now| now.temperature_celsius)
            .map(|heat| format!("{heat} °C"))
            .unwrap_or_default()
            .into(),
        Cell::toned(gpu.reason.clone().unwrap_or_default(), Tone::Warning),
    ]
}
