//! Small loops with one duty each, all `run_once() -> Counts`. Several API instances may run them at once: every
//! statement is conditional, so two runs do the work of one.

pub mod cleaner;
mod folder_watcher;
pub mod leader;
pub mod reaper;
pub mod relay;
pub mod scheduler;
pub mod surveyor;
pub mod ticker;
pub mod timekeeping;

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::alerts::{condition_detector, deliverer, event_detector};
use crate::app::App;
use crate::config::JobQueueMode;
use crate::error::{ApiError, Result};
use crate::intake::fetch;

/// What a run did, by name; empty when there was nothing to do.
pub type Counts = Vec<(&'static str, u64)>;

/// A run over many things, of which a bad one does not stop the others.
#[derive(Debug, Default)]
pub struct Run {
    pub done: u64,
    failed: u64,
    first_error: Option<ApiError>,
}

impl Run {
    pub fn note(&mut self, result: Result<bool>) {
        match result {
            Ok(done) => self.done += u64::from(done),
            Err(error) => {
                self.failed += 1;
                self.first_error.get_or_insert(error);
            }
        }
    }

    /// How much was done. What failed is said; only if nothing succeeded, the run failed.
    pub fn end(self) -> Result<u64> {
        match self.first_error {
            Some(error) if self.done == 0 => Err(error),
            Some(error) => {
                tracing::warn!(failed = self.failed, %error, "some items failed; retrying");
                Ok(self.done)
            }
            None => Ok(self.done),
        }
    }
}

/// Starts every service; they end with the app's shutdown token.
pub fn start(app: &App) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let every = Duration::from_secs;
    tasks.spawn(run(app.clone(), "ticker", every(5), ticker::run_once));
    tasks.spawn(run(app.clone(), "scheduler", every(1), scheduler::run_once));
    let check = app.settings.stale_job_check_interval;
    if check > 0 {
        tasks.spawn(run(app.clone(), "reaper", every(check.into()), reaper::run_once));
    }
    // Once is enough, and other instances have better things to do.
    tasks.spawn(run(app.clone(), "cleaner", every(300), |app| if_leading(app, cleaner::run_once)));
    tasks.spawn(run(app.clone(), "surveyor", every(300), |app| if_leading(app, surveyor::run_once)));
    if app.settings.job_queue_mode != JobQueueMode::Database {
        tasks.spawn(run(app.clone(), "relay", every(5), |app| if_leading(app, relay::run_once)));
    }
    for _ in 0..app.settings.intake.intake_parallel {
        tasks.spawn(run(app.clone(), "fetcher", every(2), fetch::run_once));
    }
    if app.settings.watch.watch_dir.is_some() {
        tasks.spawn(folder_watcher::run(app.clone()));
    }
    tasks.spawn(run(app.clone(), "guard", every(5), |app| if_leading(app, condition_detector::run_once)));
    tasks.spawn(event_detector::run(app.clone()));
    tasks.spawn(deliverer::run(app.clone()));
    tasks.spawn(crate::events::follow(app.clone()));
    crate::dispatch::start(app, &mut tasks);
    if let Some(outgoing) = app.take_outgoing() {
        tasks.spawn(crate::cluster::run(app.clone(), outgoing));
    }
    tasks
}

async fn if_leading<F>(app: App, run_once: impl Fn(App) -> F) -> Result<Counts>
where
    F: Future<Output = Result<Counts>>,
{
    if leader::lead(&app).await?.is_some() { run_once(app).await } else { Ok(Counts::new()) }
}

/// One service's loop. A failing run is logged and tried again at the next tick.
async fn run<F>(app: App, name: &'static str, every: Duration, run_once: impl Fn(App) -> F)
where
    F: Future<Output = Result<Counts>>,
{
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let began = Instant::now();
        let ran = run_once(app.clone()).await;
        app.metrics.services.ran(name, began.elapsed(), ran.is_ok(), app.clock.now());
        tell(name, ran);
    }
}

fn tell(service: &str, ran: Result<Counts>) {
    match ran {
        Ok(counts) if counts.iter().any(|(_, count)| *count > 0) => {
            tracing::info!(service, ?counts, "service run finished");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(service, %error, "service run failed; retrying"),
    }
}
