//! Backup of a farm on one machine, while it serves and encodes.
//!
//! The database comes first, then the stored files: files that are newer than the database only lie there, the reverse
//! would be a loss. From before the first to after the last the farm removes no stored file (`facts::BACKUP_UNTIL`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use framefarm_shared::wire::event::EventKind;
use indicatif::ProgressBar;
use tokio_util::sync::CancellationToken;

use super::manifest::{DATABASE, DatabaseFile, MEDIA, Manifest, MediaFiles};
use super::tree::Tree;
use super::verify;
use crate::app::App;
use crate::db::events::Event;
use crate::db::{Db, events, key_value, restored, space};

/// The lock of an interrupted backup expires after this.
const HELD_FOR: Duration = Duration::from_mins(2);
const RENEW_EVERY: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub struct Request {
    /// Must not exist yet, or be empty.
    pub target: PathBuf,
    pub database_only: bool,
    /// Copy files instead of hard-linking them.
    pub copy: bool,
    /// An earlier backup; unchanged files are hard-linked to it.
    pub previous: Option<PathBuf>,
}

pub async fn backup(app: &App, request: &Request, bar: &ProgressBar) -> anyhow::Result<Manifest> {
    let database = app.settings.data_dir.join(DATABASE);
    let media = media_of(app, request)?;
    let unfinished = unfinished(&request.target)?;
    let hold = Hold::take(app).await?;
    let made = copy(app, request, &database, media.as_deref(), &unfinished, bar).await;
    hold.release(app).await?;
    if made.is_err() {
        clear(&unfinished)?;
    }
    let manifest = made?;
    let mut tx = app.db.begin().await?;
    let event = Event::new(EventKind::FarmBackedUp, crate::lifecycle::FARM);
    events::append(&mut tx, event, app.clock.now()).await?;
    tx.commit().await?;
    Ok(manifest)
}

/// Where the stored files are, if they are to be copied.
fn media_of(app: &App, request: &Request) -> anyhow::Result<Option<PathBuf>> {
    if request.database_only {
        return Ok(None);
    }
    if let Some(previous) = &request.previous {
        Manifest::read(previous)?;
    }
    let Some(directory) = app.storage.directory() else {
        bail!(
            "this farm stores its files in an object store: back them up there (versioning, replication), and use \
             --database-only"
        );
    };
    Ok(Some(directory.to_owned()))
}

/// The directory beside the target that becomes it in one step.
fn unfinished(target: &Path) -> anyhow::Result<PathBuf> {
    let mut name = target.file_name().context("specify a directory for the backup")?.to_owned();
    match std::fs::read_dir(target) {
        Ok(mut entries) => {
            ensure!(
                entries.next().is_none(),
                "{} is not empty: a backup needs a new or empty directory",
                target.display()
            );
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", target.display())),
    }
    name.push(".unfinished");
    Ok(target.with_file_name(name))
}

/// What a backup left that was stopped.
fn clear(unfinished: &Path) -> anyhow::Result<()> {
    match std::fs::remove_dir_all(unfinished) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", unfinished.display()))
        }
        _ => Ok(()),
    }
}

