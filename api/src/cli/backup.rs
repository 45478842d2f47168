//! `framefarm backup`: a whole copy of a farm on SQLite, while it runs.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use framefarm_shared::clock::Clock;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::output::{remark, say};
use super::{Failure, block_on, settings};
use crate::app::{self, App};
use crate::config::Settings;
use crate::keeping::backup::{self, Request};
use crate::storage;

/// Copy the farm of this machine to a directory; it may run and encode meanwhile
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm backup /backup/2026-11-17
  framefarm backup /backup/2026-11-18 --previous /backup/2026-11-17      on another disk: unchanged files are linked
  framefarm backup /backup/db-today --database-only                     the files are kept in another way

It runs on the farm's machine. On one file system files are linked, which takes no room and is no copy if that disk
dies: name a directory on another disk. `framefarm restore` makes a farm of it again.
A farm on PostgreSQL is backed up by `pg_dump`; docs/operations.md says how.")]
pub(super) struct Backup {
    /// Directory to write to; must not be there yet, or be empty
    #[arg(value_name = "DIR")]
    target: PathBuf,

    /// Leave the stored files out
    #[arg(long)]
    database_only: bool,

    /// Copy files also where a second name of the same file would do
    #[arg(long)]
    copy: bool,

    /// An earlier backup on the same disk as the new one: files that it has are linked
    #[arg(long, value_name = "DIR")]
    previous: Option<PathBuf>,

    #[command(flatten)]
    settings: Settings,
}

impl Backup {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = settings::checked(self.settings)?;
        let Self { target, database_only, copy, previous, .. } = self;
        block_on(run(settings, Request { target, database_only, copy, previous }))
    }
}

async fn run(settings: Settings, request: Request) -> anyhow::Result<()> {
    ensure!(
        settings.uses_sqlite(),
        "this farm is on PostgreSQL: back its database up with `pg_dump -Fc --file framefarm.dump DATABASE_URL`, then its \
         files. To restore: pg_restore, then `framefarm restore --after-dump`. See docs/operations.md"
    );
    let database = settings.data_dir.join("framefarm.db");
    ensure!(database.is_file(), "there is no farm in {}", settings.data_dir.display());
    let db = app::connect(&settings).await?;
    let app = App::assemble(settings, Clock::system(), db, &storage::process_variables()).await?;
    let bar = bar();
    let manifest = backup::backup(&app, &request, &bar).await;
    bar.finish_and_clear();
    app.db.close().await;
    let manifest = manifest?;
    let size = manifest.database.bytes;
    match manifest.media {
        Some(media) => say(&format!(
            "{}: database {}, {} files of {} ({} linked)",
            request.target.display(),
            HumanBytes(size),
            media.files,
            HumanBytes(media.bytes),
            media.linked
        ))?,
        None => say(&format!("{}: database {}, no files", request.target.display(), HumanBytes(size)))?,
    }
    warn_of_missing(&manifest.missing, "the farm had lost before");
    Ok(())
}

pub(super) fn warn_of_missing(missing: &[String], when: &str) {
    if let Some(first) = missing.first() {
        let count = missing.len();
        remark(&format!("warning: {count} files that the database names {when}, the first is {first}"));
    }
}

/// Hidden where no terminal is.
pub(super) fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {bytes} {bytes_per_sec} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
