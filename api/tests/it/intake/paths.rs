//! Files by their path: which are read, and what becomes of those that change, vanish or are hostile.

use std::os::unix::fs::symlink;

use chrono::Duration;
use framefarm_api::db::{intakes, uploads};
use framefarm_api::intake::queue::{self, Taken};
use framefarm_api::lifecycle::upload::{self, NewUpload};
use framefarm_api::on_both_engines;
use framefarm_api::services::cleaner;
use framefarm_shared::intake::IntakeState;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Site, run};

fn refusal(taken: Taken) -> String {
    match taken {
        Taken::Refused(error) => error.code.to_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn only_ordinary_files_below_an_open_folder_are_taken() {
    let site = Site::open(framefarm_api::testing::Farm::sqlite().await).await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("clip.mp4"), b"clip").unwrap();
    let elsewhere = outside.path().join("clip.mp4").to_str().unwrap().to_owned();
    site.write("a/clip.mp4", b"clip");
    site.write("empty.mp4", b"");
    symlink(&elsewhere, site.at("link.mp4")).unwrap();
    symlink("/etc", site.at("etc")).unwrap();
    mknodat(CWD, site.at("pipe.mp4"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    let data = site.farm.app.settings.data_dir.join("framefarm.db").to_str().unwrap().to_owned();
    let root = site.folder.path().to_str().unwrap().to_owned();
    for (path, code) in [
        (elsewhere.clone(), "path_not_allowed"),
        (data, "path_not_allowed"),
        ("/etc/passwd".to_owned(), "path_not_allowed"),
        ("a/clip.mp4".to_owned(), "path_not_allowed"),
        (String::new(), "path_not_allowed"),
        (root.clone(), "path_not_allowed"),
        (format!("{root}/"), "path_not_allowed"),
        (format!("{root}-other/clip.mp4"), "path_not_allowed"),
        (format!("{root}/../{}", elsewhere.trim_start_matches("/tmp/")), "path_not_allowed"),
        (format!("{root}/a/../a/clip.mp4"), "path_not_allowed"),
        (format!("{root}/link.mp4"), "path_not_allowed"),
        (format!("{root}/etc/passwd"), "not_a_file"),
        (format!("{root}/pipe.mp4"), "not_a_file"),
        (format!("{root}/a"), "not_a_file"),
        (format!("{root}/none.mp4"), "file_missing"),
        (format!("{root}/empty.mp4"), "empty_upload"),
        (format!("{root}/a\0/clip.mp4"), "bad_text"),
    ] {
        assert_eq!(refusal(site.add(&path).await), code, "{path}");
    }
    site.accepted(&format!("{root}//a/./clip.mp4")).await;
    let closed = Site::with(site.farm, |settings, _| settings.intake.intake_dirs.clear()).await;
    assert_eq!(refusal(closed.add(&format!("{root}/a/clip.mp4")).await), "path_not_allowed");
}

on_both_engines! {
    async fn a_file_that_is_swapped_for_a_link_after_it_was_named_is_not_read(farm: Farm) {
        let site = Site::open(farm).await;
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), b"secret").unwrap();
        let file = site.write("clip.mp4", b"clip");
        let folder = site.write("in/clip.mp4", b"clip");
        let (file, folder) = (site.accepted(&file).await, site.accepted(&folder).await);
        std::fs::remove_file(site.at("clip.mp4")).unwrap();
        symlink(outside.path().join("secret"), site.at("clip.mp4")).unwrap();
        std::fs::rename(site.at("in"), site.at("was")).unwrap();
        std::fs::write(outside.path().join("clip.mp4"), b"secret").unwrap();
        symlink(outside.path(), site.at("in")).unwrap();
        assert_eq!(site.run().await, [0, 0, 2]);
        assert_eq!(site.row(file).await.error_code.as_deref(), Some("path_not_allowed"));
        assert_eq!(site.row(folder).await.error_code.as_deref(), Some("not_a_file"));
    }

    async fn a_file_that_vanishes_fails_and_comes_in_when_it_is_back(farm: Farm) {
        let site = Site::open(farm).await;
        let path = site.write("clip.mp4", b"clip");
        let id = site.accepted(&path).await;
        std::fs::remove_file(&path).unwrap();
        assert_eq!(site.run().await, [0, 0, 1]);
        let row = site.row(id).await;
        assert_eq!((row.state, row.error_code.as_deref()), (IntakeState::Failed, Some("file_missing")));
        site.write("clip.mp4", b"clip again");
        queue::retry(&site.farm.app, id, "admin").await.unwrap();
        assert_eq!(queue::retry(&site.farm.app, id, "admin").await.unwrap_err().code, "intake_not_failed");
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(site.source(id).await, b"clip again");
    }

    async fn bytes_of_an_older_version_are_never_mixed_with_a_newer_one(farm: Farm) {
        let site = Site::open(farm).await;
        let path = site.write("clip.mp4", &[1; 1000]);
        let id = site.accepted(&path).await;
        half_done(&site, 400).await;
        site.write("clip.mp4", &[2; 1000]);
        site.farm.wait(Duration::seconds(61));
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(site.source(id).await, [2; 1000]);
    }

    async fn after_a_crash_in_the_middle_the_next_instance_goes_on_from_there(farm: Farm) {
        let site = Site::open(farm).await;
        let bytes: Vec<u8> = (0..1000_u32).map(|n| (n % 251) as u8).collect();
        let path = site.write("clip.mp4", &bytes);
        let id = site.accepted(&path).await;
        let upload = half_done(&site, 400).await;
        assert_eq!(site.run().await, [0, 0, 0], "its lease lasts");
        site.farm.wait(Duration::seconds(61));
        assert_eq!(site.run().await, [1, 0, 0]);
        let row = site.row(id).await;
        assert_eq!((row.upload_id, row.attempts), (Some(upload), 2), "no byte was copied twice");
        assert_eq!(site.source(id).await, bytes);
    }

    async fn after_a_crash_behind_the_last_step_nothing_is_made_twice(farm: Farm) {
        let site = Site::open(farm).await;
        let path = site.write("clip.mp4", &[7; 1000]);
        let id = site.accepted(&path).await;
        let upload = half_done(&site, 400).await;
        let rest = futures::stream::iter([Ok::<_, String>(bytes::Bytes::from(vec![7; 600]))]);
        let sealed = upload::receive(&site.farm.app, upload, 400, None, rest, "admin").await.unwrap();
        let became = sealed.became.expect("it is a video");
        // Its work is over and its upload's time, too, before anybody comes back.
        let worker = site.farm.worker("w").await;
        let job = worker.claim().await;
        worker.encode(&job, &framefarm_api::testing::a_plan()).await;
        worker.complete(&job).await.unwrap();
        site.farm.wait(Duration::days(3));
        cleaner::run_once(site.farm.app.clone()).await.unwrap();
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(site.row(id).await.video_id, Some(became.video));
        assert_eq!(site.farm.events().await.iter().filter(|event| event.kind.as_str() == "video_created").count(), 1);
    }

    async fn a_full_disk_puts_a_file_off_and_the_pause_grows(farm: Farm) {
        let site = Site::with(farm, |settings, _| settings.disk_reserve_bytes = u64::MAX / 2).await;
        let path = site.write("clip.mp4", b"clip");
        let id = site.accepted(&path).await;
        for (attempt, pause) in [(1, 30), (2, 60), (3, 120)] {
            assert_eq!(site.run().await, [0, 1, 0]);
            let row = site.row(id).await;
            assert_eq!((row.state, row.attempts, row.error_code.as_deref()), (IntakeState::Waiting, attempt, Some("disk_full")));
            assert_eq!(row.due_at - site.farm.now(), Duration::seconds(pause));
            site.farm.wait(Duration::seconds(pause));
        }
        for _ in 4..8 {
            assert_eq!(site.run().await, [0, 1, 0]);
            site.farm.wait(Duration::hours(1));
        }
        assert_eq!(site.run().await, [0, 0, 1], "the last try");
        assert_eq!(site.row(id).await.state, IntakeState::Failed);
        let site = Site { farm: site.farm.restarted(|settings| settings.disk_reserve_bytes = 0).await, ..site };
        queue::retry(&site.farm.app, id, "admin").await.unwrap();
        assert_eq!(site.run().await, [1, 0, 0]);
    }

    async fn what_is_cancelled_leaves_no_bytes_and_is_not_made(farm: Farm) {
        let site = Site::open(farm).await;
        let path = site.write("clip.mp4", &[7; 1000]);
        let id = site.accepted(&path).await;
        let upload = half_done(&site, 400).await;
        queue::cancel(&site.farm.app, id, "admin").await.unwrap();
        assert!(uploads::get(&site.farm.app.db, upload).await.unwrap().is_none());
        assert!(!site.farm.app.uploads.path(upload).exists());
        assert_eq!(queue::cancel(&site.farm.app, id, "admin").await.unwrap_err().code, "intake_ended");
        site.farm.wait(Duration::minutes(5));
        assert_eq!(run(&site.farm.app).await, [0, 0, 0]);
    }
}

/// What an instance leaves that dies with so many bytes copied: a row that is its own, and an upload.
async fn half_done(site: &Site, count: usize) -> framefarm_shared::id::UploadId {
    let app = &site.farm.app;
    let now = app.clock.now();
    let reach = intakes::Reach { urls: true, paths: true, watch: true };
    let mut tx = app.db.begin().await.unwrap();
    let row = intakes::claim_due(&mut tx, reach, now, now + Duration::seconds(60)).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    let metadata = std::fs::metadata(&row.place).unwrap();
    let facts = framefarm_api::intake::below::Facts::of(&metadata);
    let new = NewUpload { length: facts.size, metadata: String::new(), request: row.request.0.clone() };
    let upload = upload::create(app, new).await.unwrap().id;
    let mut tx = app.db.begin().await.unwrap();
    let length = i64::try_from(facts.size).unwrap();
    assert!(
        intakes::set_upload_if_held(&mut tx, row.held(), upload, length, Some(&facts.version()))
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();
    let bytes = std::fs::read(&row.place).unwrap()[..count].to_vec();
    let piece = futures::stream::iter([Ok::<_, String>(bytes::Bytes::from(bytes))]);
    upload::receive(app, upload, 0, None, piece, "admin").await.unwrap();
    upload
}
