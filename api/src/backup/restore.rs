//! Restore: a backup becomes a farm that continues where it was.
//!
//! The files come first and the database last, under its name only when it is whole: a restore that was cut off leaves
//! no farm, and is begun again.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use framefarm_shared::clock::Clock;
use indicatif::ProgressBar;

use super::manifest::{DATABASE, MEDIA, Manifest};
use super::tree::Tree;
use super::verify;
use crate::app::App;
use crate::config::Settings;
use crate::db::{Db, space};
use crate::lifecycle::restored::{self, Settled};
use crate::storage;

#[derive(Clone, Debug)]
pub struct Request {
    pub backup: PathBuf,
    /// Copy files instead of hard-linking them.
    pub copy: bool,
    /// Restore over an existing farm, which is moved aside.
    pub force: bool,
}

#[derive(Debug)]
pub struct Restored {
    pub manifest: Manifest,
    pub settled: Settled,
    /// Where the farm that was here is now.
    pub put_aside: Option<PathBuf>,
    /// Stored files that the database names and that are not there.
    pub missing: Vec<String>,
}

/// The caller has the lock of the data directory.
pub async fn restore(
    settings: Settings,
    clock: Clock,
    request: &Request,
    bar: &ProgressBar,
) -> anyhow::Result<Restored> {
    let manifest = Manifest::read(&request.backup)?;
    ensure!(
        manifest.schema <= Db::newest_schema(),
        "this backup was made by version {}, whose schema is newer than this program supports; restore it with that version",
        manifest.version
    );
    bar.set_message("verifying");
    manifest.check_database(&request.backup)?;
    let variables = storage::process_variables();
    let data_dir = settings.data_dir.clone();
    let media = data_dir.join(MEDIA);
    let media = storage::open(&settings.storage_url, &media, &variables, settings.media_max_age()).await?;
    let media = media.directory().map(Path::to_owned);
    let put_aside = make_room(&data_dir, media.as_deref(), request.force, clock.now())?;

    if let Some(media) = media.clone().filter(|_| manifest.media.is_some()) {
        bar.set_message("files");
        let tree = Tree {
            from: request.backup.join(MEDIA),
            to: media,
            previous: None,
            copy: request.copy,
            bar: bar.clone(),
        };
        tokio::task::spawn_blocking(move || tree.take_over())
            .await?
            .context("cannot copy the stored files")?;
    }

    bar.set_message("database");
    let restoring = data_dir.join("framefarm.db.restoring");
    remove_database(&restoring)?;
    std::fs::copy(request.backup.join(DATABASE), &restoring).context("cannot copy the database")?;
    let damage = space::damage_of_sqlite(&restoring).await?;
    ensure!(damage.is_empty(), "the database in the backup is corrupt: {}", damage.join("; "));
    let db = Db::connect_sqlite(&restoring).await?;
    db.migrate().await.context("cannot migrate the database")?;
    let app = App::assemble(settings, clock, db, &variables).await?;
    let settled = restored::settle(&app, Some(manifest.created_at)).await?;
    let mut missing = Vec::new();
    if let Some(media) = media {
        verify::needed(&app.db, |path| missing.extend(Some(path).filter(|path| !media.join(path).is_file())))
            .await?;
    }
    // Everything is in the one file then, and its name is the last step.
    space::truncate_log(&app.db).await?;
    app.db.close().await;
    std::fs::File::open(&restoring)?.sync_all()?;
    std::fs::rename(&restoring, data_dir.join(DATABASE))?;
    std::fs::File::open(&data_dir)?.sync_all()?;
    Ok(Restored { manifest, settled, put_aside, missing })
}

/// Nothing of another farm may be mixed with this one, and nothing of it is lost.
fn make_room(
    data_dir: &Path,
    media: Option<&Path>,
    force: bool,
    now: DateTime<Utc>,
) -> anyhow::Result<Option<PathBuf>> {
    let names = [DATABASE, "framefarm.db-wal", "framefarm.db-shm", "uploads"];
    let mut there: Vec<PathBuf> = names.iter().map(|name| data_dir.join(name)).collect();
    there.extend(media.map(Path::to_owned));
    there.retain(|path| has_content(path));
    if there.is_empty() {
        return Ok(None);
    }
    if !force {
        let found: Vec<String> = there.iter().map(|path| path.display().to_string()).collect();
        bail!(
            "a farm already exists here: {}. Use another --data-dir, or --force to move it aside",
            found.join(", ")
        );
    }
    let aside = data_dir.join(format!("replaced-{}", now.format("%Y%m%dT%H%M%SZ")));
    std::fs::create_dir_all(&aside)?;
    for path in there {
        let name = path.file_name().context("a path without a name")?;
        std::fs::rename(&path, aside.join(name))
            .with_context(|| format!("cannot move {} aside", path.display()))?;
    }
    Ok(Some(aside))
}

/// A file, or a directory with a file somewhere below it.
fn has_content(path: &Path) -> bool {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().any(|entry| has_content(&entry.path())),
        Err(_) => path.exists(),
    }
}

fn remove_database(path: &Path) -> std::io::Result<()> {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
