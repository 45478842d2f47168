//! `framefarm-worker run`.

use std::ffi::OsString;
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
use super::gpu_choice::GpuChoice;
use super::join::Identity;
use super::logging::LogFormat;
use crate::child::LockLostBehavior;
use crate::client::Client;
use crate::encoder::protocol::EncoderSettings;
use crate::gpu::{GpuPool, Rules, Yield};
use crate::run::{self, Exports, Options, Stop, WhenFull};
use crate::sandbox;

/// The earlier name of `FRAMEFARM_WORKER_X264_PRESET`.
const EARLIER_PRESET: &str = "FRAMEFARM_WORKER_PRESET";

/// Run jobs from the farm until stopped.
///
/// On SIGTERM or SIGINT, running jobs stop at the next segment boundary, finished segments are delivered, and the jobs
/// return to the queue without using up an attempt. A second signal stops everything immediately.
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

    /// Directory for sources and unfinished work. Each worker needs its own.
    #[arg(long, env = "FRAMEFARM_WORKER_SCRATCH", value_name = "DIR")]
    scratch: PathBuf,

    /// Concurrent jobs. One job uses all cores; more help with many short videos.
    #[arg(long, env = "FRAMEFARM_WORKER_SLOTS", value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=64))]
    slots: u16,

    /// x264 preset: a faster one makes larger files of the same quality. Other codecs use the nearest equivalent.
    #[arg(long, alias = "preset", env = "FRAMEFARM_WORKER_X264_PRESET", value_name = "NAME",
        default_value_t = default_preset(), value_parser = PossibleValuesParser::new(PRESETS))]
    x264_preset: String,

    /// Whether to copy a suitable source as the top quality instead of encoding it.
    #[arg(long, env = "FRAMEFARM_WORKER_COPY", value_enum, default_value = "auto")]
    copy: Copying,

    /// How to stop an encoder whose job was reassigned to another worker.
    #[arg(long, env = "FRAMEFARM_WORKER_LOCK_LOST", value_enum, default_value = "sigkill")]
    lock_lost: LockLostBehavior,

    /// Job types to accept, comma-separated, preferred one first. Supported so far: transcode.
    #[arg(long, env = "FRAMEFARM_WORKER_QUEUES", value_name = "TYPES", default_value = "transcode",
        value_delimiter = ',', value_parser = parse_queue)]
    queues: Vec<QueueType>,

    /// The farm's storage directory, if this machine has it: sources are read from it instead of downloaded.
    #[arg(long, env = "FRAMEFARM_WORKER_STORAGE", value_name = "DIR")]
    storage: Option<PathBuf>,

    /// Seconds without progress after which an encoder is killed and the attempt counts as failed.
    #[arg(long, env = "FRAMEFARM_WORKER_STALL_SECONDS", value_name = "SECONDS", default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(1..))]
    stall_seconds: u32,

    /// Seconds that running jobs get to reach a segment boundary and deliver when the worker stops.
    #[arg(long, env = "FRAMEFARM_WORKER_DRAIN_SECONDS", value_name = "SECONDS", default_value_t = 60)]
    drain_seconds: u32,

    /// Limit in MiB for what the encoder of one job keeps in the scratch directory, not counting the source. An encoder
    /// that exceeds it, or the most its video could need, is killed.
    #[arg(long, env = "FRAMEFARM_WORKER_JOB_SCRATCH_MIB", value_name = "MIB", default_value_t = 8192,
        value_parser = clap::value_parser!(u32).range(1..))]
    job_scratch_mib: u32,

    /// Niceness of encoders: 0 is normal priority, 19 the lowest.
    #[arg(long, env = "FRAMEFARM_WORKER_NICE", value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u8).range(0..=19))]
    nice: u8,

    /// Format of log lines; `RUST_LOG` selects which are written.
    #[arg(long, env = "FRAMEFARM_LOG_FORMAT", value_enum, default_value = "auto")]
    pub(super) log_format: LogFormat,

    #[command(flatten)]
    gpus: GpuChoice,

    /// What to do when every suitable GPU is full: `cpu` encodes on the CPU, `queue` returns the job to the queue
    /// without using up an attempt.
    #[arg(long, env = "FRAMEFARM_GPU_WHEN_FULL", value_enum, default_value = "cpu")]
    gpu_when_full: WhenFull,

    /// When to release a GPU for other programs, at the next segment boundary. Comma-separated conditions: foreign
    /// (another program uses it), compute=PERCENT, temperature=CELSIUS, hours=FROM-TO (local time).
    #[arg(long, env = "FRAMEFARM_GPU_YIELD", value_name = "CONDITIONS", default_value = "")]
    gpu_yield: Yield,

    /// OTLP/HTTP collector for traces, for example `http://collector:4318`; `/v1/traces` is appended.
    /// Empty disables traces.
    #[arg(
        long,
        env = "FRAMEFARM_OTLP_ENDPOINT",
        value_name = "URL",
        default_value_t,
        hide_default_value = true
    )]
    otlp_endpoint: OtlpEndpoint,

    /// Stop as on SIGTERM when stdin closes, so that this worker does not outlive its parent process.
    #[arg(long, env = "FRAMEFARM_WORKER_PARENT_PIPE")]
    parent_pipe: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Copying {
    /// Copy if the source's keyframes allow it.
    Auto,
    /// Always encode.
    Never,
}