async fn copy(
    app: &App,
    request: &Request,
    database: &Path,
    media: Option<&Path>,
    unfinished: &Path,
    bar: &ProgressBar,
) -> anyhow::Result<Manifest> {
    let created_at = app.clock.now();
    clear(unfinished)?;
    std::fs::create_dir_all(unfinished).with_context(|| format!("cannot create {}", unfinished.display()))?;
    bar.set_message("database");
    let copied = unfinished.join(DATABASE);
    space::copy_sqlite(database, &copied).await.context("cannot copy the database")?;
    let damage = space::damage_of_sqlite(&copied).await?;
    ensure!(damage.is_empty(), "the database is corrupt: {}", damage.join("; "));
    let db = Db::read_sqlite(&copied).await?;
    let schema = restored::schema(&db).await?;
    let mut manifest = Manifest::new(schema, created_at, DatabaseFile::of(&copied)?);
    std::fs::File::open(&copied)?.sync_all()?;
    if let Some(media) = media {
        bar.set_message("files");
        manifest.media = Some(copy_media(request, media, unfinished, bar).await?);
        bar.set_message("verifying");
        // Another one as long as the server of the version before still runs.
        if schema == Db::newest_schema() {
            manifest.missing = check_media(&db, media, &unfinished.join(MEDIA)).await?;
        }
    }
    db.close().await;
    manifest.write(unfinished)?;
    std::fs::File::open(unfinished)?.sync_all()?;
    std::fs::rename(unfinished, &request.target)
        .with_context(|| format!("cannot rename the backup to {}", request.target.display()))?;
    let parent = request.target.parent().filter(|parent| !parent.as_os_str().is_empty());
    std::fs::File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(manifest)
}

async fn copy_media(
    request: &Request,
    media: &Path,
    unfinished: &Path,
    bar: &ProgressBar,
) -> anyhow::Result<MediaFiles> {
    let tree = Tree {
        from: media.to_owned(),
        to: unfinished.join(MEDIA),
        previous: request.previous.as_ref().map(|previous| previous.join(MEDIA)),
        copy: request.copy,
        bar: bar.clone(),
    };
    tokio::task::spawn_blocking(move || tree.take_over()).await?.context("cannot copy the stored files")
}

/// What the database names must be in the backup. What the farm itself has lost cannot be; it is written down.
async fn check_media(db: &Db, media: &Path, copied: &Path) -> anyhow::Result<Vec<String>> {
    let (mut lost, mut forgotten) = (Vec::new(), Vec::new());
    verify::needed(db, |path| {
        if !copied.join(&path).is_file() {
            if media.join(&path).is_file() { forgotten.push(path) } else { lost.push(path) }
        }
    })
    .await?;
    ensure!(forgotten.is_empty(), "files were not copied: {}", forgotten.join(", "));
    Ok(lost)
}

/// The right to have stored files kept, renewed until it is released. One backup has it at a time.
struct Hold {
    stop: CancellationToken,
    renewing: tokio::task::JoinHandle<()>,
}

impl Hold {
    async fn take(app: &App) -> anyhow::Result<Self> {
        let now = app.clock.now();
        let old = key_value::get(&app.db, key_value::BACKUP_UNTIL).await?;
        let busy = old.as_deref().and_then(key_value::parse_instant).is_some_and(|until| until > now);
        let until = key_value::format_instant(now + HELD_FOR);
        let mut tx = app.db.begin().await?;
        let mine = !busy
            && match &old {
                Some(old) => key_value::swap_if(&mut tx, key_value::BACKUP_UNTIL, old, &until).await?,
                None => key_value::set_if_unknown(&mut tx, key_value::BACKUP_UNTIL, &until).await?,
            };
        ensure!(
            mine,
            "another backup of this farm is running, or was interrupted within the last two minutes"
        );
        tx.commit().await?;
        let stop = CancellationToken::new();
        let renewing = tokio::spawn(renew(app.clone(), stop.clone()));
        Ok(Self { stop, renewing })
    }

    async fn release(self, app: &App) -> anyhow::Result<()> {
        self.stop.cancel();
        self.renewing.await?;
        set_until(app, "0").await
    }
}

async fn renew(app: App, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(RENEW_EVERY) => {}
        }
        let until = key_value::format_instant(app.clock.now() + HELD_FOR);
        if let Err(error) = set_until(&app, &until).await {
            tracing::warn!(%error, "cannot renew the lock of the backup; retrying");
        }
    }
}

async fn set_until(app: &App, until: &str) -> anyhow::Result<()> {
    let mut tx = app.db.begin().await?;
    key_value::set(&mut tx, key_value::BACKUP_UNTIL, until).await?;
    Ok(tx.commit().await?)
}
