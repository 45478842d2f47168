//! Every setting: its meaning, default, flag, environment name and place in the TOML file.
//!
//! What is read from where is in `layers`, what is refused in `check`, how settings are shown in `shown`.

mod alerts;
mod check;
mod connections;
mod dedupe;
mod intake;
mod layers;
mod metrics;
mod retention;
mod secrets;
mod shown;
mod stopping;
mod tls;
mod traces;
mod uploads;
mod watch;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use chrono::Duration;
use clap::{Args, ValueEnum};
use framefarm_shared::ladder::Ladder;
use framefarm_shared::queue::RedeliveryPosition;
use reqwest::Url;

pub use self::alerts::AlertSettings;
pub use self::connections::ConnectionSettings;
pub use self::dedupe::{Dedupe, DedupeSettings};
pub use self::intake::IntakeSettings;
pub(crate) use self::layers::SECRETS;
pub use self::metrics::MetricsSettings;
pub use self::retention::Retention;
pub use self::shown::{effective, reference};
pub use self::stopping::StoppingSettings;
pub use self::tls::TlsSettings;
pub use self::traces::TracesSettings;
pub use self::uploads::UploadLimits;
pub use self::watch::{WatchAfter, WatchSettings};
use crate::proxy::{HostNames, PublicUrl, TrustedProxies};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Timing {
    /// Heartbeat 30 s, lease 30 min, offline after 5 min.
    Standard,
    /// Heartbeat 5 s, lease 20 s, offline after 20 s: detects a lost worker within 30 s.
    Fast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cleanup {
    /// Keep the old generation playable until the new one is complete.
    OnComplete,
    /// Delete the old generation when a worker claims the job. Saves disk space, but the video cannot be
    /// played until the new generation is complete.
    OnClaim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Surround {
    /// Encode every audio track in stereo only.
    Off,
    /// Also encode audio tracks with six or more channels in 5.1.
    On,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobQueueMode {
    /// Query the database; PostgreSQL notifications wake waiting claims on other instances.
    Database,
    /// Send hints through Redis, which must be available at startup. If Redis fails later, query the
    /// database.
    Redis,
    /// Send hints through Redis while it is available; otherwise query the database.
    Hybrid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SourceLinks {
    /// Use signed links if the store supports them; a worker that cannot reach the store downloads from the
    /// API.
    Auto,
    /// Always download from the API.
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text on a terminal, otherwise JSON.
    Auto,
    Text,
    Json,
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

/// Settings of `framefarm serve`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// TOML file with settings; its keys are the flag names with underscores
    #[arg(long, env = "FRAMEFARM_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Preset for heartbeat, lease and offline times; settings given explicitly override it
    #[arg(long, alias = "preset", env = "FRAMEFARM_TIMING", value_enum, default_value = "standard")]
    pub timing: Timing,

    /// Address and port to listen on
    #[arg(long, env = "FRAMEFARM_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Directory for the database, uploads and media
    #[arg(long, env = "FRAMEFARM_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,

    /// Storage for sources and videos: `file:///directory`, `s3://bucket/prefix`, `gs://bucket/prefix` or
    /// `az://container/prefix`. Credentials and endpoint come from the store's usual environment variables
    /// (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, …). Empty uses the directory `media` in the data directory
    #[arg(long, env = "FRAMEFARM_STORAGE_URL", default_value = "", value_name = "URL")]
    pub storage_url: String,

    /// Let workers download sources directly from the object store, through signed links that are valid for a
    /// few minutes, instead of through the API
    #[arg(long, env = "FRAMEFARM_SOURCE_LINKS", value_enum, default_value = "auto")]
    pub source_links: SourceLinks,

    /// Base URL of a CDN or public bucket that serves the stored files under `videos/`. Players are
    /// redirected there for everything except the master playlist. Empty serves all files from the API
    #[arg(long, env = "FRAMEFARM_PUBLIC_MEDIA_URL", default_value = "", value_name = "URL")]
    pub public_media_url: String,

    /// Hours that browsers and CDNs may cache segments, playlists, images and subtitles. These files never
    /// change, but a deleted video can stay in an unpurged cache for this long
    #[arg(long, env = "FRAMEFARM_MEDIA_CACHE_HOURS", default_value_t = 168)]
    pub media_cache_hours: u32,

    /// PostgreSQL URL; empty uses SQLite in the data directory
    #[arg(long, env = "FRAMEFARM_DATABASE_URL", default_value = "", hide_env_values = true)]
    pub database_url: String,

    /// Maximum number of PostgreSQL connections per instance
    #[arg(long, env = "FRAMEFARM_DATABASE_CONNECTIONS", default_value_t = 20)]
    pub database_connections: u32,

    /// How waiting workers learn about jobs; the database is the source of truth in every mode
    #[arg(long, env = "FRAMEFARM_JOB_QUEUE_MODE", value_enum, default_value = "database")]
    pub job_queue_mode: JobQueueMode,

    /// Redis URL for job hints and for messages between API instances: `redis://host:6379/0`, `rediss://` for
    /// TLS, `redis+sentinel://host:26379,host:26379/service/0` or `redis+cluster://host:6379,host:6379`.
    /// Empty disables Redis
    #[arg(long, env = "FRAMEFARM_REDIS_URL", default_value = "", hide_env_values = true)]
    pub redis_url: String,

    /// Number of shared Redis connections for commands; two more connections receive hints and messages
    #[arg(long, env = "FRAMEFARM_REDIS_POOL_SIZE", default_value_t = 2)]
    pub redis_pool_size: u16,

    /// Prefix of Redis keys and channels; farms that share a Redis need different prefixes
    #[arg(long, env = "FRAMEFARM_REDIS_PREFIX", default_value = "framefarm")]
    pub redis_prefix: String,

    /// Seconds until Redis is retried after three failures in a row; the farm uses the database meanwhile.
    /// Doubles with each failed retry, up to ten times this value
    #[arg(long, env = "FRAMEFARM_REDIS_RETRY_SECONDS", default_value_t = 30)]
    pub redis_retry_seconds: u16,

    /// Admin password, at least 12 characters. If unset, the first start generates one and prints it once
    #[arg(long, env = "FRAMEFARM_ADMIN_PASSWORD", default_value = "", hide_env_values = true)]
    pub admin_password: String,

    /// Secret for registering workers, at least 16 characters. If unset, workers can join by invitation only
    #[arg(long, env = "FRAMEFARM_ADMIN_SECRET", default_value = "", hide_env_values = true)]
    pub admin_secret: String,

    /// Hours until a login session expires
    #[arg(long, env = "FRAMEFARM_SESSION_HOURS", default_value_t = 168)]
    pub session_hours: u32,

    /// Public URL of the farm for people and workers, `https://` and a host. Used for links, join commands
    /// and the check that a request comes from the farm's own page. If unset, the URL that a trusted proxy
    /// forwards is used
    #[arg(long, env = "FRAMEFARM_PUBLIC_URL", default_value_t = PublicUrl::default(), hide_default_value = true)]
    pub public_url: PublicUrl,

    /// Reverse proxies in front of the farm, as comma-separated addresses or networks like
    /// `10.0.0.5,fd00::/8`. The headers X-Forwarded-For, -Proto and -Host are trusted only from these
    /// addresses. List only proxies that set X-Forwarded-For themselves
    #[arg(long, env = "FRAMEFARM_TRUSTED_PROXIES", default_value_t = TrustedProxies::default(), hide_default_value = true)]
    pub trusted_proxies: TrustedProxies,

    /// Comma-separated host names that the farm answers to, besides the host of `public_url`, `localhost` and
    /// all IP addresses; requests for other names get status 421. If unset, other names are refused only on
    /// direct connections to a loopback address, as protection against DNS rebinding
    #[arg(long, env = "FRAMEFARM_ALLOWED_HOSTS", default_value_t = HostNames::default(), hide_default_value = true)]
    pub allowed_hosts: HostNames,

    /// Restrict the session cookie to HTTPS even if neither `public_url` nor a trusted proxy indicates HTTPS
    #[arg(long, env = "FRAMEFARM_SECURE_COOKIE")]
    pub secure_cookie: bool,

    /// Minutes until a claim expires without renewal. A shorter claim recovers jobs of lost workers sooner,
    /// but shorter network outages cost workers their jobs
    #[arg(long, env = "FRAMEFARM_WORKER_CLAIM_DURATION_MINUTES", default_value_t = 30.0)]
    pub worker_claim_duration_minutes: f64,

    /// Seconds between worker heartbeats. A shorter interval detects lost workers sooner, but causes more
    /// requests
    #[arg(long, env = "FRAMEFARM_WORKER_HEARTBEAT_INTERVAL", default_value_t = 30)]
    pub worker_heartbeat_interval: u32,

    /// Minutes without a heartbeat until a worker counts as offline
    #[arg(long, env = "FRAMEFARM_WORKER_OFFLINE_THRESHOLD_MINUTES", default_value_t = 5.0)]
    pub worker_offline_threshold_minutes: f64,

    /// Seconds between checks for jobs of lost workers; 0 disables the checks, which the health check then
    /// reports
    #[arg(long, env = "FRAMEFARM_STALE_JOB_CHECK_INTERVAL", default_value_t = 60)]
    pub stale_job_check_interval: u32,

    /// Seconds after an outage of the API during which no job is reclaimed from its worker
    #[arg(long, env = "FRAMEFARM_STARTUP_GRACE", default_value_t = 120)]
    pub startup_grace: u32,

    /// Seconds without progress until an attempt fails
    #[arg(long, env = "FRAMEFARM_JOB_STALE_TIMEOUT", default_value_t = 1800)]
    pub job_stale_timeout: u32,

    /// Failed attempts after which a job fails permanently
    #[arg(long, env = "FRAMEFARM_MAX_RETRY_ATTEMPTS", default_value_t = 3)]
    pub max_retry_attempts: u16,

    /// Lost workers after which a job fails permanently
    #[arg(long, env = "FRAMEFARM_MAX_LOST", default_value_t = 3)]
    pub max_lost: u16,

    /// Seconds until a job reclaimed from a lost worker can be claimed again
    #[arg(long, env = "FRAMEFARM_REDELIVERY_DELAY", default_value_t = 10)]
    pub redelivery_delay: u32,

    /// Queue position of a job reclaimed from a lost worker: `original`, `front` or `back`
    #[arg(long, env = "FRAMEFARM_REDELIVERY_POSITION", default_value = "original")]
    pub redelivery_position: RedeliveryPosition,

    /// Seconds between database queries of a waiting claim. A shorter interval starts jobs sooner, but
    /// puts more load on the database
    #[arg(long, env = "FRAMEFARM_CLAIM_POLL_INTERVAL", default_value_t = 1.0)]
    pub claim_poll_interval: f64,

    /// Seconds between keep-alive messages on an event stream; must be shorter than the idle timeout of any
    /// proxy
    #[arg(long, env = "FRAMEFARM_SSE_HEARTBEAT", default_value_t = 30)]
    pub sse_heartbeat: u32,

    /// Seconds until a client reconnects after its event stream broke
    #[arg(long, env = "FRAMEFARM_SSE_RECONNECT", default_value_t = 3)]
    pub sse_reconnect: u32,

    /// Maximum number of concurrent event streams per instance
    #[arg(long, env = "FRAMEFARM_SSE_CLIENTS", default_value_t = 10_000)]
    pub sse_clients: usize,

    #[command(flatten)]
    pub connections: ConnectionSettings,

    #[command(flatten)]
    pub tls: TlsSettings,

    /// Qualities to encode, as shorter side and bitrate in kbit/s, plus `hevc` or `av1` for a codec other
    /// than H.264: `1080p:3000:hevc` is a quality named `1080phevc`. More rungs cost encoding time and disk
    /// space. Videos that are already planned keep their qualities
    #[arg(long, env = "FRAMEFARM_LADDER", default_value_t = Ladder::default())]
    pub ladder: Ladder,

    /// Add a 5.1 rendition, besides stereo, for audio tracks with six or more channels. Costs 384 kbit/s of
    /// disk space for each such track. Videos that are already planned keep their renditions. Update all
    /// workers before you turn this on
    #[arg(long, env = "FRAMEFARM_SURROUND", value_enum, default_value = "off")]
    pub surround: Surround,

    /// Keep completed qualities when an attempt fails
    #[arg(long, env = "FRAMEFARM_KEEP_COMPLETED_QUALITIES", default_value_t = true, action = clap::ArgAction::Set)]
    pub keep_completed_qualities: bool,

    /// Delete the partial output of jobs that failed permanently
    #[arg(long, env = "FRAMEFARM_CLEANUP_PARTIAL_ON_FAILURE", default_value_t = true, action = clap::ArgAction::Set)]
    pub cleanup_partial_on_failure: bool,

    #[command(flatten)]
    pub dedupe: DedupeSettings,

    /// When a re-transcode deletes the old generation
    #[arg(long, env = "FRAMEFARM_RETRANSCODE_CLEANUP", value_enum, default_value = "on-complete")]
    pub retranscode_cleanup: Cleanup,

    /// Maximum size of an upload in bytes
    #[arg(long, env = "FRAMEFARM_MAX_UPLOAD_BYTES", default_value_t = 256 * 1024 * 1024 * 1024)]
    pub max_upload_bytes: u64,

    /// Disk space in bytes that uploads leave free
    #[arg(long, env = "FRAMEFARM_DISK_RESERVE_BYTES", default_value_t = 2 * 1024 * 1024 * 1024)]
    pub disk_reserve_bytes: u64,

    /// Hours without new bytes until an unfinished upload is deleted
    #[arg(long, env = "FRAMEFARM_UPLOAD_EXPIRY_HOURS", default_value_t = 24)]
    pub upload_expiry_hours: u32,

    #[command(flatten)]
    pub upload_limits: UploadLimits,

    /// Maximum size of a delivered part in bytes
    #[arg(long, env = "FRAMEFARM_MAX_PART_BYTES", default_value_t = 256 * 1024 * 1024)]
    pub max_part_bytes: u64,

    /// Days until completed jobs are removed from the history; their counts remain
    #[arg(long, env = "FRAMEFARM_COMPLETED_RETENTION_DAYS", default_value_t = 30)]
    pub completed_retention_days: u32,

    /// Days until events are removed from the timeline
    #[arg(long, env = "FRAMEFARM_EVENT_RETENTION_DAYS", default_value_t = 90)]
    pub event_retention_days: u32,

    #[command(flatten)]
    pub retention: Retention,

    /// Hours until a deleted video is removed permanently
    #[arg(long, env = "FRAMEFARM_DELETED_VIDEO_HOURS", default_value_t = 24)]
    pub deleted_video_hours: u32,

    /// Hours until orphaned files in the store are deleted
    #[arg(long, env = "FRAMEFARM_ORPHAN_HOURS", default_value_t = 24)]
    pub orphan_hours: u32,

    #[command(flatten)]
    pub intake: IntakeSettings,

    #[command(flatten)]
    pub watch: WatchSettings,

    /// Do not start a worker on this machine
    #[arg(long, env = "FRAMEFARM_NO_WORKER")]
    pub no_worker: bool,

    /// Worker program to start on this machine. Default: `framefarm-worker` next to this program, or on the
    /// PATH
    #[arg(long, env = "FRAMEFARM_WORKER_PROGRAM", value_name = "FILE")]
    pub worker_program: Option<PathBuf>,

    /// Log format
    #[arg(long, env = "FRAMEFARM_LOG_FORMAT", value_enum, default_value = "auto")]
    pub log_format: LogFormat,

    /// Log filter in the syntax of `tracing`: a level, or target=level pairs
    #[arg(long, env = "FRAMEFARM_LOG", default_value = "info,memory_serve=warn")]
    pub log: String,

    #[command(flatten)]
    pub alerts: AlertSettings,

    #[command(flatten)]
    pub metrics: MetricsSettings,

    #[command(flatten)]
    pub traces: TracesSettings,

    #[command(flatten)]
    pub stopping: StoppingSettings,
}

impl Settings {
    pub fn lease(&self) -> Duration {
        minutes(self.worker_claim_duration_minutes)
    }

    pub fn heartbeat(&self) -> Duration {
        Duration::seconds(self.worker_heartbeat_interval.into())
    }

    pub fn offline_after(&self) -> Duration {
        minutes(self.worker_offline_threshold_minutes)
    }

    pub fn no_progress_after(&self) -> Duration {
        Duration::seconds(self.job_stale_timeout.into())
    }

    /// How long a CPU worker leaves a job to an idle GPU worker.
    pub fn gpu_deferral(&self) -> Duration {
        self.heartbeat() * 2
    }

    pub fn lease_seconds(&self) -> u64 {
        self.lease().num_seconds().unsigned_abs()
    }

    pub fn heartbeat_seconds(&self) -> u64 {
        self.worker_heartbeat_interval.into()
    }

    /// Where players are redirected, if they are.
    pub fn public_media(&self) -> Option<Url> {
        let url = Url::parse(&self.public_media_url).ok()?;
        let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        (matches!(url.scheme(), "http" | "https") && plain).then_some(url)
    }

    pub fn media_max_age(&self) -> std::time::Duration {
        std::time::Duration::from_hours(self.media_cache_hours.into())
    }

    pub fn uses_sqlite(&self) -> bool {
        self.database_url.is_empty()
    }
}

fn minutes(count: f64) -> Duration {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be at most a week")]
    Duration::milliseconds((count * 60_000.0).round() as i64)
}
