//! `framefarm-worker run`.

use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;
use framefarm_shared::plan::PRESETS;
use framefarm_shared::queue::QueueType;
use framefarm_traces::OtlpEndpoint;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Farm;
use super::card_choice::CardChoice;
use super::join::Identity;
use super::logging::LogFormat;
use crate::child::LockLostBehavior;
use crate::client::Client;
use crate::encoder::protocol::EncoderSettings;
use crate::gpu::{Cards, Rules, Yield};
use crate::run::{self, Exports, Options, Stop, WhenFull};
use crate::walls;

/// Take jobs from the farm and do them, until told to stop.
///
/// SIGTERM or SIGINT: running jobs come to the next segment boundary, what is finished is delivered, and the jobs go
/// back to the queue without an attempt spent. A second signal ends everything at once.
#[derive(Debug, Args)]
#[group(skip)]
#[command(after_help = "\
Examples:
  framefarm-worker run --api https://farm.example.org --key-file /etc/framefarm/key --scratch /var/tmp/framefarm
  framefarm-worker run --api https://farm.example.org --join-file ./invitation --scratch /var/tmp/framefarm
  FRAMEFARM_WORKER_KEY=… framefarm-worker run --api http://127.0.0.1:8080 --scratch ./scratch --slots 2")]
pub(super) struct Run {
    #[command(flatten)]
    farm: Farm,

    #[command(flatten)]
    identity: Identity,

    /// Directory for sources and unfinished work, of this worker alone.
    #[arg(long, env = "FRAMEFARM_WORKER_SCRATCH", value_name = "DIR")]
    scratch: PathBuf,

    /// Jobs at once. One keeps all cores busy by itself; more of them help with many short videos.
    #[arg(long, env = "FRAMEFARM_WORKER_SLOTS", value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=64))]
    slots: u16,

    /// Speed against size: the faster, the larger the files of one quality.
    #[arg(long, env = "FRAMEFARM_WORKER_PRESET", value_name = "NAME", default_value = "veryfast",
        value_parser = PossibleValuesParser::new(PRESETS))]
    preset: String,

    /// Whether a source that fits is copied into its best quality instead of being encoded.
    #[arg(long, env = "FRAMEFARM_WORKER_COPY", value_enum, default_value = "auto")]
    copy: Copying,

    /// How an encoder ends whose job was given to another worker.
    #[arg(long, env = "FRAMEFARM_WORKER_LOCK_LOST", value_enum, default_value = "sigkill")]
    lock_lost: LockLostBehavior,

    /// Kinds of jobs to take, separated by commas, the preferred one first. So far: transcode.
    #[arg(long, env = "FRAMEFARM_WORKER_QUEUES", value_name = "KINDS", default_value = "transcode",
        value_delimiter = ',', value_parser = parse_queue)]
    queues: Vec<QueueType>,

    /// The farm's storage directory, if this machine has it: sources are read there instead of fetched.
    #[arg(long, env = "FRAMEFARM_WORKER_STORAGE", value_name = "DIR")]
    storage: Option<PathBuf>,

    /// Seconds an encoder may make no progress before it is ended and the attempt counts as failed.
    #[arg(long, env = "FRAMEFARM_WORKER_STALL_SECONDS", value_name = "SECONDS", default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(1..))]
    stall_seconds: u32,

    /// Seconds that running jobs may take to reach a boundary and deliver when the worker is to stop.
    #[arg(long, env = "FRAMEFARM_WORKER_DRAIN_SECONDS", value_name = "SECONDS", default_value_t = 60)]
    drain_seconds: u32,

    /// Most MiB that the encoder of one job may keep in the scratch directory beside its source. One that keeps more,
    /// or more than its video could ever need, is ended.
    #[arg(long, env = "FRAMEFARM_WORKER_JOB_SCRATCH_MIB", value_name = "MIB", default_value_t = 8192,
        value_parser = clap::value_parser!(u32).range(1..))]
    job_scratch_mib: u32,

    /// How much encoders step back for other programs: 0 not at all, 19 wholly.
    #[arg(long, env = "FRAMEFARM_WORKER_NICE", value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u8).range(0..=19))]
    nice: u8,

    /// How log lines are written; `RUST_LOG` says which.
    #[arg(long, env = "FRAMEFARM_LOG_FORMAT", value_enum, default_value = "auto")]
    pub(super) log_format: LogFormat,

    #[command(flatten)]
    cards: CardChoice,

    /// What to do when every card that could help is full: `cpu` encodes there, `queue` gives the job back without an
    /// attempt spent.
    #[arg(long, env = "FRAMEFARM_GPU_WHEN_FULL", value_enum, default_value = "cpu")]
    gpu_when_full: WhenFull,

    /// When to leave a card to others, at the next segment boundary. Conditions, separated by commas: foreign (any other
    /// program uses it), compute=PERCENT, temperature=CELSIUS, hours=FROM-TO (local time).
    #[arg(long, env = "FRAMEFARM_GPU_YIELD", value_name = "CONDITIONS", default_value = "")]
    gpu_yield: Yield,

    /// Collector that takes traces by OTLP over HTTP, like `http://collector:4318`; `/v1/traces` is added.
    /// Empty sends none.
    #[arg(
        long,
        env = "FRAMEFARM_OTLP_ENDPOINT",
        value_name = "URL",
        default_value_t,
        hide_default_value = true
    )]
    otlp_endpoint: OtlpEndpoint,

    /// Stop as if by SIGTERM when stdin ends: for a program that starts this one and may die.
    #[arg(long, env = "FRAMEFARM_WORKER_PARENT_PIPE")]
    parent_pipe: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Copying {
    /// Where the source's own keyframes allow it.
    Auto,
    /// Everything is encoded.
    Never,
}