impl Run {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let key = self.identity.key(&self.farm.api, &self.scratch).await?;
        let client = Client::new(self.farm.api.clone(), &key)?;
        let stop = Stop::default();
        let signals = Signals::listen().context("cannot listen for signals")?;
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
        warn_of_earlier_names();
        let spans = Exports::open(&self.otlp_endpoint)?;
        let defaults = EncoderSettings::default();
        let encoder = std::env::current_exe().context("cannot find the path of this program")?;
        let rules =
            Rules { inventory: self.gpus.into_options(), yields: self.gpu_yield, program: encoder.clone() };
        let gpus = GpuPool::start(rules).await;
        for why in gpus.missing() {
            tracing::info!("{why}");
        }
        let refusal = sandbox::refusal(&encoder).await?;
        let mut capabilities = crate::doctor::capabilities(&encoder, &gpus).await?;
        capabilities["slots"] = self.slots.into();
        let settings = EncoderSettings {
            preset: self.x264_preset,
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
            gpus,
            when_full: self.gpu_when_full,
            spans,
        })
    }
}

fn parse_queue(text: &str) -> Result<QueueType, String> {
    match text.parse() {
        Ok(QueueType::Transcode) => Ok(QueueType::Transcode),
        _ => Err("this version of the worker supports only `transcode`".to_owned()),
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
            tracing::info!(
                "stopping: running jobs return to the queue; a second signal stops them immediately"
            );
            stop.further();
        }
    }
}

/// A thread of its own: a runtime cannot end while one of its threads reads stdin.
fn watch_parent(stop: Stop) -> anyhow::Result<()> {
    let watch = move || {
        let mut buffer = [0; 64];
        while let Ok(1..) = std::io::stdin().read(&mut buffer) {}
        tracing::info!("stopping: the parent process is gone");
        stop.drain();
    };
    std::thread::Builder::new().name("parent".to_owned()).spawn(watch).context("cannot start a thread")?;
    Ok(())
}

fn default_preset() -> String {
    std::env::var(EARLIER_PRESET).unwrap_or_else(|_| EncoderSettings::default().preset)
}

fn warn_of_earlier_names() {
    let is_earlier = |argument: &OsString| {
        argument.to_str().is_some_and(|text| text == "--preset" || text.starts_with("--preset="))
    };
    if std::env::args_os().any(|argument| is_earlier(&argument)) {
        tracing::warn!("`--preset` is now called `--x264-preset`; the old name still works");
    }
    if std::env::var_os(EARLIER_PRESET).is_some() {
        tracing::warn!(
            "{EARLIER_PRESET} is now called FRAMEFARM_WORKER_X264_PRESET; the old name still works"
        );
    }
}
