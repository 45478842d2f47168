//! The GPUs as the supervisor sees them: inventory, test encodes, reservations and reports.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{Local, Timelike as _};
use framefarm_shared::clock::Clock;
use framefarm_shared::gpu::{Gpu, GpuKind, MAX_GPUS};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::task::AbortOnDropHandle;

use super::error::GpuError;
use super::inventory::{Inventory, Options};
use super::ledger::{Grant, Ledger, Passed, Wanted};
use super::snapshot::{Snapshot, View};
use super::yielding::Yield;
use crate::doctor::try_gpu;
use crate::encoder::protocol::GpuDevice;

/// How often a GPU that should be tried again is looked for, beside every look of the inventory.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// What the keeper of the GPUs goes by.
#[derive(Clone, Debug)]
pub struct Rules {
    pub inventory: Options,
    pub yields: Yield,
    /// The `framefarm-worker` that tries encoders as a child.
    pub program: PathBuf,
}

/// Every GPU of this machine; a handle that may be cloned.
#[derive(Clone, Debug)]
pub struct GpuPool {
    shared: Arc<Shared>,
    _keeper: Option<Arc<AbortOnDropHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    ledger: Mutex<Ledger>,
    missing: Mutex<Vec<String>>,
    /// Goes up whenever a GPU changes its state.
    changes: watch::Sender<u64>,
}

impl GpuPool {
    /// A machine on which no GPU is to be used.
    pub fn none(why: &str) -> Self {
        Self { shared: Shared::missing(vec![why.to_owned()]).into(), _keeper: None }
    }

    /// Finds the GPUs and tries every encoder of each; takes some seconds a GPU.
    pub async fn start(rules: Rules) -> Self {
        let inventory = Inventory::open(rules.inventory.clone()).await;
        let view = inventory.now();
        let shared = Arc::new(Shared::missing(view.missing.clone()));
        for seen in view.gpus.iter().take(MAX_GPUS) {
            shared.try_new(seen, &rules).await;
        }
        let keeper = Keeper { shared: Arc::clone(&shared), inventory, rules };
        keeper.shared.judge(&keeper.rules.yields, &view);
        let keeper = AbortOnDropHandle::new(tokio::spawn(keeper.keep()));
        Self { shared, _keeper: Some(Arc::new(keeper)) }
    }

