//! A video in one request, straight into the store.

use axum::body::{Body, Bytes};
use axum::http::Request;
use framefarm_api::db::uploads;

use super::{MIB, PART, random, source};
use crate::served::{Answer, Served};

fn form(bytes: &[u8], ends: bool) -> Request<Body> {
    let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.mp4\"\r\n\r\n";
    let mut chunks = vec![Ok(Bytes::from(head))];
    chunks.extend(bytes.chunks(MIB).map(|chunk| Ok(Bytes::copy_from_slice(chunk))));
    chunks.push(if ends { Ok(Bytes::from("\r\n--b--\r\n")) } else { Err(std::io::Error::other("cut")) });
    Request::post("/api/videos")
        .header("Content-Type", "multipart/form-data; boundary=b")
        .body(Body::from_stream(futures::stream::iter(chunks)))
        .expect("a request")
}

async fn rows(farm: &Served) -> i64 {
    uploads::outstanding_bytes(farm.db(), farm.now()).await.expect("a database")
}

async fn sources(farm: &Served) -> Vec<String> {
    farm.app.storage.directories("sources").await.expect("a list")
}

fn video(answer: &Answer) -> framefarm_shared::id::VideoId {
    answer.json()["video_id"].as_str().and_then(|id| id.parse().ok()).unwrap_or_else(|| panic!("{answer:?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_becomes_a_source_in_one_part_or_more() {
    let farm = Served::on_s3(|_| {}).await;
    for length in [1, PART, PART + MIB] {
        let bytes = random(length);
        let answer = farm.send(form(&bytes, true)).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        assert!(source(&farm.app, video(&answer)).await == bytes, "{length}");
        assert_eq!(farm.files("uploads"), Vec::<String>::new(), "nothing on the disk");
        assert_eq!(rows(&farm).await, 0, "nothing left in the table");
        let again = farm.send(form(&bytes, true)).await;
        assert_eq!((again.status.as_u16(), video(&again)), (200, video(&answer)));
    }
    assert_eq!(sources(&farm).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_was_cut_leaves_nothing() {
    let farm = Served::on_s3(|_| {}).await;
    let answer = farm.send(form(&random(PART + MIB), false)).await;
    assert_eq!(answer.status, 400, "{:?}", answer.body);
    let gone = async {
        while rows(&farm).await > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.expect("it is dropped");
    assert_eq!(sources(&farm).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_form_is_refused() {
    let farm = Served::on_s3(|_| {}).await;
    assert_eq!(farm.send(form(b"", true)).await.problem(), (400, "empty_upload".to_owned()));
}
