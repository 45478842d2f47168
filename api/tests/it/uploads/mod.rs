//! Uploads: tus, forms, and what a crash leaves behind.

mod checksums;
mod crashes;
mod creation;
mod dedupe;
mod file_types;
mod forms;
mod limits;
mod resuming;
mod rules;

use axum::body::Body;
use axum::http::Request;
use axum::http::request::Builder;

use crate::served::{Answer, Served, base64};

const PIECE: &str = "application/offset+octet-stream";

fn tus(request: Builder) -> Builder {
    request.header("Tus-Resumable", "1.0.0")
}

fn empty(request: Builder) -> Request<Body> {
    request.body(Body::empty()).expect("a request")
}

fn metadata(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        pairs.iter().map(|(key, value)| format!("{key} {}", base64(value.as_bytes()))).collect();
    pairs.join(",")
}

async fn create(farm: &Served, length: usize, pairs: &[(&str, &str)]) -> Answer {
    let request = tus(Request::post("/api/uploads")).header("Upload-Length", length);
    farm.send(empty(request.header("Upload-Metadata", metadata(pairs)))).await
}

/// Creates an upload and answers with its URL.
async fn begin(farm: &Served, length: usize) -> String {
    let answer = create(farm, length, &[("filename", "holiday.mp4")]).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    answer.header("location").to_owned()
}

fn piece(url: &str, offset: usize, body: impl Into<Body>) -> Request<Body> {
    let request = tus(Request::patch(url)).header("Upload-Offset", offset).header("Content-Type", PIECE);
    request.body(body.into()).expect("a request")
}

async fn append(farm: &Served, url: &str, offset: usize, bytes: &[u8]) -> Answer {
    farm.send(piece(url, offset, bytes.to_vec())).await
}

async fn head(farm: &Served, url: &str) -> Answer {
    farm.send(empty(tus(Request::head(url)))).await
}

async fn offset(farm: &Served, url: &str) -> usize {
    let answer = head(farm, url).await;
    assert_eq!(answer.status, 200);
    answer.header("upload-offset").parse().expect("a number")
}

/// The stored bytes of the video that an answer speaks of.
async fn source_of(farm: &Served, answer: &Answer) -> Vec<u8> {
    let video = answer.header("framefarm-video-id").parse().expect("a video");
    let key = framefarm_shared::object_key::ObjectKey::Source { video };
    farm.app.storage.get(&key).await.expect("a source").to_vec()
}

fn random(length: usize) -> Vec<u8> {
    (0..length).map(|_| rand::random()).collect()
}