    /// In words: what is not there.
    pub fn missing(&self) -> Vec<String> {
        self.shared.missing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn report(&self) -> Vec<Gpu> {
        self.shared.ledger().report(Instant::now())
    }

    /// Whether this machine has any, well or not.
    pub fn are_there(&self) -> bool {
        !self.shared.ledger().is_empty()
    }

    /// Whether a GPU that is well could do any of these if it were free.
    pub fn could_ever(&self, wanted: &[Wanted]) -> bool {
        self.shared.ledger().could_ever(wanted)
    }

    /// Changes when a GPU changes its state.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Sessions on a GPU for as many of these qualities as there is room for. They are free again when the
    /// reservation is dropped.
    pub fn reserve(&self, wanted: &[Wanted], avoid: &[String]) -> Option<Reservation> {
        let grant = self.shared.ledger().reserve(wanted, avoid, Instant::now())?;
        let (shared, wanted) = (Arc::clone(&self.shared), wanted.to_vec());
        Some(Reservation { shared, grant, wanted })
    }
}

impl Shared {
    /// Without any GPU yet.
    fn missing(missing: Vec<String>) -> Self {
        Self { ledger: Mutex::default(), missing: Mutex::new(missing), changes: watch::Sender::new(0) }
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A GPU that nobody has tried yet.
    async fn try_new(&self, seen: &Snapshot, rules: &Rules) {
        let (gpu, passed) = first_way_that_works(seen, rules).await;
        for encoder in &passed.encoders {
            let (name, fps, limit) = (&encoder.name, encoder.fps, passed.session_limit);
            tracing::info!(gpu = gpu.id, encoder = name, fps, sessions = limit, "GPU encoder works");
        }
        if passed.encoders.is_empty() {
            let why = passed.error.as_deref().unwrap_or("no working encoder");
            tracing::warn!(gpu = gpu.id, name = seen.gpu.name, why, "GPU cannot be used");
        }
        self.ledger().add(seen.clone(), gpu, passed);
    }

    /// Takes over what the driver tells and who is to be left alone. True if a GPU's state changed by it.
    fn judge(&self, yields: &Yield, view: &View) -> bool {
        let hour = Clock::system().now().with_timezone(&Local).hour();
        let now = Instant::now();
        let mut ledger = self.ledger();
        let before = states(&ledger, now);
        ledger.saw(&view.gpus, now);
        ledger.set_yields(|seen, already| yields.reason(seen, hour, already));
        states(&ledger, now) != before
    }
}

fn states(ledger: &Ledger, now: Instant) -> Vec<(framefarm_shared::gpu::GpuState, Option<String>)> {
    ledger.report(now).into_iter().map(|gpu| (gpu.state, gpu.reason)).collect()
}

/// An Intel GPU can be reached in two ways; the first that works is its way from then on.
async fn first_way_that_works(seen: &Snapshot, rules: &Rules) -> (GpuDevice, Passed) {
    let (found, others) = (&seen.gpu, sessions_open(seen));
    let mut errors = Vec::new();
    let way = |kind: GpuKind| GpuDevice { kind, id: found.way(kind), on_gpu: false };
    for kind in &found.kinds {
        let (gpu, passed) = try_one(way(*kind), others, rules).await;
        if !passed.encoders.is_empty() {
            return (gpu, passed);
        }
        errors.extend(passed.error);
    }
    let error = (!errors.is_empty()).then(|| errors.join("; "));
    (way(found.kinds.first().copied().unwrap_or(GpuKind::Vaapi)), Passed { error, ..Passed::default() })
}

/// As the driver counts them; before a trial they are all somebody else's.
fn sessions_open(seen: &Snapshot) -> u32 {
    seen.sample.as_ref().and_then(|sample| sample.encoder_sessions).unwrap_or(0)
}

/// `others` are sessions that were open before: the trial finds only how many more there are.
async fn try_one(gpu: GpuDevice, others: u32, rules: &Rules) -> (GpuDevice, Passed) {
    let trial = try_gpu(&rules.program, gpu.kind, &gpu.id).await;
    let on_gpu = trial.encoders.iter().any(|encoder| encoder.on_gpu);
    let problems: Vec<_> =
        trial.problems.iter().map(|problem| format!("{}: {}", problem.what, problem.why)).collect();
    let error = (!problems.is_empty()).then(|| problems.join("; "));
    let session_limit = trial.session_limit.map(|free| free.saturating_add(others));
    let passed = Passed { encoders: trial.encoders, session_limit, error };
    (GpuDevice { on_gpu, ..gpu }, passed)
}

/// Follows the looks of the inventory and brings GPUs back.
struct Keeper {
    shared: Arc<Shared>,
    inventory: Inventory,
    rules: Rules,
}

impl Keeper {
    async fn keep(self) {
        let mut looks = self.inventory.looks();
        let mut probes = interval(PROBE_EVERY);
        probes.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                changed = looks.changed() => {
                    let view = Arc::clone(&looks.borrow_and_update());
                    self.look(&view).await;
                    if changed.is_err() {
                        return;
                    }
                }
                _ = probes.tick() => self.probe().await,
            }
        }
    }

    async fn look(&self, view: &View) {
        let is_new = |seen: &&Snapshot| !self.shared.ledger().knows(&seen.gpu.id);
        for seen in view.gpus.iter().take(MAX_GPUS).filter(is_new) {
            self.shared.try_new(seen, &self.rules).await;
            self.shared.changed();
        }
        (*self.shared.missing.lock().unwrap_or_else(PoisonError::into_inner)).clone_from(&view.missing);
        if self.shared.judge(&self.rules.yields, view) {
            self.shared.changed();
        }
    }

    async fn probe(&self) {
        let due = self.shared.ledger().due_probes(Instant::now());
        for (gpu, others) in due {
            let id = gpu.id.clone();
            let (_, passed) = try_one(gpu, others, &self.rules).await;
            tracing::info!(gpu = id, passed = !passed.encoders.is_empty(), "GPU tested again");
            self.shared.ledger().probed(&id, passed, Instant::now());
            self.shared.changed();
        }
    }
}

/// Encoder sessions on a GPU, until it is dropped.
#[derive(Debug)]
pub struct Reservation {
    shared: Arc<Shared>,
    grant: Grant,
    wanted: Vec<Wanted>,
}

impl Reservation {
    pub fn gpu(&self) -> &GpuDevice {
        &self.grant.gpu
    }

    /// Which of the wanted qualities it is for.
    pub fn qualities(&self) -> &[usize] {
        &self.grant.qualities
    }

    /// Returns when the GPU should be left at the next boundary.
    pub async fn wanted_back(&self) {
        let mut changes = self.shared.changes.subscribe();
        while !self.shared.ledger().wants_back(&self.grant.gpu.id) {
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    pub fn succeeded(&self) {
        self.shared.ledger().succeeded(&self.grant);
    }

    pub fn failed(&self, error: GpuError) {
        self.shared.ledger().failed(&self.grant, &self.wanted, error, Instant::now());
        self.shared.changed();
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shared.ledger().release(&self.grant);
    }
}
