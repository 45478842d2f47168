//! An accepted upload is never lost, wherever the process ends.

use chrono::Duration;
use framefarm_api::db::uploads::Advance;
use framefarm_api::db::{uploads, videos};
use framefarm_api::services::cleaner;
use framefarm_shared::id::{UploadId, VideoId};
use framefarm_shared::object_key::ObjectKey;
use sha2::{Digest as _, Sha256};

use super::{append, begin, create, head, offset, source_of};
use crate::served::Served;

const BYTES: &[u8] = b"0123456789";

/// Counts the last byte and ends before the upload is sealed.
async fn whole_but_not_sealed(farm: &Served) -> (String, UploadId) {
    let url = begin(farm, BYTES.len()).await;
    append(farm, &url, 0, &BYTES[..4]).await;
    let id: UploadId = url.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id");
    let mut writer = farm.app.uploads.writer(id, 4).await.expect("a file");
    writer.write(&BYTES[4..]).await.expect("written");
    writer.sync().await.expect("synced");
    let mut tx = farm.db().begin().await.expect("a transaction");
    let expires = farm.app.clock.now() + Duration::hours(1);
    let row = uploads::take_if_open(&mut tx, id).await.expect("a database").expect("an upload");
    let (turn, from, to) = (row.turn, 4, 10);
    let new = Advance { id, turn, from, to, expires_at: expires, rest_turn: None, digest: None };
    assert!(uploads::advance_if_at(&mut tx, &new).await.expect("counted"));
    tx.commit().await.expect("counted");
    (url, id)
}

