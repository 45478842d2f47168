//! `framefarm restore`: a farm from a backup.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use framefarm_shared::clock::Clock;
use tokio_util::sync::CancellationToken;

use super::backup::{bar, warn_of_missing};
use super::{Failure, block_on, output, settings, single};
use crate::app::{self, App};
use crate::backup::restore::{self, Request};
use crate::config::Settings;
use crate::db;
use crate::lifecycle::restored::{self, Settled};
use crate::storage;

/// Restore a farm from a backup, or finish the restore of a PostgreSQL dump
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm restore /backup/2026-11-17 --data-dir /var/lib/framefarm
  framefarm restore /backup/2026-11-17 --data-dir /var/lib/framefarm --force     move an existing farm aside
  framefarm restore --after-dump --database-url postgres://framefarm@db/framefarm

Jobs that were claimed when the backup was made go back to the queue with what was delivered, without costing
an attempt. Workers of the old farm can no longer change anything. Unfinished uploads start over; passwords,
tokens and sessions are kept.")]
pub(super) struct Restore {
    /// Directory written by `framefarm backup`
    #[arg(value_name = "BACKUP", required_unless_present = "after_dump")]
    backup: Option<PathBuf>,

    /// Finish a restore by `pg_restore`; all instances must be stopped
    #[arg(long, conflicts_with_all = ["backup", "copy", "force"])]
    after_dump: bool,

    /// Copy files even where a hard link would do
    #[arg(long)]
    copy: bool,

    /// Move an existing farm aside, to a subdirectory of its data directory
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    settings: Settings,
}

impl Restore {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = settings::checked(self.settings)?;
        match self.backup {
            Some(backup) => {
                let request = Request { backup, copy: self.copy, force: self.force };
                block_on(restore(settings, request))
            }
            None => block_on(after_dump(settings)),
        }
    }
}

async fn restore(settings: Settings, request: Request) -> anyhow::Result<()> {
    ensure!(
        settings.uses_sqlite(),
        "a backup made by `framefarm backup` is a SQLite farm; omit --database-url"
    );
    let clock = Clock::system();
    // Never into a farm that runs, and nobody starts one here before it is whole.
    let lock = single::lock(&settings, &clock)?;
    let done = CancellationToken::new();
    let keeper = lock.map(|lock| tokio::spawn(single::keep(lock, clock.clone(), done.clone())));
    let bar = bar();
    let restored = restore::restore(settings, clock, &request, &bar).await;
    bar.finish_and_clear();
    done.cancel();
    if let Some(keeper) = keeper {
        keeper.await??;
    }
    let restored = restored?;
    if let Some(aside) = restored.put_aside {
        output::say(&format!("Moved the existing farm to {}.", aside.display()))?;
    }
    println!(
        "Restored the backup of {}.",
        restored.manifest.created_at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    );
    tell(restored.settled);
    warn_of_missing(&restored.missing, "missing after the restore");
    Ok(())
}

async fn after_dump(settings: Settings) -> anyhow::Result<()> {
    ensure!(!settings.uses_sqlite(), "--after-dump requires PostgreSQL: set --database-url");
    let clock = Clock::system();
    let db = app::connect(&settings).await?;
    db.migrate().await?;
    ensure!(
        !db::restored::is_led(&db, clock.now()).await?,
        "an instance is using this database, or was a few seconds ago: stop all instances, then try again"
    );
    let app = App::assemble(settings, clock, db, &storage::process_variables()).await?;
    let settled = restored::settle(&app, None).await?;
    app.db.close().await;
    tell(settled);
    Ok(())
}

fn tell(settled: Settled) {
    println!("Claimed jobs put back in the queue: {}", settled.jobs_released);
    if settled.uploads_dropped > 0 {
        println!("Unfinished uploads that start over: {}", settled.uploads_dropped);
    }
}
