//! Metrics of this process that need no query.

use prometheus::{Registry, Result};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

use super::sheet::{Sheet, flag, number, size};
use crate::app::App;
use crate::broker::BreakerState;
use crate::config::JobQueueMode;
use crate::responses::health;

pub(super) fn sheet(app: &App) -> Result<Registry> {
    let sheet = Sheet::new();
    process(app, &sheet)?;
    database(app, &sheet)?;
    dispatch(app, &sheet)?;
    let help = "Number of connected SSE subscribers.";
    sheet.one("framefarm_sse_clients", help, size(app.events.subscribers() as u64))?;
    let help = "Number of worker claims waiting for a job on this instance.";
    sheet.one("framefarm_claims_waiting", help, size(app.waiters.waiting() as u64))?;
    let help = "1 while this instance is shutting down.";
    sheet.one("framefarm_draining", help, flag(app.is_draining()))?;
    Ok(sheet.registry())
}

fn process(app: &App, sheet: &Sheet) -> Result<()> {
    let labels = [env!("CARGO_PKG_VERSION"), app.db.name(), app.storage.kind()];
    let help = "Always 1; the labels are the version, the database engine and the storage type.";
    sheet.rows("framefarm_build_info", help, ["version", "database", "storage"], [(labels, 1.0)])?;
    let started = number(app.started_at.timestamp_millis()) / 1000.0;
    sheet.one("framefarm_start_time_seconds", "Unix timestamp of the start of this instance.", started)?;
    if let Some(bytes) = resident_bytes() {
        sheet.one(
            "framefarm_process_resident_memory_bytes",
            "Resident memory of this process in bytes.",
            size(bytes),
        )?;
    }
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        let help = "Number of open file descriptors of this process.";
        sheet.one("framefarm_process_open_fds", help, size(open.count() as u64))?;
    }
    Ok(())
}

fn resident_bytes() -> Option<u64> {
    let mut system = System::new().ok()?;
    let pid = sysinfo::Pid::from_u32(std::process::id());
    let memory = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, memory);
    system.process(pid).map(sysinfo::Process::memory)
}

fn database(app: &App, sheet: &Sheet) -> Result<()> {
    let pools = app.db.pools();
    let states = pools.iter().flat_map(|pool| {
        let used = pool.open.saturating_sub(pool.idle);
        [([pool.name, "used"], f64::from(used)), ([pool.name, "idle"], f64::from(pool.idle))]
    });
    let help = "Number of open database connections by state.";
    sheet.rows("framefarm_database_connections", help, ["pool", "state"], states)?;
    let most = pools.iter().map(|pool| ([pool.name], f64::from(pool.most)));
    let help = "Maximum number of database connections.";
    sheet.rows("framefarm_database_connections_max", help, ["pool"], most)
}

fn dispatch(app: &App, sheet: &Sheet) -> Result<()> {
    let in_force = health::dispatch(app).in_force;
    let modes = [(JobQueueMode::Database, "database"), (JobQueueMode::Redis, "redis")];
    let rows = modes.map(|(mode, name)| ([name], flag(mode == in_force)));
    let help = "1 for the dispatch mode that this instance is using.";
    sheet.rows("framefarm_dispatch_mode", help, ["mode"], rows)?;
    let state = app.broker.as_ref().map(crate::broker::Broker::breaker_state);
    let rows = BreakerState::ALL.map(|one| ([one.as_str()], flag(state == Some(one))));
    let help = "1 for the state of the Redis circuit breaker; all 0 without Redis.";
    sheet.rows("framefarm_redis_breaker_state", help, ["state"], rows)
}