async fn run_cleaner(farm: &Served) -> Vec<(&'static str, u64)> {
    let counts = cleaner::run_once(farm.app.clone()).await.expect("a run");
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

#[tokio::test]
async fn a_whole_upload_is_sealed_when_its_client_asks() {
    let farm = Served::new().await;
    let (url, _) = whole_but_not_sealed(&farm).await;
    let farm = farm.after_a_crash().await;
    let answer = head(&farm, &url).await;
    assert_eq!(answer.header("upload-offset"), "10");
    assert_eq!(source_of(&farm, &answer).await, BYTES);
    let again = head(&farm, &url).await;
    assert_eq!(again.header("framefarm-video-id"), answer.header("framefarm-video-id"));
    assert_eq!(again.header("framefarm-job-id"), answer.header("framefarm-job-id"));
}

#[tokio::test]
async fn an_empty_piece_at_the_end_seals_too() {
    let farm = Served::new().await;
    let (url, _) = whole_but_not_sealed(&farm).await;
    let farm = farm.after_a_crash().await;
    let answer = append(&farm, &url, 10, b"").await;
    assert_eq!(answer.status, 204);
    assert_eq!(source_of(&farm, &answer).await, BYTES);
}

#[tokio::test]
async fn a_whole_upload_is_sealed_by_itself_even_after_its_time() {
    let farm = Served::new().await;
    let (url, id) = whole_but_not_sealed(&farm).await;
    let farm = farm.after_a_crash().await;
    assert_eq!(run_cleaner(&farm).await, [("uploads_sealed", 1)]);
    let answer = head(&farm, &url).await;
    assert_eq!(source_of(&farm, &answer).await, BYTES);
    assert!(!farm.app.uploads.path(id).exists(), "the video alone has the bytes now");
    assert_eq!(run_cleaner(&farm).await, []);
}

#[tokio::test]
async fn an_api_that_was_away_for_days_seals_before_it_expires() {
    let farm = Served::new().await;
    whole_but_not_sealed(&farm).await;
    farm.app.clock.advance(Duration::days(3));
    let farm = farm.after_a_crash().await;
    run_cleaner(&farm).await;
    let sources = farm.files("media/sources");
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert_eq!(std::fs::read(farm.path().join(&sources[0])).expect("a source"), BYTES);
}

#[tokio::test]
async fn a_crash_between_the_object_and_the_commit_loses_nothing() {
    let farm = Served::new().await;
    let (url, id) = whole_but_not_sealed(&farm).await;
    let orphan = ObjectKey::Source { video: VideoId::new(&farm.app.clock) };
    farm.app.storage.link(&farm.app.uploads.path(id), &orphan).await.expect("linked");
    let farm = farm.after_a_crash().await;
    let answer = head(&farm, &url).await;
    assert_eq!(source_of(&farm, &answer).await, BYTES);
    assert_eq!(farm.files("media/sources").len(), 2);

    run_cleaner(&farm).await;
    assert_eq!(farm.files("media/sources").len(), 2, "what is young may be about to be referred to");
    farm.app.clock.advance(Duration::hours(25));
    run_cleaner(&farm).await;
    assert_eq!(farm.files("media/sources").len(), 1);
    assert_eq!(source_of(&farm, &answer).await, BYTES, "the name that is referred to stays");
}

#[tokio::test]
async fn a_failing_transaction_leaves_an_upload_that_can_be_sealed() {
    for table in ["job", "video", "upload"] {
        let farm = Served::new().await;
        let (url, id) = whole_but_not_sealed(&farm).await;
        farm.break_table(table).await;
        assert_eq!(append(&farm, &url, 10, b"").await.status, 500);
        assert_eq!(farm.files("media/sources"), Vec::<String>::new(), "{table}: the object was taken back");
        assert!(farm.app.uploads.path(id).exists(), "{table}: the bytes are still here");
        farm.mend_table(table).await;
        let answer = append(&farm, &url, 10, b"").await;
        assert_eq!(source_of(&farm, &answer).await, BYTES);
    }
}

#[tokio::test]
async fn a_link_made_from_an_old_file_is_not_taken_for_an_orphan() {
    let farm = Served::new().await;
    let (_, id) = whole_but_not_sealed(&farm).await;
    let file = std::fs::File::options().write(true).open(farm.app.uploads.path(id)).expect("a file");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("an old file");
    let key = ObjectKey::Source { video: VideoId::new(&farm.app.clock) };
    farm.app.storage.link(&farm.app.uploads.path(id), &key).await.expect("linked");
    let written = farm.app.storage.head(&key).await.expect("an object").last_modified;
    assert!(farm.app.clock.now() - written < Duration::minutes(5), "{written}");
}

#[tokio::test]
async fn a_crash_between_the_commit_and_the_clean_up_leaves_a_video() {
    let farm = Served::new().await;
    let url = begin(&farm, BYTES.len()).await;
    let answer = append(&farm, &url, 0, BYTES).await;
    let id: UploadId = url.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id");
    std::fs::write(farm.app.uploads.path(id), BYTES).expect("the staging file is still there");
    let farm = farm.after_a_crash().await;
    assert_eq!(head(&farm, &url).await.header("framefarm-video-id"), answer.header("framefarm-video-id"));
    farm.app.clock.advance(Duration::hours(25));
    run_cleaner(&farm).await;
    assert_eq!(farm.files("uploads"), Vec::<String>::new());
    assert_eq!(source_of(&farm, &answer).await, BYTES);
}

#[tokio::test]
async fn what_cannot_be_queued_is_kept_and_queued_later() {
    let farm = Served::new().await;
    farm.upload(BYTES).await;
    let worker = farm.register("one").await;
    let running = farm.claim(&worker).await;

    let again = [("qualities", "720p"), ("force", "true")];
    let url = create(&farm, BYTES.len(), &again).await.header("location").to_owned();
    let refused = append(&farm, &url, 0, BYTES).await;
    assert_eq!(refused.problem(), (422, "duplicate_running".to_owned()));
    assert_eq!(farm.files("media/sources").len(), 1, "the object of the refused one was taken back");
    assert_eq!(offset(&farm, &url).await, 10);

    framefarm_api::lifecycle::cancel::cancel_video(&farm.app, running.video_id, "admin")
        .await
        .expect("cancelled");
    assert_eq!(run_cleaner(&farm).await, [("uploads_sealed", 1)]);
    let answer = head(&farm, &url).await;
    assert_eq!(answer.header("framefarm-video-id"), running.video_id.to_string());
    assert_ne!(answer.header("framefarm-job-id"), running.job_id.to_string());
}

#[tokio::test]
async fn the_digest_is_the_same_with_and_without_a_restart() {
    let farm = Served::new().await;
    let url = begin(&farm, BYTES.len()).await;
    append(&farm, &url, 0, &BYTES[..3]).await;
    let farm = farm.after_a_crash().await;
    let answer = append(&farm, &url, 3, &BYTES[3..]).await;
    let video = answer.header("framefarm-video-id").parse().expect("an id");
    let video = videos::get(farm.db(), video).await.expect("a database").expect("a video");
    assert_eq!(video.source_sha256, hex::encode(Sha256::digest(BYTES)));
}

#[tokio::test]
async fn staging_files_without_a_row_are_swept_when_they_are_old() {
    let farm = Served::with(|settings| settings.orphan_hours = 1).await;
    let url = begin(&farm, 10).await;
    append(&farm, &url, 0, b"01234").await;
    let stray = UploadId::new(&farm.app.clock);
    std::fs::write(farm.app.uploads.path(stray), b"stray").expect("a file");
    std::fs::write(farm.path().join("uploads/notes.txt"), b"not ours").expect("a file");
    let now = farm.app.clock.now();
    let forsaken = async |old| farm.app.uploads.forsaken(farm.db(), old).await.expect("a look");
    assert_eq!(forsaken(now - Duration::hours(1)).await, []);
    assert_eq!(forsaken(now + Duration::hours(1)).await, [(stray, 5)]);
    farm.clean().await;
    assert_eq!(farm.files("uploads").len(), 3, "too early");
    farm.wait(Duration::hours(1) + Duration::minutes(1));
    farm.clean().await;
    assert_eq!(farm.files("uploads").len(), 2);
    assert_eq!(offset(&farm, &url).await, 5);
}
