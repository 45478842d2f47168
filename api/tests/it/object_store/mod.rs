//! Farms whose bytes are in an object store.

mod away;
mod forms;
mod links;
mod overtaken;
mod own_store;
mod playing;
mod sealing;
mod storages;
mod two_instances;

use axum::body::Body;
use axum::http::Request;
use framefarm_api::app::App;
use framefarm_api::db::uploads::{self, UploadRow};
use framefarm_api::storage::Remote;
use framefarm_shared::id::{UploadId, VideoId};
use framefarm_shared::object_key::ObjectKey;

use crate::served::{Answer, Served};

const MIB: usize = 1024 * 1024;
/// What an upload of some megabytes is cut into.
const PART: usize = 8 * MIB;

fn random(length: usize) -> Vec<u8> {
    use rand::RngCore as _;
    let mut bytes = vec![0; length];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}

/// Begins a tus upload; its URL.
async fn begin(farm: &Served, length: usize) -> String {
    let request = Request::post("/api/uploads")
        .header("Tus-Resumable", "1.0.0")
        .header("Upload-Length", length)
        .header("Upload-Metadata", "filename YS5tcDQ=,qualities NzIwcA==");
    let answer = farm.send(request.body(Body::empty()).expect("a request")).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    answer.header("location").to_owned()
}

fn piece(url: &str, offset: usize, body: impl Into<Body>) -> Request<Body> {
    let request = Request::patch(url)
        .header("Tus-Resumable", "1.0.0")
        .header("Upload-Offset", offset)
        .header("Content-Type", "application/offset+octet-stream");
    request.body(body.into()).expect("a request")
}

async fn append(farm: &Served, app: &App, url: &str, offset: usize, bytes: &[u8]) -> Answer {
    farm.send_to(app, piece(url, offset, bytes.to_vec())).await
}

async fn head(farm: &Served, app: &App, url: &str) -> Answer {
    let request = Request::head(url).header("Tus-Resumable", "1.0.0").body(Body::empty());
    farm.send_to(app, request.expect("a request")).await
}

fn id_of(url: &str) -> UploadId {
    url.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id")
}

async fn row_of(farm: &Served, url: &str) -> UploadRow {
    uploads::get(farm.db(), id_of(url)).await.expect("a database").expect("an upload")
}

fn video_of(answer: &Answer) -> VideoId {
    answer.header("framefarm-video-id").parse().unwrap_or_else(|_| panic!("no video: {answer:?}"))
}

async fn source(app: &App, video: VideoId) -> Vec<u8> {
    app.storage.get(&ObjectKey::Source { video }).await.expect("a source").to_vec()
}

fn remote(app: &App) -> &Remote {
    app.storage.remote().expect("an object store")
}

/// Whether the store knows of parts that were sent and not made an object.
async fn takes_parts(app: &App, row: &UploadRow) -> bool {
    let key = ObjectKey::Source { video: row.source_id.expect("a source") };
    let multipart = row.multipart.as_deref().expect("parts");
    remote(app).put_part(&key, multipart, 9_999, "late".into()).await.is_ok()
}

async fn clean(app: &App) -> Vec<(&'static str, u64)> {
    let counts = framefarm_api::services::cleaner::run_once(app.clone()).await.expect("a run");
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}
