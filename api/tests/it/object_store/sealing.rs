//! An upload whose last byte was counted becomes a video, wherever it was interrupted and whoever goes on.

use chrono::Duration;
use framefarm_api::db::upload_parts::{self, UploadPartRow};
use framefarm_api::db::uploads::{self, Advance, UploadRow};
use framefarm_api::db::videos;
use framefarm_api::storage::StoredPart;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::state::UploadStatus;
use sha2::{Digest as _, Sha256};

use super::{append, begin, clean, head, id_of, random, remote, row_of, source, takes_parts, video_of};
use crate::served::Served;

/// An upload whose last part is stored and counted; then its instance died.
async fn whole_but_not_sealed(farm: &Served, bytes: &[u8]) -> (String, UploadRow) {
    let url = begin(farm, bytes.len()).await;
    append(farm, &farm.app, &url, 0, &bytes[..10]).await;
    let mut tx = farm.db().begin().await.expect("a transaction");
    let row = uploads::take_if_open(&mut tx, id_of(&url)).await.expect("a database").expect("open");
    let number = uploads::reserve_part_if_turn(&mut tx, row.id, row.turn).await.expect("a database");
    let number = number.expect("its turn");
    let key = key_of(&row);
    let sent = remote(&farm.app).put_part(
        &key,
        row.multipart.as_deref().expect("parts"),
        number.unsigned_abs(),
        bytes.to_vec().into(),
    );
    let size = i64::try_from(bytes.len()).expect("a size");
    let part = UploadPartRow { number, size, tag: sent.await.expect("stored").tag };
    upload_parts::insert(&mut tx, row.id, &part).await.expect("inserted");
    let (from, expires_at) = (row.received, farm.app.clock.now() + Duration::hours(1));
    let new =
        Advance { id: row.id, turn: row.turn, from, to: size, expires_at, rest_turn: None, digest: None };
    assert!(uploads::advance_if_at(&mut tx, &new).await.expect("counted"));
    tx.commit().await.expect("counted");
    let row = row_of(farm, &url).await;
    (url, row)
}

fn key_of(row: &UploadRow) -> ObjectKey {
    ObjectKey::Source { video: row.source_id.expect("a source") }
}

async fn complete(farm: &Served, row: &UploadRow) {
    let parts = upload_parts::all(farm.db(), row.id).await.expect("a database");
    let parts: Vec<StoredPart> = parts
        .into_iter()
        .map(|part| StoredPart { number: part.number.unsigned_abs(), tag: part.tag })
        .collect();
    let multipart = row.multipart.as_deref().expect("parts");
    remote(&farm.app).complete(&key_of(row), multipart, &parts).await.expect("completed");
}

