//! `framefarm restore`: a farm from a backup.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use framefarm_shared::clock::Clock;
use tokio_util::sync::CancellationToken;

use super::backup::{bar, warn_of_missing};
use super::{Failure, block_on, output, settings, single};
use crate::app::{self, App};
use crate::config::Settings;
use crate::db;
use crate::keeping::restore::{self, Request};
use crate::lifecycle::restored::{self, Settled};
use crate::storage;

/// Make a farm of a backup, or finish the restore of a PostgreSQL dump
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm restore /backup/2026-11-17 --data-dir /var/lib/framefarm
  framefarm restore /backup/2026-11-17 --data-dir /var/lib/framefarm --force     a farm that is there is put aside
  framefarm restore --after-dump --database-url postgres://framefarm@db/framefarm

Jobs that were claimed when the backup was made go back to the queue with what was delivered, at no cost. Workers of the
farm that was can change nothing any more. Unfinished uploads begin again; passwords, tokens and logins stay.")]
pub(super) struct Restore {
    /// Directory that `framefarm backup` wrote
    #[arg(value_name = "BACKUP", required_unless_present = "after_dump")]
    backup: Option<PathBuf>,

    /// The database was restored by `pg_restore` just now, and no instance runs
    #[arg(long, conflicts_with_all = ["backup", "copy", "force"])]
    after_dump: bool,

    /// Copy files also where a second name of the same file would do
    #[arg(long)]
    copy: bool,

    /// Put a farm that is there aside, below its data directory
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
        "a backup of `framefarm backup` is a farm on SQLite; leave --database-url out"
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
        output::say(&format!("the farm that was here is in {}", aside.display()))?;
    }
    println!(
        "restored to {}",
        restored.manifest.created_at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    );
    tell(restored.settled);
    warn_of_missing(&restored.missing, "are not there");
    Ok(())
}

async fn after_dump(settings: Settings) -> anyhow::Result<()> {
    ensure!(!settings.uses_sqlite(), "--after-dump is for PostgreSQL: name it with --database-url");
    let clock = Clock::system();
    let db = app::connect(&settings).await?;
    db.migrate().await?;
    ensure!(
        !db::restored::is_led(&db, clock.now()).await?,
        "an instance serves this database, or did within the last seconds: stop all of them, then try again"
    );
    let app = App::assemble(settings, clock, db, &storage::process_variables()).await?;
    let settled = restored::settle(&app, None).await?;
    app.db.close().await;
    tell(settled);
    Ok(())
}

fn tell(settled: Settled) {
    println!("{} claimed jobs went back to the queue", settled.jobs_released);
    if settled.uploads_dropped > 0 {
        println!("{} unfinished uploads begin again", settled.uploads_dropped);
    }
}
