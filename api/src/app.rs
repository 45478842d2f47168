//! The parts of a running API and how they are wired.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use chrono::{DateTime, Utc};
use framefarm_shared::clock::Clock;
use framefarm_shared::id::BootId;
use framefarm_traces::Traces;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::after_commit::AfterCommit;
use crate::alerts;
use crate::auth::Auth;
use crate::broker::Broker;
use crate::cluster::{Cluster, ClusterMessage};
use crate::config::{JobQueueMode, Settings};
use crate::db::Db;
use crate::dispatch::Waiters;
use crate::egress::Egress;
use crate::events::Events;
use crate::intake::watch::{self, Watch};
use crate::metrics::Metrics;
use crate::responses::health::HealthCache;
use crate::staging::Staging;
use crate::storage::{self, Storage, Variables};
use crate::traces;
use crate::uploads::Uploads;
use crate::worker_limit::WorkerLimits;

/// Cheap to clone; every handler and service has one.
#[derive(Clone)]
pub struct App(Arc<Parts>);

pub struct Parts {
    pub settings: Settings,
    pub clock: Clock,
    pub db: Db,
    pub storage: Storage,
    pub waiters: Waiters,
    /// The Redis beside the database, if there is one.
    pub broker: Option<Broker>,
    pub cluster: Cluster,
    /// Messages to other instances, until a task sends them.
    outgoing: Mutex<Option<mpsc::Receiver<ClusterMessage>>>,
    pub events: Events,
    pub uploads: Uploads,
    /// What was seen in the watch folder.
    pub watch: Watch,
    pub auth: Auth,
    /// What webhooks may reach.
    pub egress: Egress,
    pub metrics: Metrics,
    pub health: HealthCache,
    pub traces: Traces,
    pub started_at: DateTime<Utc>,
    /// It was told to stop and takes no part in load balancing any more; it still serves.
    pub draining: CancellationToken,
    /// Ends waiting claims and service loops.
    pub shutdown: CancellationToken,
    /// Names this process among several.
    pub boot: BootId,
    /// Verifying a part uses a core and disk: only a few at once.
    pub verifying: tokio::sync::Semaphore,
    pub staging: Staging,
    pub worker_limits: WorkerLimits,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    /// Connects, migrates and prepares the data directory.
    pub async fn start(settings: Settings, clock: Clock) -> anyhow::Result<Self> {
        Self::start_with(settings, clock, &storage::process_variables()).await
    }

    /// The same with credentials and address of the object store from elsewhere than the environment.
    pub async fn start_with(settings: Settings, clock: Clock, variables: &Variables) -> anyhow::Result<Self> {
        let data_dir = settings.data_dir.clone();
        std::fs::create_dir_all(&data_dir)
            .with_context(|| format!("cannot create the data directory {}", data_dir.display()))?;
        watch::check_start(&settings.watch)?;
        let db = connect(&settings).await?;
        // Before anything is judged by it.
        if let Some(time) = db.server_time().await.context("cannot read the time from the database")? {
            clock.set(time);
        }
        db.migrate().await.context("cannot migrate the database")?;
        let app = Self::assemble(settings, clock, db, variables).await?;
        if app.settings.job_queue_mode == JobQueueMode::Redis
            && let Some(broker) = &app.broker
        {
            let ping =
                broker.call(async |mut connection| redis::cmd("PING").query_async(&mut connection).await);
            ping.await.map(|_: String| ()).context(
                "Redis is not responding (redis_url); to start without it, use job_queue_mode = hybrid",
            )?;
        }
        alerts::prepare(&app).await.context("cannot prepare the alerts")?;
        Ok(app)
    }

    /// Wires an app around a database that is up to date.
    pub async fn assemble(
        settings: Settings,
        clock: Clock,
        db: Db,
        variables: &Variables,
    ) -> anyhow::Result<Self> {
        let media = settings.data_dir.join("media");
        let storage =
            storage::open(&settings.storage_url, &media, variables, settings.media_max_age()).await?;
        let uploads = Uploads::open(&settings.data_dir.join("uploads"))?;
        std::fs::create_dir_all(settings.data_dir.join("tmp"))?;
        let boot = BootId::new(&clock);
        let traces = traces::start(&settings.traces.otlp_endpoint, boot)?;
        let (waiters, metrics) = (Waiters::default(), Metrics::new()?);
        let after_commit =
            AfterCommit { waiters: waiters.clone(), metrics: metrics.clone(), traces: traces.clone() };
        let db = db.reporting_to(Arc::new(after_commit));
        let broker = Broker::open(&settings)?;
        let alone = db.is_sqlite() && broker.is_none();
        let (cluster, outgoing) = if alone { (Cluster::alone(), None) } else { Cluster::with_others() };
        Ok(Self(Arc::new(Parts {
            auth: Auth::new(),
            watch: Watch::default(),
            egress: Egress::new(settings.alerts.alert_webhook_allow.clone()),
            waiters,
            metrics,
            health: HealthCache::default(),
            traces,
            started_at: clock.now(),
            draining: CancellationToken::new(),
            events: Events::new(boot, cluster.clone(), settings.sse_clients),
            boot,
            broker,
            cluster,
            outgoing: Mutex::new(outgoing),
            shutdown: CancellationToken::new(),
            verifying: tokio::sync::Semaphore::new(4),
            staging: Staging::new(settings.max_part_bytes),
            worker_limits: WorkerLimits::default(),
            settings,
            clock,
            db,
            storage,
            uploads,
        })))
    }

    /// For the one task that sends them.
    pub fn take_outgoing(&self) -> Option<mpsc::Receiver<ClusterMessage>> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether it was told to stop.
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled() || self.shutdown.is_cancelled()
    }

    /// For unfinished things of this process; swept at start.
    pub fn scratch(&self) -> PathBuf {
        self.settings.data_dir.join("tmp")
    }
}

/// Earlier versions let everybody read the database.
fn close_to_others(database: &Path) -> anyhow::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let file = PathBuf::from(format!("{}{suffix}", database.display()));
        let Ok(metadata) = file.metadata() else { continue };
        let mut permissions = metadata.permissions();
        if permissions.mode() & 0o007 != 0 {
            permissions.set_mode(permissions.mode() & !0o007);
            std::fs::set_permissions(&file, permissions)
                .with_context(|| format!("cannot restrict the permissions of {}", file.display()))?;
        }
    }
    Ok(())
}

pub async fn connect(settings: &Settings) -> anyhow::Result<Db> {
    if settings.uses_sqlite() {
        let file = settings.data_dir.join("framefarm.db");
        let db =
            Db::connect_sqlite(&file).await.with_context(|| format!("cannot open {}", file.display()))?;
        close_to_others(&file)?;
        return Ok(db);
    }
    Db::connect_postgres(&settings.database_url, settings.database_connections)
        .await
        .context("cannot connect to PostgreSQL (database_url)")
}
