//! Backups of a farm that runs, and farms made of them.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use chrono::Duration;
use framefarm_api::backup::create::{self, Request};
use framefarm_api::backup::{Manifest, restore};
use framefarm_api::config::Settings;
use framefarm_api::db::key_value;
use framefarm_api::testing::{Farm, TestDatabase, TestWorker, a_plan, settings};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;
use indicatif::ProgressBar;
use tempfile::TempDir;

use super::{a_ready_video, store_source};

/// A farm with a video that plays and one in the middle of its work, and a place for backups.
struct Scene {
    farm: Farm,
    worker: TestWorker,
    ready: VideoId,
    working: VideoId,
    place: TempDir,
}

impl Scene {
    async fn open() -> Self {
        let farm = Farm::sqlite().await;
        let worker = farm.worker("w1").await;
        let ready = a_ready_video(&farm, &worker, "ready").await;
        let working = farm.upload("in the works").await.video.id;
        store_source(&farm, working).await;
        let job = worker.claim().await;
        worker.plan(&job, a_plan()).await.unwrap();
        worker.deliver(&job, &a_plan(), "360p", 0..=1).await.unwrap();
        let place = tempfile::tempdir_in(farm.database.data_dir()).unwrap();
        Self { farm, worker, ready, working, place }
    }

    fn request(&self, name: &str) -> Request {
        Request { target: self.place.path().join(name), database_only: false, copy: false, previous: None }
    }

    async fn backup(&self, request: &Request) -> anyhow::Result<Manifest> {
        create::backup(&self.farm.app, request, &ProgressBar::hidden()).await
    }

    /// What a refused backup says; nothing of it stays.
    async fn refused(&self, request: &Request) -> String {
        let before = names(self.place.path());
        let error = format!("{:#}", self.backup(request).await.unwrap_err());
        assert_eq!(names(self.place.path()), before, "{error}");
        error
    }

    fn media(&self) -> PathBuf {
        self.farm.database.data_dir().join("media")
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Every file below a directory with its content.
fn contents(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut all, mut open) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                all.push((path.strip_prefix(directory).unwrap().to_owned(), std::fs::read(&path).unwrap()));
            }
        }
    }
    all.sort_unstable();
    all
}

