//! Two instances, one upload: only who came last changes it.

use axum::body::{Body, Bytes};
use framefarm_api::db::uploads;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::state::UploadStatus;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{MIB, PART, append, begin, head, id_of, piece, random, remote, row_of, source, video_of};
use crate::served::Served;

/// A body that brings what the test sends.
fn fed() -> (mpsc::Sender<Result<Bytes, std::io::Error>>, Body) {
    let (sender, receiver) = mpsc::channel(1);
    (sender, Body::from_stream(ReceiverStream::new(receiver)))
}

/// On a disk that both see, and in an object store.
async fn farms() -> [Served; 2] {
    [Served::new().await, Served::on_s3(|_| {}).await]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_overtaken_is_told_and_counts_nothing() {
    for farm in farms().await {
        // The same directory: staging files are shared where the storage is a disk.
        let settings = farm.app.settings.clone();
        let other = framefarm_api::app::App::start(settings, farm.clock.clone()).await.expect("an app");
        let bytes = random(MIB);
        let url = begin(&farm, bytes.len()).await;
        let (feed, body) = fed();
        let slow = farm.send(piece(&url, 0, body));
        let newer = async {
            feed.send(Ok(Bytes::from(vec![0; 100]))).await.expect("read");
            // Read, because there is room for one and the second was taken.
            feed.send(Ok(Bytes::from(vec![0; 100]))).await.expect("read");
            feed.send(Ok(Bytes::from(vec![0; 100]))).await.expect("read");
            // Nothing is counted yet: only the turn tells the two apart.
            assert_eq!(head(&farm, &other, &url).await.header("upload-offset"), "0");
            drop(feed);
        };
        let (slow, ()) = tokio::join!(slow, newer);
        assert_eq!(slow.problem(), (423, "upload_taken_over".to_owned()));
        assert_eq!(row_of(&farm, &url).await.received, 0);
        let last = append(&farm, &other, &url, 0, &bytes).await;
        assert!(source(&other, video_of(&last)).await == bytes, "not one byte of the old holder");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_part_of_an_old_holder_is_never_part_of_the_file() {
    let farm = Served::on_s3(|_| {}).await;
    let bytes = random(2 * PART + MIB);
    let url = begin(&farm, bytes.len()).await;
    append(&farm, &farm.app, &url, 0, &bytes[..1000]).await;
    // An instance reserves the number of its part, and then its packets take an hour.
    let old = row_of(&farm, &url).await;
    let mut tx = farm.db().begin().await.expect("a transaction");
    let number = uploads::reserve_part_if_turn(&mut tx, old.id, old.turn).await.expect("a database");
    tx.commit().await.expect("reserved");
    let number = number.expect("its turn").unsigned_abs();

    let (other, _dir) = farm.neighbour().await;
    let most = bytes.len() - 1;
    assert_eq!(append(&farm, &other, &url, 1000, &bytes[1000..most]).await.status, 204);
    let key = ObjectKey::Source { video: old.source_id.expect("a source") };
    let multipart = old.multipart.as_deref().expect("parts");
    let late = Bytes::from(vec![0; PART]);
    remote(&farm.app).put_part(&key, multipart, number, late).await.expect("the store takes it");
    let last = append(&farm, &other, &url, most, &bytes[most..]).await;
    assert_eq!(last.status, 204, "{:?}", last.body);
    assert!(source(&other, video_of(&last)).await == bytes, "the late part is in the file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_holder_can_reserve_no_number_and_begin_no_object() {
    let farm = Served::on_s3(|_| {}).await;
    let (other, _dir) = farm.neighbour().await;
    let bytes = random(2 * PART);
    let url = begin(&farm, bytes.len()).await;
    let (feed, body) = fed();
    let slow = farm.send(piece(&url, 0, body));
    let newer = async {
        feed.send(Ok(Bytes::from(vec![0; MIB]))).await.expect("read");
        feed.send(Ok(Bytes::from(vec![0; MIB]))).await.expect("read");
        let answer = append(&farm, &other, &url, 0, &bytes[..MIB]).await;
        assert_eq!(answer.status, 204, "{:?}", answer.body);
        let before = row_of(&farm, &url).await.next_part;
        for _ in 0..10 {
            // Enough for a part; the reader may be gone when it was refused its number.
            let _ = feed.send(Ok(Bytes::from(vec![0; MIB]))).await;
        }
        before
    };
    let (slow, before) = tokio::join!(slow, newer);
    assert_eq!(slow.problem(), (423, "upload_taken_over".to_owned()));
    assert_eq!(row_of(&farm, &url).await.next_part, before);
    let last = append(&farm, &other, &url, MIB, &bytes[MIB..]).await;
    assert!(source(&other, video_of(&last)).await == bytes);
    assert_eq!(
        uploads::get(farm.db(), id_of(&url)).await.expect("a database").expect("a row").status,
        UploadStatus::Sealed
    );
}