async fn videos_here(farm: &Served) -> usize {
    farm.app.storage.directories("sources").await.expect("a list").len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_upload_is_sealed_by_another_instance_before_and_after_its_object_was_made() {
    for completed in [false, true] {
        let farm = Served::on_s3(|_| {}).await;
        let bytes = random(5000);
        let (url, row) = whole_but_not_sealed(&farm, &bytes).await;
        if completed {
            complete(&farm, &row).await;
        }
        let (other, _dir) = farm.neighbour().await;
        let answer = head(&farm, &other, &url).await;
        assert_eq!(source(&other, video_of(&answer)).await, bytes);
        let video = videos::get(farm.db(), video_of(&answer)).await.expect("a database").expect("a video");
        assert_eq!(video.source_sha256, hex::encode(Sha256::digest(&bytes)), "of the object");
        let again = head(&farm, &farm.app, &url).await;
        assert_eq!(video_of(&again), video_of(&answer));
        assert_eq!(farm.app.storage.count_below("uploads").await, 0, "the rest went");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_fails_leaves_an_object_that_is_sealed_later() {
    for table in ["job", "video", "upload"] {
        let farm = Served::on_s3(|_| {}).await;
        let bytes = random(5000);
        let (url, row) = whole_but_not_sealed(&farm, &bytes).await;
        farm.break_table(table).await;
        let refused = append(&farm, &farm.app, &url, bytes.len(), b"").await;
        assert_eq!(refused.status, 500, "{table}");
        farm.mend_table(table).await;
        let (other, _dir) = farm.neighbour().await;
        let sealed = clean(&other).await;
        assert_eq!(sealed, [("uploads_sealed", 1)], "{table}");
        let answer = head(&farm, &farm.app, &url).await;
        assert_eq!(video_of(&answer), row.source_id.expect("a source"), "{table}");
        assert_eq!(source(&farm.app, video_of(&answer)).await, bytes, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_that_seal_at_once_make_one_video_and_keep_its_source() {
    let farm = Served::on_s3(|_| {}).await;
    let (other, _dir) = farm.neighbour().await;
    for round in 1..=20 {
        let bytes = random(5000);
        let (url, _) = whole_but_not_sealed(&farm, &bytes).await;
        let (one, two, _) =
            tokio::join!(head(&farm, &farm.app, &url), head(&farm, &other, &url), clean(&other));
        assert_eq!((one.status.as_u16(), two.status.as_u16()), (200, 200));
        let answer = head(&farm, &farm.app, &url).await;
        assert_eq!(source(&farm.app, video_of(&answer)).await, bytes);
        assert_eq!(videos_here(&farm).await, round);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_content_again_keeps_one_source() {
    let farm = Served::on_s3(|_| {}).await;
    let bytes = random(5000);
    let first = farm.upload(&bytes).await;
    let second = farm.upload(&bytes).await;
    assert_eq!(second.header("framefarm-deduplicated"), "true");
    assert_eq!(video_of(&first), video_of(&second));
    assert_eq!(videos_here(&farm).await, 1);
    assert_eq!(source(&farm.app, video_of(&first)).await, bytes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_that_waits_for_its_video_is_no_orphan() {
    let farm = Served::on_s3(|settings| settings.upload_expiry_hours = 1000).await;
    let bytes = random(5000);
    let (url, row) = whole_but_not_sealed(&farm, &bytes).await;
    farm.sql("UPDATE upload SET expires_at = expires_at + interval '1000 hours'").await;
    complete(&farm, &row).await;
    farm.break_table("video").await;
    farm.app.clock.advance(Duration::hours(25));
    clean(&farm.app).await;
    farm.mend_table("video").await;
    let answer = head(&farm, &farm.app, &url).await;
    assert_eq!(source(&farm.app, video_of(&answer)).await, bytes);

    let stray = ObjectKey::Source { video: framefarm_shared::id::VideoId::new(&farm.clock) };
    farm.app.storage.put(&stray, "nobody's".into()).await.expect("stored");
    farm.app.clock.advance(Duration::hours(25));
    assert!(clean(&farm.app).await.contains(&("orphans", 1)));
    assert_eq!(videos_here(&farm).await, 1, "what nothing refers to is gone, and only that");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_expires_or_is_dropped_takes_its_parts_along() {
    for by_client in [false, true] {
        let farm = Served::on_s3(|_| {}).await;
        let url = begin(&farm, super::PART + 5000).await;
        append(&farm, &farm.app, &url, 0, &random(super::PART + 1000)).await;
        let row = row_of(&farm, &url).await;
        assert!(takes_parts(&farm.app, &row).await);
        assert_eq!(farm.app.storage.count_below("uploads").await, 1);
        if by_client {
            let request = axum::http::Request::delete(&url).header("Tus-Resumable", "1.0.0");
            let request = request.body(axum::body::Body::empty()).expect("a request");
            assert_eq!(farm.send(request).await.status, 204);
        } else {
            farm.app.clock.advance(Duration::hours(25));
            assert!(clean(&farm.app).await.contains(&("uploads", 1)));
        }
        assert!(!takes_parts(&farm.app, &row).await, "the parts are dropped");
        assert_eq!(farm.app.storage.count_below("uploads").await, 0);
        assert_eq!(head(&farm, &farm.app, &url).await.status, 404);
        assert_eq!(videos_here(&farm).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_whose_parts_the_store_lost_makes_no_video() {
    let farm = Served::on_s3(|_| {}).await;
    let (url, row) = whole_but_not_sealed(&farm, &random(5000)).await;
    remote(&farm.app).abort(&key_of(&row), row.multipart.as_deref().expect("parts")).await.expect("aborted");
    let answer = append(&farm, &farm.app, &url, 5000, b"").await;
    // 410 where the store says NoSuchUpload; moto fails, which may pass.
    assert!([410, 503].contains(&answer.status.as_u16()), "{answer:?}");
    assert_eq!(row_of(&farm, &url).await.status, UploadStatus::Open);
    assert_eq!(videos_here(&farm).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rest_that_the_store_lost_is_said_to_be_gone() {
    let farm = Served::on_s3(|_| {}).await;
    let url = begin(&farm, 5000).await;
    append(&farm, &farm.app, &url, 0, &random(1000)).await;
    farm.app.storage.delete_prefix("uploads").await.expect("deleted");
    let answer = append(&farm, &farm.app, &url, 1000, b"more").await;
    assert_eq!(answer.problem(), (410, "upload_damaged".to_owned()));
}