async fn restored(
    context: &Scene,
    name: &str,
    database: &TestDatabase,
    force: bool,
) -> anyhow::Result<restore::Restored> {
    let request = restore::Request { backup: context.place.path().join(name), copy: false, force };
    let settings: Settings = settings(database);
    restore::restore(settings, context.farm.clock.clone(), &request, &ProgressBar::hidden()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_becomes_a_farm_that_goes_on_where_it_was() {
    let context = Scene::open().await;
    let manifest = context.backup(&context.request("one")).await.unwrap();
    assert_eq!(manifest, Manifest::read(&context.place.path().join("one")).unwrap());
    let media = manifest.media.unwrap();
    assert!(manifest.missing.is_empty() && media.linked == media.files && media.files > 20, "{manifest:?}");
    assert_eq!(contents(&context.place.path().join("one/media")), contents(&context.media()));
    let told = context.farm.events().await;
    assert_eq!(told.last().unwrap().kind, EventKind::FarmBackedUp);

    let database = TestDatabase::sqlite();
    let done = restored(&context, "one", &database, false).await.unwrap();
    assert!(done.missing.is_empty() && done.put_aside.is_none());
    assert_eq!((done.settled.jobs_released, done.settled.uploads_dropped), (1, 0));
    context.farm.wait(Duration::seconds(11));
    let old = context.worker;
    let farm = Farm { clock: context.farm.clock.clone(), ..Farm::on(database, |_| {}).await };
    let app = framefarm_api::app::App::start(farm.app.settings.clone(), farm.clock.clone()).await.unwrap();
    let farm = Farm { app, ..farm };
    let job =
        farm.job(framefarm_api::db::job::of_video(&farm.app.db, context.working).await.unwrap()[0].id).await;
    assert_eq!(
        (job.status, job.attempt_number, job.lost_count, job.failure_count),
        (JobStatus::Pending, 0, 0, 0)
    );
    framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
    let worker = old.at(&farm.app);
    worker.beat(&[]).await.unwrap();
    let again = worker.claim().await;
    let delivered = again.qualities.iter().find(|quality| quality.quality.name == "360p").unwrap();
    assert_eq!(delivered.have.len(), 1, "what was delivered counts: {delivered:?}");
    worker.encode(&again, &a_plan()).await;
    worker.complete(&again).await.unwrap();
    for video in [context.ready, context.working] {
        assert_eq!(farm.video(video).await.status, VideoStatus::Ready);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_backup_on_another_disk_links_what_did_not_change() {
    let context = Scene::open().await;
    context.backup(&Request { copy: true, ..context.request("one") }).await.unwrap();
    let source = ObjectKey::Source { video: context.ready }.path();
    let inode = |path: PathBuf| std::fs::metadata(path).unwrap().ino();
    let one = inode(context.place.path().join("one/media").join(&source));
    assert_ne!(one, inode(context.media().join(&source)), "a copy");
    // A file system of its own, as far as second names go.
    let other = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let first = Request { target: other.path().join("first"), ..context.request("") };
    let apart = context.backup(&first).await.unwrap().media.unwrap().linked == 0;
    a_ready_video(&context.farm, &context.worker, "new").await;
    let second = Request {
        target: other.path().join("second"),
        previous: Some(first.target.clone()),
        ..first.clone()
    };
    let media = context.backup(&second).await.unwrap().media.unwrap();
    assert!(media.linked > 20, "{media:?}");
    if apart {
        assert!(media.linked < media.files, "what is new is copied: {media:?}");
        let same = |name: &str| inode(other.path().join(name).join("media").join(&source));
        assert_eq!(same("first"), same("second"));
    }
    assert_eq!(contents(&second.target.join("media")), contents(&context.media()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_half_backup_is_never_there_under_its_name() {
    let context = Scene::open().await;
    std::fs::create_dir(context.place.path().join("full")).unwrap();
    std::fs::write(context.place.path().join("full/notes"), "mine").unwrap();
    assert!(context.refused(&context.request("full")).await.contains("is not empty"));
    std::fs::create_dir(context.place.path().join("empty")).unwrap();
    context.backup(&context.request("empty")).await.unwrap();
    // What a killed one left.
    std::fs::create_dir_all(context.place.path().join("next.unfinished/media")).unwrap();
    assert!(Manifest::read(&context.place.path().join("next.unfinished")).is_err());
    context.backup(&context.request("next")).await.unwrap();
    assert_eq!(names(context.place.path()), ["empty", "full", "next"]);
    // Something in the way of the last step.
    let file = Request { target: context.place.path().join("full/notes"), ..context.request("") };
    assert!(context.refused(&file).await.contains("cannot read"));
    let previous = Some(context.place.path().join("full"));
    let wrong = context.refused(&Request { previous, ..context.request("wrong") }).await;
    assert!(wrong.contains("is not a complete backup"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_backup_runs_at_a_time_and_one_that_was_killed_is_forgotten() {
    let context = Scene::open().await;
    let mut tx = context.farm.app.db.begin().await.unwrap();
    let until = key_value::format_instant(context.farm.now() + Duration::minutes(2));
    key_value::set(&mut tx, key_value::BACKUP_UNTIL, &until).await.unwrap();
    tx.commit().await.unwrap();
    let error = context.refused(&context.request("one")).await;
    assert!(error.contains("another backup of this farm is running"), "{error}");
    context.farm.wait(Duration::minutes(2));
    context.backup(&context.request("one")).await.unwrap();
    let until = key_value::get(&context.farm.app.db, key_value::BACKUP_UNTIL).await.unwrap();
    assert_eq!(until.as_deref(), Some("0"), "files may be removed again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_farm_has_lost_itself_is_written_down() {
    let context = Scene::open().await;
    let lost = ObjectKey::Source { video: context.working }.path();
    std::fs::remove_file(context.media().join(&lost)).unwrap();
    let manifest = context.backup(&context.request("one")).await.unwrap();
    assert_eq!(manifest.missing, std::slice::from_ref(&lost));
    let done = restored(&context, "one", &TestDatabase::sqlite(), false).await.unwrap();
    assert_eq!(done.missing, [lost]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_farm_that_is_not_migrated_yet_is_backed_up_and_migrated_when_it_is_restored() {
    let context = Scene::open().await;
    context.farm.sql("ALTER TABLE video DROP COLUMN cancelled").await;
    context.farm.sql("DELETE FROM _sqlx_migrations WHERE version >= 17").await;
    let manifest = context.backup(&context.request("one")).await.unwrap();
    assert_eq!((manifest.schema, manifest.missing.len()), (16, 0));
    let done = restored(&context, "one", &TestDatabase::sqlite(), false).await.unwrap();
    assert!(done.missing.is_empty(), "{:?}", done.missing);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_was_changed_is_not_restored() {
    let context = Scene::open().await;
    context.backup(&context.request("one")).await.unwrap();
    let one = context.place.path().join("one");
    let error = async || {
        let database = TestDatabase::sqlite();
        let error = restored(&context, "one", &database, false).await.unwrap_err();
        assert!(!database.data_dir().join("framefarm.db").exists());
        format!("{error:#}")
    };
    let (manifest, database) = (one.join("manifest.json"), one.join("framefarm.db"));
    let (text, bytes) = (std::fs::read_to_string(&manifest).unwrap(), std::fs::read(&database).unwrap());
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    std::fs::write(&database, changed).unwrap();
    assert!(error().await.contains("does not match the manifest"));
    std::fs::write(&database, &bytes).unwrap();
    let newer: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (field, value, words) in [("schema", 9_999, "schema is newer"), ("format", 2, "has format 2")] {
        let mut other = newer.clone();
        other[field] = value.into();
        std::fs::write(&manifest, other.to_string()).unwrap();
        let error = error().await;
        assert!(error.contains(words), "{error}");
    }
    std::fs::remove_file(&manifest).unwrap();
    assert!(error().await.contains("is not a complete backup"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_farm_that_is_there_is_put_aside_only_by_force() {
    let context = Scene::open().await;
    context.backup(&context.request("one")).await.unwrap();
    let other = Farm::sqlite().await;
    other.upload("of the other farm").await;
    other.app.db.close().await;
    let (data, before) =
        (other.database.data_dir(), std::fs::read(other.database.data_dir().join("framefarm.db")).unwrap());
    let error = restored(&context, "one", &other.database, false).await.unwrap_err().to_string();
    assert!(error.contains("a farm already exists here") && error.contains("--force"), "{error}");
    assert_eq!(std::fs::read(data.join("framefarm.db")).unwrap(), before);
    let done = restored(&context, "one", &other.database, true).await.unwrap();
    assert_eq!(std::fs::read(done.put_aside.unwrap().join("framefarm.db")).unwrap(), before);
    assert_ne!(std::fs::read(data.join("framefarm.db")).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_database_where_the_files_are_kept_in_another_way() {
    let context = Scene::open().await;
    let manifest = context.backup(&Request { database_only: true, ..context.request("one") }).await.unwrap();
    assert_eq!(
        (manifest.media, names(&context.place.path().join("one"))),
        (None, vec!["framefarm.db".to_owned(), "manifest.json".to_owned()])
    );
    let database = TestDatabase::sqlite();
    let done = restored(&context, "one", &database, false).await.unwrap();
    assert!(done.missing.len() > 20, "{:?}", done.missing);
}