impl Run {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let key = self.identity.key(&self.farm.api, &self.scratch).await?;
        let client = Client::new(self.farm.api.clone(), &key)?;
        let stop = Stop::default();
        let signals = Signals::listen().context("cannot listen to signals")?;
        tokio::spawn(signals.pass_on(stop.clone()));
        if self.parent_pipe {
            watch_parent(stop.clone())?;
        }
        let options = self.options().await?;
        let spans = options.spans.clone();
        let ran = run::run(options, client, stop).await;
        spans.end().await;
        ran
    }

    async fn options(self) -> anyhow::Result<Options> {
        let spans = Exports::open(&self.otlp_endpoint)?;
        let defaults = EncoderSettings::default();
        let encoder = std::env::current_exe().context("this program does not know its own path")?;
        let rules =
            Rules { inventory: self.cards.into_options(), yields: self.gpu_yield, program: encoder.clone() };
        let cards = Cards::start(rules).await;
        for why in cards.missing() {
            tracing::info!("{why}");
        }
        let refusal = walls::refusal(&encoder).await?;
        let mut capabilities = crate::doctor::capabilities(&encoder, &cards).await?;
        capabilities["slots"] = self.slots.into();
        let settings = EncoderSettings {
            preset: self.preset,
            threads: (defaults.threads / u32::from(self.slots)).max(1),
        };
        Ok(Options {
            scratch: self.scratch,
            storage: self.storage,
            slots: self.slots,
            queues: self.queues,
            settings,
            copy: self.copy == Copying::Auto,
            lock_lost: self.lock_lost,
            stall: Duration::from_secs(self.stall_seconds.into()),
            drain: Duration::from_secs(self.drain_seconds.into()),
            job_scratch: u64::from(self.job_scratch_mib) << 20,
            nice: self.nice,
            capabilities,
            refusal,
            encoder,
            cards,
            when_full: self.gpu_when_full,
            spans,
        })
    }
}

fn parse_queue(text: &str) -> Result<QueueType, String> {
    match text.parse() {
        Ok(QueueType::Transcode) => Ok(QueueType::Transcode),
        _ => Err("this version of the worker takes `transcode` only".to_owned()),
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn pass_on(mut self, stop: Stop) {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
            }
            tracing::info!("stopping: running jobs are handed back; once more ends them at once");
            stop.further();
        }
    }
}

/// A thread of its own: a runtime cannot end while one of its threads reads stdin.
fn watch_parent(stop: Stop) -> anyhow::Result<()> {
    let watch = move || {
        let mut buffer = [0; 64];
        while let Ok(1..) = std::io::stdin().read(&mut buffer) {}
        tracing::info!("stopping: the program that started this one is gone");
        stop.drain();
    };
    std::thread::Builder::new().name("parent".to_owned()).spawn(watch).context("cannot start a thread")?;
    Ok(())
}
