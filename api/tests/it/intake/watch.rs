//! The watch folder: what is taken, when, and what becomes of the file.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use chrono::Duration;
use framefarm_api::app::App;
use framefarm_api::config::WatchAfter;
use framefarm_api::db::intakes;
use framefarm_api::intake::{queue, watch};
use framefarm_api::on_both_engines;
use framefarm_api::testing::{Farm, TestDatabase, settings};
use framefarm_shared::clock::Clock;
use framefarm_shared::intake::IntakeState;

use super::{Site, run};

async fn watched(farm: Farm, after: WatchAfter) -> Site {
    Site::with(farm, |settings, folder| {
        std::fs::create_dir(folder.join("in")).unwrap();
        settings.watch.watch_dir = Some(folder.join("in"));
        settings.watch.watch_after = after;
    })
    .await
}

/// Taken, put away.
async fn look(site: &Site) -> [u64; 2] {
    let counts = watch::run_once(site.farm.app.clone()).await.unwrap();
    [counts[0].1, counts[1].1]
}

/// Two looks, with the time between them that makes a file one at rest.
async fn look_twice(site: &Site) -> [u64; 2] {
    look(site).await;
    site.farm.wait(Duration::seconds(10));
    look(site).await
}

async fn rows(site: &Site) -> Vec<intakes::IntakeRow> {
    let mut rows = intakes::list(&site.farm.app.db, None, None, 100).await.unwrap();
    rows.sort_by(|a, b| a.place.cmp(&b.place));
    rows
}

