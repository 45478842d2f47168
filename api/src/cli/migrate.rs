//! `framefarm migrate`.

use clap::Args;
use framefarm_shared::clock::Clock;

use super::{Failure, block_on, settings, single};
use crate::app;
use crate::config::Settings;

/// Migrate the database to this version and exit (`serve` does this too)
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm migrate --data-dir /var/lib/framefarm
  framefarm migrate --database-url postgres://framefarm@db/framefarm")]
pub(super) struct Migrate {
    #[command(flatten)]
    settings: Settings,
}

impl Migrate {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = settings::checked(self.settings)?;
        let is_new = settings.uses_sqlite() && !settings.data_dir.join("framefarm.db").exists();
        let lock = single::lock(&settings, &Clock::system())?;
        block_on(async {
            let db = app::connect(&settings).await?;
            db.migrate().await?;
            if is_new {
                println!("Created a new farm in {}.", settings.data_dir.display());
            }
            println!("The {} database is up to date.", db.name());
            db.close().await;
            Ok(())
        })?;
        drop(lock);
        Ok(())
    }
}
