//! `framefarm backup`: a full backup of a SQLite farm, while it runs.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use framefarm_shared::clock::Clock;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::existing::existing;
use super::output::{remark, say};
use super::{Failure, block_on, format, settings};
use crate::app::{self, App};
use crate::backup::create::{self, Request};
use crate::config::Settings;
use crate::db::Db;
use crate::storage;

/// Back up the farm on this machine to a directory; it can keep running and encoding
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm backup /backup/2026-11-17
  framefarm backup /backup/2026-11-18 --previous /backup/2026-11-17    hard-link unchanged files
  framefarm backup /backup/db-today --database-only                    back up the files separately

Run it on the farm's machine. On the same file system, files are hard-linked: that takes no space, but does
not protect against a disk failure, so use a directory on another disk. `framefarm restore` restores the farm.
For a farm on PostgreSQL, use `pg_dump`; see docs/operations.md.")]
pub(super) struct Backup {
    /// Directory to write to; must not exist, or must be empty
    #[arg(value_name = "DIR")]
    target: PathBuf,

    /// Skip the stored files
    #[arg(long)]
    database_only: bool,

    /// Copy files even where a hard link would do
    #[arg(long)]
    copy: bool,

    /// Earlier backup on the same disk as the new one; unchanged files are hard-linked to it
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
        "this farm uses PostgreSQL: back up the database with `pg_dump -Fc --file framefarm.dump \
         DATABASE_URL`, then the files. To restore, run pg_restore, then `framefarm restore --after-dump`. \
         See docs/operations.md"
    );
    let settings = existing(settings)?;
    let db = app::connect(&settings).await?;
    let app = App::assemble(settings, Clock::system(), db, &storage::process_variables()).await?;
    let bar = bar();
    let manifest = create::backup(&app, &request, &bar).await;
    bar.finish_and_clear();
    app.db.close().await;
    let manifest = manifest?;
    let size = manifest.database.bytes;
    match manifest.media {
        Some(media) => say(&format!(
            "{}: database {}, {} files, {} ({} hard-linked)",
            request.target.display(),
            HumanBytes(size),
            media.files,
            HumanBytes(media.bytes),
            media.linked
        ))?,
        None => say(&format!("{}: database {}, no files", request.target.display(), HumanBytes(size)))?,
    }
    warn_of_missing(&manifest.missing, "already missing from the farm");
    if manifest.media.is_some() && manifest.schema != Db::newest_schema() {
        remark(
            "warning: the farm's database is of another version: everything was copied, but it was not verified that \
             all stored files are there; back up again after the server was upgraded",
        );
    }
    Ok(())
}

pub(super) fn warn_of_missing(missing: &[String], when: &str) {
    if let Some(first) = missing.first() {
        let files = format::count(i64::try_from(missing.len()).unwrap_or(i64::MAX), "file");
        remark(&format!("warning: the database refers to {files} {when}; the first is {first}"));
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