fn names(folder: PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

on_both_engines! {
    async fn a_file_becomes_a_video_of_the_collection_that_its_folder_names(farm: Farm) {
        let site = watched(farm, WatchAfter::Move).await;
        site.write("in/plain.mp4", b"one");
        site.write("in/News/a.MOV", b"two");
        site.write("in/News/2026/b.mkv", b"three");
        assert_eq!(look_twice(&site).await, [3, 0]);
        assert_eq!(look(&site).await, [0, 0]);
        assert_eq!(site.run().await, [3, 0, 0]);
        let mut told = Vec::new();
        for row in rows(&site).await {
            let video = site.farm.video(row.video_id.unwrap()).await;
            told.push((row.place, video.title, video.collection_id.is_some()));
        }
        assert_eq!(told, [
            ("News/2026/b.mkv".to_owned(), "b".to_owned(), true), ("News/a.MOV".to_owned(), "a".to_owned(), true),
            ("plain.mp4".to_owned(), "plain".to_owned(), false),
        ]);
        let collections = framefarm_api::db::collections::all(&site.farm.app.db).await.unwrap();
        assert_eq!(collections.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["News"]);
        assert_eq!(look(&site).await, [0, 3]);
        assert_eq!(names(site.at("in/.done")), ["News", "plain.mp4"]);
        assert!(site.at("in/.done/News/2026/b.mkv").is_file());
        assert_eq!(names(site.at("in")), [".done", ".failed", "News"]);
    }

    async fn a_file_is_taken_only_when_it_is_at_rest(farm: Farm) {
        let site = watched(farm, WatchAfter::Move).await;
        for size in 1..4 {
            site.write("in/clip.mp4", &vec![7; size * 100]);
            assert_eq!(look(&site).await, [0, 0], "it grows");
            site.farm.wait(Duration::seconds(9));
        }
        assert_eq!(look(&site).await, [0, 0], "not long enough");
        site.farm.wait(Duration::seconds(1));
        assert_eq!(look(&site).await, [1, 0]);
        assert_eq!(rows(&site).await[0].size, Some(300));
    }

    async fn hidden_partial_and_other_files_are_left_alone(farm: Farm) {
        let site = watched(farm, WatchAfter::Move).await;
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.mp4"), b"secret").unwrap();
        for name in [".hidden.mp4", "a.mp4.part", "b.mp4.tmp", "c.mp4~", "d.mp4.crdownload", "e.txt", "mp4", ".mp4", "~f.mp4",
            ".folder/g.mp4", ".done/h.mp4"] {
            site.write(&format!("in/{name}"), b"clip");
        }
        symlink(outside.path().join("secret.mp4"), site.at("in/link.mp4")).unwrap();
        symlink(outside.path(), site.at("in/folder")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, site.at("in/pipe.mp4"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        std::fs::create_dir(site.at("in/folder.mp4")).unwrap();
        assert_eq!(look_twice(&site).await, [0, 0]);
        assert!(!site.farm.app.watch.expects());
    }

    async fn what_fails_is_moved_aside_with_the_reason_beside_it(farm: Farm) {
        let site = watched(farm, WatchAfter::Delete).await;
        site.write("in/empty.mp4", b"");
        site.write("in/good.mp4", b"clip");
        assert_eq!(look_twice(&site).await, [2, 0]);
        assert_eq!(site.run().await, [1, 0, 1]);
        assert_eq!(look(&site).await, [0, 2]);
        assert_eq!(names(site.at("in")), [".failed"]);
        assert_eq!(names(site.at("in/.failed")), ["empty.mp4", "empty.mp4.txt"]);
        let why = std::fs::read_to_string(site.at("in/.failed/empty.mp4.txt")).unwrap();
        assert_eq!(why, "The file is empty; there is nothing to encode.\n");
        let failed = rows(&site).await.remove(0);
        let moved = queue::retry(&site.farm.app, failed.id, "admin").await.unwrap_err();
        assert_eq!(moved.code, "file_moved");
        // Put back, it is taken anew; the one that failed before keeps its place.
        std::fs::rename(site.at("in/.failed/empty.mp4"), site.at("in/empty.mp4")).unwrap();
        assert_eq!(look_twice(&site).await, [1, 0]);
        assert_eq!(site.run().await, [0, 0, 1]);
        site.write("in/.failed/empty.mp4", b"an older one");
        assert_eq!(look(&site).await, [0, 1]);
        assert_eq!(names(site.at("in/.failed")), ["empty (2).mp4", "empty (2).mp4.txt", "empty.mp4", "empty.mp4.txt"]);
    }

    async fn what_is_kept_is_remembered_over_a_restart(farm: Farm) {
        let site = watched(farm, WatchAfter::Keep).await;
        site.write("in/clip.mp4", b"clip");
        assert_eq!(look_twice(&site).await, [1, 0]);
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(names(site.at("in")), ["clip.mp4"]);
        let site = Site { farm: site.farm.restarted(|_| {}).await, ..site };
        assert_eq!(look_twice(&site).await, [0, 0]);
        site.farm.wait(Duration::days(90));
        framefarm_api::services::cleaner::run_once(site.farm.app.clone()).await.unwrap();
        assert_eq!(look_twice(&site).await, [0, 0], "also when its intake is history");
        site.write("in/clip.mp4", b"another clip");
        assert_eq!(look_twice(&site).await, [1, 0]);
        assert_eq!(site.run().await, [1, 0, 0]);
    }

    async fn a_crash_between_the_end_and_the_move_is_made_up_for(farm: Farm) {
        let site = watched(farm, WatchAfter::Move).await;
        site.write("in/clip.mp4", b"clip");
        look_twice(&site).await;
        assert_eq!(site.run().await, [1, 0, 0]);
        // Another process, which has seen nothing.
        let site = Site { farm: site.farm.restarted(|_| {}).await, ..site };
        assert_eq!(look(&site).await, [0, 1]);
        assert!(site.at("in/.done/clip.mp4").is_file());
        site.farm.wait(Duration::seconds(10));
        assert_eq!(look(&site).await, [0, 0]);
        assert_eq!(rows(&site).await.len(), 1);
    }

    async fn a_file_that_changes_after_it_was_taken_is_taken_anew(farm: Farm) {
        let site = watched(farm, WatchAfter::Move).await;
        site.write("in/clip.mp4", b"clip");
        look_twice(&site).await;
        site.write("in/clip.mp4", b"a longer clip");
        assert_eq!(look_twice(&site).await, [0, 0], "the old one is on its way");
        assert_eq!(site.run().await, [0, 0, 1]);
        assert_eq!(rows(&site).await[0].error_code.as_deref(), Some("file_changed"));
        assert_eq!(look_twice(&site).await, [1, 0]);
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(look(&site).await, [0, 1]);
        let stored = std::fs::read(site.at("in/.done/clip.mp4")).unwrap();
        assert_eq!(stored, b"a longer clip");
    }

    async fn a_new_file_in_the_place_of_one_that_is_done_is_not_put_away_for_it(farm: Farm) {
        let site = watched(farm, WatchAfter::Delete).await;
        site.write("in/clip.mp4", b"clip");
        look_twice(&site).await;
        assert_eq!(site.run().await, [1, 0, 0]);
        site.write("in/clip.mp4", b"a longer clip");
        assert_eq!(look(&site).await, [0, 0]);
        assert!(site.at("in/clip.mp4").is_file(), "nobody has read it yet");
        site.farm.wait(Duration::seconds(10));
        assert_eq!(look(&site).await, [1, 0]);
    }

    async fn a_drawer_that_is_a_link_leads_no_file_astray(farm: Farm) {
        let site = watched(farm, WatchAfter::Move).await;
        let outside = tempfile::tempdir().unwrap();
        site.write("in/clip.mp4", b"clip");
        look_twice(&site).await;
        site.run().await;
        std::fs::remove_dir(site.at("in/.done")).unwrap();
        symlink(outside.path(), site.at("in/.done")).unwrap();
        assert_eq!(look(&site).await, [0, 0]);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        assert!(site.at("in/clip.mp4").is_file());
        std::fs::remove_file(site.at("in/.done")).unwrap();
        assert_eq!(look(&site).await, [0, 1]);
    }

    async fn a_cancelled_file_is_moved_aside(farm: Farm) {
        let site = watched(farm, WatchAfter::Move).await;
        site.write("in/clip.mp4", b"clip");
        look_twice(&site).await;
        queue::cancel(&site.farm.app, rows(&site).await[0].id, "admin").await.unwrap();
        assert_eq!(look(&site).await, [0, 1]);
        assert_eq!(names(site.at("in/.failed")), ["clip.mp4", "clip.mp4.txt"]);
        assert_eq!(run(&site.farm.app).await, [0, 0, 0]);
        assert_eq!(rows(&site).await[0].state, IntakeState::Cancelled);
    }

    async fn a_folder_that_is_away_for_a_while_is_not_taken_again(farm: Farm) {
        let site = watched(farm, WatchAfter::Keep).await;
        site.write("in/clip.mp4", b"clip");
        look_twice(&site).await;
        assert_eq!(site.run().await, [1, 0, 0]);
        std::fs::rename(site.at("in"), site.at("away")).unwrap();
        assert_eq!(look_twice(&site).await, [0, 0]);
        std::fs::rename(site.at("away"), site.at("in")).unwrap();
        assert_eq!(look_twice(&site).await, [0, 0]);
    }
}

/// Why a start is refused.
async fn refused(change: impl FnOnce(&mut framefarm_api::config::Settings)) -> String {
    let database = TestDatabase::sqlite();
    let mut settings = settings(&database);
    change(&mut settings);
    match App::start(settings, Clock::system()).await {
        Ok(_) => panic!("it starts"),
        Err(error) => format!("{error:#}"),
    }
}

#[tokio::test]
async fn a_folder_that_cannot_do_what_is_asked_is_refused_at_the_start() {
    let missing = refused(|settings| settings.watch.watch_dir = Some("/nowhere/at/all".into())).await;
    assert!(missing.contains("folder not found"), "{missing}");
    // Nobody makes a folder there, not even root.
    let read_only = |after| {
        move |settings: &mut framefarm_api::config::Settings| {
            settings.watch.watch_dir = Some("/proc/self/fdinfo".into());
            settings.watch.watch_after = after;
        }
    };
    for (after, word) in
        [(WatchAfter::Move, "watch_after = move"), (WatchAfter::Delete, "watch_after = delete")]
    {
        let error = refused(read_only(after)).await;
        assert!(error.contains(word) && error.contains("watch_after = keep"), "{error}");
    }
    let database = TestDatabase::sqlite();
    let mut settings = settings(&database);
    read_only(WatchAfter::Keep)(&mut settings);
    assert!(App::start(settings, Clock::system()).await.is_ok(), "to look is enough there");
}

#[tokio::test]
async fn a_change_in_the_folder_wakes_the_watcher() {
    let site = watched(Farm::sqlite().await, WatchAfter::Keep).await;
    let _listening = watch::listen(&site.farm.app).expect("the system tells of changes");
    let woken = async {
        tokio::time::timeout(std::time::Duration::from_secs(10), site.farm.app.watch.woken())
            .await
            .expect("nobody told");
    };
    std::fs::write(site.at("in/clip.mp4"), b"clip").unwrap();
    woken.await;
}
