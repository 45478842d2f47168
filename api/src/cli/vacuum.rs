//! `framefarm vacuum`: a SQLite file without free room in it.

use anyhow::ensure;
use clap::Args;
use framefarm_shared::clock::Clock;
use indicatif::HumanBytes;

use super::{Failure, block_on, output, settings, single};
use crate::config::Settings;
use crate::db::space;

/// Rebuild the SQLite database of a farm that is stopped
#[derive(Args)]
#[command(after_help = "\
Example:
  framefarm vacuum --data-dir /var/lib/framefarm

Needed once for a database that was made before the farm gave room back by itself, and never after. It needs as much
free disk as the database takes. PostgreSQL needs none: autovacuum sees to it.")]
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
        "PostgreSQL vacuums itself; a VACUUM FULL would stop the farm and gain nothing that lasts"
    );
    let database = settings.data_dir.join("framefarm.db");
    ensure!(database.is_file(), "there is no farm in {}", settings.data_dir.display());
    let _lock = single::lock(&settings, &Clock::system())?;
    let before = std::fs::metadata(&database)?.len();
    space::rebuild_sqlite(&database).await?;
    let after = std::fs::metadata(&database)?.len();
    output::say(&format!("{}: {}, before {}", database.display(), HumanBytes(after), HumanBytes(before)))
}
