//! What is kept and for how long, and copies of it.

#![expect(clippy::unwrap_used, reason = "a test helper that cannot go on fails its test")]

mod backup;
mod gc;
mod orphans;
mod periods;
mod program;
mod restored;
mod room;

use framefarm_api::lifecycle::retranscode;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;

/// Uploads, with an original in the storage, and encodes.
async fn a_ready_video(farm: &Farm, worker: &TestWorker, name: &str) -> VideoId {
    let upload = farm.upload(name).await;
    store_source(farm, upload.video.id).await;
    worker.beat(&[]).await.unwrap();
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    upload.video.id
}

async fn store_source(farm: &Farm, video: VideoId) {
    farm.app.storage.put(&ObjectKey::Source { video }, vec![7; 1_000].into()).await.unwrap();
}

fn everything() -> retranscode::Request {
    retranscode::Request { retranscode_all: true, ..Default::default() }
}
