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
use crate::edge::{HostNames, PublicUrl, TrustedProxies};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Heartbeat 30 s, lease 30 min, offline after 5 min.
    Standard,
    /// Heartbeat 5 s, lease 20 s, offline after 20 s: a lost machine is noticed within half a minute.
    Fast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cleanup {
    /// The old generation plays until the new one is whole.
    OnComplete,
    /// The old generation is removed when the work begins: for small disks.
    OnClaim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Surround {
    /// Every audio track in stereo alone.
    Off,
    /// Tracks of six channels or more in 5.1 too.
    On,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobQueueMode {
    /// The database is asked; waiting claims of other instances are woken by PostgreSQL's notifications.
    Database,
    /// Hints go through Redis, which must be there at the start; without it later on, the database is asked.
    Redis,
    /// Hints go through Redis whenever it is there.
    Hybrid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SourceLinks {
    /// Where the store signs links; a worker that cannot reach it asks here again.
    Auto,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text on a terminal, JSON otherwise.
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
    /// TOML file with any of these settings, named as the flags with underscores
    #[arg(long, env = "FRAMEFARM_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Timing preset; settings given on their own win over it
    #[arg(long, env = "FRAMEFARM_PRESET", value_enum, default_value = "standard")]
    pub preset: Preset,

    /// Address and port to serve on
    #[arg(long, env = "FRAMEFARM_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Directory for the database, uploads and media
    #[arg(long, env = "FRAMEFARM_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,

    /// Where sources and videos are kept: `file:///directory`, `s3://bucket/prefix`, `gs://bucket/prefix` or
    /// `az://container/prefix`, with credentials and endpoint in the store's usual variables (`AWS_ACCESS_KEY_ID`,
    /// `AWS_ENDPOINT_URL`, …); empty uses the directory `media` in the data directory
    #[arg(long, env = "FRAMEFARM_STORAGE_URL", default_value = "", value_name = "URL")]
    pub storage_url: String,

    /// Whether workers fetch sources from the object store by links that it signs for a few minutes, where it can,
    /// instead of through this service
    #[arg(long, env = "FRAMEFARM_SOURCE_LINKS", value_enum, default_value = "auto")]
    pub source_links: SourceLinks,

    /// Where players find what is stored below `videos/` without asking this service: a CDN or a public bucket. They are
    /// sent there for everything but the master playlist; empty serves all of it here
    #[arg(long, env = "FRAMEFARM_PUBLIC_MEDIA_URL", default_value = "", value_name = "URL")]
    pub public_media_url: String,

    /// Hours for which browsers and CDNs may keep segments, playlists, images and subtitles. They never change, but a video
    /// that was deleted can stay in a cache that nobody purges for as long
    #[arg(long, env = "FRAMEFARM_MEDIA_CACHE_HOURS", default_value_t = 168)]
    pub media_cache_hours: u32,

    /// PostgreSQL URL; empty uses SQLite in the data directory
    #[arg(long, env = "FRAMEFARM_DATABASE_URL", default_value = "", hide_env_values = true)]
    pub database_url: String,

    /// Connections to PostgreSQL
    #[arg(long, env = "FRAMEFARM_DATABASE_CONNECTIONS", default_value_t = 20)]
    pub database_connections: u32,

    /// How waiting workers hear of jobs; the database is the truth in each mode
    #[arg(long, env = "FRAMEFARM_JOB_QUEUE_MODE", value_enum, default_value = "database")]
    pub job_queue_mode: JobQueueMode,

    /// Redis URL, for hints of jobs and for news between API instances: `redis://host:6379/0`, `rediss://` for TLS,
    /// `redis+sentinel://host:26379,host:26379/service/0` or `redis+cluster://host:6379,host:6379`; empty uses none
    #[arg(long, env = "FRAMEFARM_REDIS_URL", default_value = "", hide_env_values = true)]
    pub redis_url: String,

    /// Connections to Redis that calls share; two more are for reading hints and news
    #[arg(long, env = "FRAMEFARM_REDIS_POOL_SIZE", default_value_t = 2)]
    pub redis_pool_size: u16,

    /// What the names of keys and channels in Redis begin with; another one for each farm that shares it
    #[arg(long, env = "FRAMEFARM_REDIS_PREFIX", default_value = "framefarm")]
    pub redis_prefix: String,

    /// Seconds for which a Redis that failed three times is left alone; doubled with each failed try, up to ten times
    #[arg(long, env = "FRAMEFARM_REDIS_RETRY_SECONDS", default_value_t = 30)]
    pub redis_retry_seconds: u16,

    /// Password of the admin, at least 12 characters; without one, the first start makes one and prints it once
    #[arg(long, env = "FRAMEFARM_ADMIN_PASSWORD", default_value = "", hide_env_values = true)]
    pub admin_password: String,

    /// Secret that registers workers, at least 16 characters; without one, workers join by invitation alone
    #[arg(long, env = "FRAMEFARM_ADMIN_SECRET", default_value = "", hide_env_values = true)]
    pub admin_secret: String,

    /// Hours until a login ends
    #[arg(long, env = "FRAMEFARM_SESSION_HOURS", default_value_t = 168)]
    pub session_hours: u32,

    /// Address under which people and workers reach the farm, `https://` and a host: for links, join commands and the
    /// check that a request comes from our own page. Without it, what a trusted proxy says
    #[arg(long, env = "FRAMEFARM_PUBLIC_URL", default_value_t = PublicUrl::default(), hide_default_value = true)]
    pub public_url: PublicUrl,

    /// Proxies in front, as addresses or networks separated by commas, like `10.0.0.5,fd00::/8`: their X-Forwarded-For,
    /// -Proto and -Host count, those of anyone else do not. Name only proxies that set X-Forwarded-For themselves
    #[arg(long, env = "FRAMEFARM_TRUSTED_PROXIES", default_value_t = TrustedProxies::default(), hide_default_value = true)]
    pub trusted_proxies: TrustedProxies,

    /// Names of hosts under which the farm answers, separated by commas, beside the public address, `localhost` and every
    /// IP address; requests to other names are refused with 421. Without it, other names are refused only where they
    /// were sent right to a loopback address: a page of another site had its name point at this machine
    #[arg(long, env = "FRAMEFARM_ALLOWED_HOSTS", default_value_t = HostNames::default(), hide_default_value = true)]
    pub allowed_hosts: HostNames,

    /// Browsers send the login's cookie over https only, also where neither the public address nor a trusted proxy says https
    #[arg(long, env = "FRAMEFARM_SECURE_COOKIE")]
    pub secure_cookie: bool,

    /// Minutes a claim lasts without renewal
    #[arg(long, env = "FRAMEFARM_WORKER_CLAIM_DURATION_MINUTES", default_value_t = 30.0)]
    pub worker_claim_duration_minutes: f64,

    /// Seconds between heartbeats of a worker
    #[arg(long, env = "FRAMEFARM_WORKER_HEARTBEAT_INTERVAL", default_value_t = 30)]
    pub worker_heartbeat_interval: u32,

    /// Minutes of silence after which a worker is offline
    #[arg(long, env = "FRAMEFARM_WORKER_OFFLINE_THRESHOLD_MINUTES", default_value_t = 5.0)]
    pub worker_offline_threshold_minutes: f64,

    /// Seconds between checks for lost jobs; 0 turns them off (health then says so)
    #[arg(long, env = "FRAMEFARM_STALE_JOB_CHECK_INTERVAL", default_value_t = 60)]
    pub stale_job_check_interval: u32,

    /// Seconds after an outage in which no job is taken from its worker
    #[arg(long, env = "FRAMEFARM_STARTUP_GRACE", default_value_t = 120)]
    pub startup_grace: u32,

    /// Seconds without progress after which an attempt counts as failed
    #[arg(long, env = "FRAMEFARM_JOB_STALE_TIMEOUT", default_value_t = 1800)]
    pub job_stale_timeout: u32,

    /// Failing runs after which a job has failed for good
    #[arg(long, env = "FRAMEFARM_MAX_RETRY_ATTEMPTS", default_value_t = 3)]
    pub max_retry_attempts: u16,

    /// Lost workers after which a job has failed for good
    #[arg(long, env = "FRAMEFARM_MAX_LOST", default_value_t = 3)]
    pub max_lost: u16,

    /// Seconds before a job taken from a lost worker may be claimed again
    #[arg(long, env = "FRAMEFARM_REDELIVERY_DELAY", default_value_t = 10)]
    pub redelivery_delay: u32,

    /// Where a job taken from a lost worker goes: original, front or back
    #[arg(long, env = "FRAMEFARM_REDELIVERY_POSITION", default_value = "original")]
    pub redelivery_position: RedeliveryPosition,

    /// Seconds a waiting claim lets pass between looks at the database
    #[arg(long, env = "FRAMEFARM_CLAIM_POLL_INTERVAL", default_value_t = 1.0)]
    pub claim_poll_interval: f64,

    /// Seconds between signs of life on a stream of events
    #[arg(long, env = "FRAMEFARM_SSE_HEARTBEAT", default_value_t = 30)]
    pub sse_heartbeat: u32,

    /// Seconds after which a page whose stream broke connects again
    #[arg(long, env = "FRAMEFARM_SSE_RECONNECT", default_value_t = 3)]
    pub sse_reconnect: u32,

    /// Streams of events that one instance serves at once
    #[arg(long, env = "FRAMEFARM_SSE_CLIENTS", default_value_t = 10_000)]
    pub sse_clients: usize,

    #[command(flatten)]
    pub connections: ConnectionSettings,

    #[command(flatten)]
    pub tls: TlsSettings,

    /// The qualities to encode to: shorter side and kbit/s, and hevc or av1 where it is not h264, as in
    /// 1080p:3000:hevc, a quality called 1080phevc. More rungs cost encoding time and disk; videos that are planned
    /// already keep theirs
    #[arg(long, env = "FRAMEFARM_LADDER", default_value_t = Ladder::default())]
    pub ladder: Ladder,

    /// Whether audio tracks of six channels or more also become a 5.1 rendition, beside the stereo one. It costs
    /// 384 kbit/s of disk for each such track; videos that are planned already keep their renditions. Update all
    /// workers before you switch it on
    #[arg(long, env = "FRAMEFARM_SURROUND", value_enum, default_value = "off")]
    pub surround: Surround,

    /// Whether finished qualities survive a failed attempt
    #[arg(long, env = "FRAMEFARM_KEEP_COMPLETED_QUALITIES", default_value_t = true, action = clap::ArgAction::Set)]
    pub keep_completed_qualities: bool,

    /// Whether the cleaner removes the partial output of jobs that failed for good
    #[arg(long, env = "FRAMEFARM_CLEANUP_PARTIAL_ON_FAILURE", default_value_t = true, action = clap::ArgAction::Set)]
    pub cleanup_partial_on_failure: bool,

    #[command(flatten)]
    pub dedupe: DedupeSettings,

    /// When a re-transcode removes the old generation
    #[arg(long, env = "FRAMEFARM_RETRANSCODE_CLEANUP", value_enum, default_value = "on-complete")]
    pub retranscode_cleanup: Cleanup,

    /// Largest upload in bytes
    #[arg(long, env = "FRAMEFARM_MAX_UPLOAD_BYTES", default_value_t = 256 * 1024 * 1024 * 1024)]
    pub max_upload_bytes: u64,

    /// Bytes of disk that uploads leave free
    #[arg(long, env = "FRAMEFARM_DISK_RESERVE_BYTES", default_value_t = 2 * 1024 * 1024 * 1024)]
    pub disk_reserve_bytes: u64,

    /// Hours until an upload without new bytes is dropped
    #[arg(long, env = "FRAMEFARM_UPLOAD_EXPIRY_HOURS", default_value_t = 24)]
    pub upload_expiry_hours: u32,

    #[command(flatten)]
    pub upload_limits: UploadLimits,

    /// Largest delivered part in bytes
    #[arg(long, env = "FRAMEFARM_MAX_PART_BYTES", default_value_t = 256 * 1024 * 1024)]
    pub max_part_bytes: u64,

    /// Days until finished jobs leave the history (their counts stay)
    #[arg(long, env = "FRAMEFARM_COMPLETED_RETENTION_DAYS", default_value_t = 30)]
    pub completed_retention_days: u32,

    /// Days until events leave the timeline
    #[arg(long, env = "FRAMEFARM_EVENT_RETENTION_DAYS", default_value_t = 90)]
    pub event_retention_days: u32,

    #[command(flatten)]
    pub retention: Retention,

    /// Hours until a deleted video is removed for good
    #[arg(long, env = "FRAMEFARM_DELETED_VIDEO_HOURS", default_value_t = 24)]
    pub deleted_video_hours: u32,

    /// Hours until stored files that nothing refers to are removed
    #[arg(long, env = "FRAMEFARM_ORPHAN_HOURS", default_value_t = 24)]
    pub orphan_hours: u32,

    #[command(flatten)]
    pub intake: IntakeSettings,

    #[command(flatten)]
    pub watch: WatchSettings,

    /// Serve without a worker on this machine
    #[arg(long, env = "FRAMEFARM_NO_WORKER")]
    pub no_worker: bool,

    /// Program of this machine's worker; by default the `framefarm-worker` beside this program, or on the PATH
    #[arg(long, env = "FRAMEFARM_WORKER_PROGRAM", value_name = "FILE")]
    pub worker_program: Option<PathBuf>,

    /// Log format
    #[arg(long, env = "FRAMEFARM_LOG_FORMAT", value_enum, default_value = "auto")]
    pub log_format: LogFormat,

    /// What to log, as tracing's filter: a level, or target=level pairs
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

    /// Where players are sent, if they are.
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
