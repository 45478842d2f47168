//! `framefarm vacuum`: a SQLite file without free space in it.

use anyhow::ensure;
use clap::Args;
use framefarm_shared::clock::Clock;
use indicatif::HumanBytes;

use super::existing::existing;
use super::{Failure, block_on, output, settings, single};
use crate::config::Settings;
use crate::db::space;

/// Compact the SQLite database of a stopped farm
#[derive(Args)]
#[command(after_help = "\
Example:
  framefarm vacuum --data-dir /var/lib/framefarm

Needed only once, for a database from a version that did not free disk space automatically. Requires as much
free disk space as the database occupies. PostgreSQL does not need it: autovacuum does the work.")]
pub(super) struct Vacuum {
    #[command(flatten)]
    settings: Settings,
}

impl Vacuum {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = settings::checked(self.settings)?;
        block_on(vacuum(settings))
    }
}

async fn vacuum(settings: Settings) -> anyhow::Result<()> {
    ensure!(
        settings.uses_sqlite(),
        "PostgreSQL needs no vacuum: autovacuum does the work. VACUUM FULL would stop the farm without \
         lasting gain"
    );
    let settings = existing(settings)?;
    let database = settings.data_dir.join("framefarm.db");
    let _lock = single::lock(&settings, &Clock::system())?;
    let before = std::fs::metadata(&database)?.len();
    space::rebuild_sqlite(&database).await?;
    let after = std::fs::metadata(&database)?.len();
    output::say(&format!("{}: {}, was {}", database.display(), HumanBytes(after), HumanBytes(before)))
}
