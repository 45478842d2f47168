//! The supervisor: claims jobs, has each encoded by a child process of its own, delivers what that makes, and says how
//! it ended.
//!
//! The modules stand in the order a job meets them. Whatever goes wrong on the way is an `error::AttemptError`, and
//! `report` turns it into the one report that the farm gets.

// --- Between jobs ---

// Whether this process is stopping, and how soon.
mod stop;

// The directory of the jobs' files.
mod scratch;

// A slot: claims one job after the other.
mod claims;

// --- A job: from its claim to the encoder ---

// All steps of one attempt.
mod job;

// The source as a file on this machine.
mod source;

// The plan, and which segments of it are missing.
mod plan;

// Which qualities a GPU encodes, and which the CPU.
mod place;

// The encoder at work, until no segment is missing.
mod encode;

// The child process, and the conversation with it.
mod encoder;

// Limits of the child: disk space, and time without progress.
mod quota;
mod watchdog;

// --- Out: what the encoder makes ---

// Segments, in parts.
mod deliver;

// Images and subtitles.
mod sidecars;

// Progress reports.
mod progress;

// --- The end of an attempt ---

// Why it failed.
mod error;

// The final report to the farm.
mod report;

// --- Infrastructure ---

// The steps of an attempt as spans.
mod trace;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use framefarm_shared::clock::Clock;
use framefarm_shared::id::BootId;
use framefarm_shared::queue::QueueType;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

pub use place::WhenFull;
pub use stop::{Phase, Stop};
pub use trace::Exports;

use crate::child::LockLostBehavior;
use crate::client::Client;
use crate::encoder::protocol::EncoderSettings;
use crate::gpu::GpuPool;
use crate::heartbeat::{Heartbeat, Standing};
use scratch::Scratch;

/// Until the farm says how often.
const FIRST_HEARTBEAT: Duration = Duration::from_secs(30);
/// How long jobs may take to end once the farm has rejected this process.
const REFUSED_GRACE: Duration = Duration::from_secs(5);

/// What a worker process was told to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// A directory of this process alone.
    pub scratch: PathBuf,
    /// The farm's own storage, where it can be reached as files.
    pub storage: Option<PathBuf>,
    /// Jobs at once.
    pub slots: u16,
    pub queues: Vec<QueueType>,
    pub settings: EncoderSettings,
    /// Whether a source that fits may be copied instead of encoded.
    pub copy: bool,
    pub lock_lost: LockLostBehavior,
    /// How long an encoder may make no progress.
    pub stall: Duration,
    /// How long jobs may take to come to a boundary and deliver when the process is to stop.
    pub drain: Duration,
    /// Bytes that the encoder of one job may keep in the scratch directory, its source not counted.
    pub job_scratch: u64,
    /// Niceness of the encoder, 0 to 19.
    pub nice: u8,
    /// What this worker tells the farm of itself.
    pub capabilities: serde_json::Value,
    /// Why this worker takes no jobs: its children would refuse to open a source.
    pub refusal: Option<String>,
    /// The program to start as `probe` and `encode`.
    pub encoder: PathBuf,
    pub gpus: GpuPool,
    pub when_full: WhenFull,
    pub spans: Exports,
}

/// A GPU works a hundred times as fast as this; one that does not is not worth waiting for.
const GPU_STALL: Duration = Duration::from_secs(30);

impl Options {
    /// How long a GPU may make no progress.
    fn gpu_stall(&self) -> Duration {
        self.stall.min(GPU_STALL)
    }
}

/// What every job of this process shares.
struct Supervisor {
    options: Options,
    client: Client,
    boot_id: BootId,
    heartbeat: Heartbeat,
    scratch: Scratch,
    stop: Stop,
}

/// Works until it is told to stop, or the farm refuses this worker.
pub async fn run(options: Options, client: Client, stop: Stop) -> anyhow::Result<()> {
    let scratch = Scratch::open(&options.scratch)?;
    let boot_id = BootId::new(&Clock::system());
    let capabilities = Some(options.capabilities.clone());
    let gpus = options.gpus.clone();
    let heartbeat = Heartbeat::start(client.clone(), boot_id, FIRST_HEARTBEAT, capabilities, gpus);
    let (mut slots, standing) = (JoinSet::new(), heartbeat.standing());
    let supervisor = Supervisor { options, client, boot_id, heartbeat, scratch, stop };
    let supervisor = Arc::new(supervisor);
    if let Some(why) = &supervisor.options.refusal {
        // It stays, so that the farm can show why.
        tracing::error!("this worker accepts no jobs: {why}");
        let supervisor = Arc::clone(&supervisor);
        slots.spawn(async move { supervisor.stop.reached(Phase::Draining).await });
    } else {
        for _ in 0..supervisor.options.slots {
            slots.spawn(claims::fill_slot(Arc::clone(&supervisor)));
        }
        tracing::info!(slots = supervisor.options.slots, "waiting for jobs");
    }
    let all_ended = async { while slots.join_next().await.is_some() {} };
    tokio::select! {
        () = all_ended => {
            supervisor.heartbeat.farewell().await;
            Ok(())
        }
        why = refused(standing) => {
            supervisor.stop.leave();
            let _ended_or_not = timeout(REFUSED_GRACE, async { while slots.join_next().await.is_some() {} }).await;
            anyhow::bail!("this worker was removed, its key was revoked, or a newer process uses it: {why}")
        }
    }
}

async fn refused(mut standing: watch::Receiver<Standing>) -> String {
    match standing.wait_for(|now| matches!(now, Standing::Refused { .. })).await.as_deref() {
        Ok(Standing::Refused { code, detail }) => format!("{detail} ({code})"),
        _ => "the heartbeat task ended".to_owned(),
    }
}

#[cfg(test)]
mod tests;
