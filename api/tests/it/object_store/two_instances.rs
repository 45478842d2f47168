//! A tus upload that goes on elsewhere.

use axum::body::{Body, Bytes};
use framefarm_api::db::{upload_parts, videos};
use framefarm_shared::object_key::ObjectKey;
use sha2::{Digest as _, Sha256};

use super::{MIB, PART, append, begin, head, id_of, random, row_of, source, video_of};
use crate::served::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_alternates_between_two_instances_and_leaves_nothing_on_their_disks() {
    let farm = Served::on_s3(|_| {}).await;
    let (other, _dir) = farm.neighbour().await;
    let bytes = random(2 * PART + 3 * MIB + 17);
    let url = begin(&farm, bytes.len()).await;
    let (mut at, mut turn) = (0_usize, 0);
    let mut last = None;
    // Pieces that end inside a part, on its border, and over two of them.
    for length in [3 * MIB, 5 * MIB, 1, PART + MIB, 7 * MIB - 1, usize::MAX] {
        let app = if turn % 2 == 0 { &farm.app } else { &other };
        let end = at.saturating_add(length).min(bytes.len());
        assert_eq!(head(&farm, app, &url).await.header("upload-offset"), at.to_string());
        let answer = append(&farm, app, &url, at, &bytes[at..end]).await;
        assert_eq!(answer.status, 204, "{:?}", answer.body);
        assert_eq!(answer.header("upload-offset"), end.to_string());
        (at, turn, last) = (end, turn + 1, Some(answer));
        let rests = farm.app.storage.count_below(&ObjectKey::upload_prefix(id_of(&url))).await;
        assert_eq!(rests, usize::from(at % PART != 0 && at < bytes.len()), "one rest at most, after {at}");
    }
    let video = video_of(&last.expect("pieces"));
    assert_eq!(source(&farm.app, video).await, bytes);
    let row = videos::get(farm.db(), video).await.expect("a database").expect("a video");
    assert_eq!(row.source_sha256, hex::encode(Sha256::digest(&bytes)));
    for app in [&farm.app, &other] {
        let staged = std::fs::read_dir(app.settings.data_dir.join("uploads")).expect("a directory");
        assert_eq!(staged.count(), 0);
    }
    let parts = upload_parts::all(farm.db(), id_of(&url)).await.expect("a database");
    let (sizes, numbers): (Vec<_>, Vec<_>) = parts.iter().map(|part| (part.size, part.number)).unzip();
    assert_eq!(sizes, [8_388_608, 8_388_608, 3_145_745]);
    assert_eq!(numbers, [0, 1, 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_survives_the_death_of_its_instance() {
    let farm = Served::on_s3(|_| {}).await;
    let bytes = random(PART + MIB);
    let url = begin(&farm, bytes.len()).await;
    // The connection breaks in the middle of the second part.
    let cut: [Result<Bytes, _>; 2] =
        [Ok(Bytes::copy_from_slice(&bytes[..PART + 5])), Err(std::io::Error::other("cut"))];
    let answer = farm.send(super::piece(&url, 0, Body::from_stream(futures::stream::iter(cut)))).await;
    assert_eq!(answer.problem(), (400, "body_cut".to_owned()));
    let (other, _dir) = farm.neighbour().await;
    assert_eq!(head(&farm, &other, &url).await.header("upload-offset"), (PART + 5).to_string());
    let last = append(&farm, &other, &url, PART + 5, &bytes[PART + 5..]).await;
    assert_eq!(source(&other, video_of(&last)).await, bytes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_digest_that_cannot_be_continued_is_taken_from_the_object() {
    for damage in ["NULL", "'\\x00'"] {
        let farm = Served::on_s3(|_| {}).await;
        let bytes = random(MIB);
        let url = begin(&farm, bytes.len()).await;
        append(&farm, &farm.app, &url, 0, &bytes[..1000]).await;
        assert!(row_of(&farm, &url).await.digest.is_some());
        farm.sql(&format!("UPDATE upload SET digest = {damage}")).await;
        let last = append(&farm, &farm.app, &url, 1000, &bytes[1000..]).await;
        let row = videos::get(farm.db(), video_of(&last)).await.expect("a database").expect("a video");
        assert_eq!(row.source_sha256, hex::encode(Sha256::digest(&bytes)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checksum_that_does_not_match_leaves_no_part_behind() {
    let farm = Served::on_s3(|_| {}).await;
    let bytes = random(PART + MIB);
    let url = begin(&farm, bytes.len()).await;
    let checked = |sum: &[u8]| {
        let mut request = super::piece(&url, 0, bytes.clone());
        let value = format!("sha256 {}", crate::served::base64(sum));
        request.headers_mut().insert("upload-checksum", value.parse().expect("a header"));
        request
    };
    assert_eq!(farm.send(checked(&[7; 32])).await.problem(), (460, "checksum_mismatch".to_owned()));
    assert_eq!(row_of(&farm, &url).await.received, 0);
    let last = farm.send(checked(&Sha256::digest(&bytes))).await;
    assert_eq!(last.status, 204, "{:?}", last.body);
    assert_eq!(source(&farm.app, video_of(&last)).await, bytes, "the numbers of the first try are left out");
}
