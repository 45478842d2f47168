//! What is told as it happens is not held back, and who waits is answered.

use framefarm_api::db::events::{self, Event};
use framefarm_shared::wire::event::EventKind;
use reqwest::Method;
use serde_json::{Value, json};

use super::proxy::Kind;
use super::{Behind, PATIENCE, behind_every_proxy};

behind_every_proxy! {
    async fn events_and_signs_of_life_come_while_the_stream_goes_on(kind: Kind) {
        let behind = Behind::with(kind, |settings| settings.sse_heartbeat = 1).await;
        let reader = behind.reader().await;
        let request = behind.request_as(&reader, Method::GET, "/api/events");
        let mut stream = request.header("Accept-Encoding", "gzip").send().await.unwrap();
        assert_eq!(stream.status(), 200);
        assert!(!stream.headers().contains_key("content-encoding"));
        let mut told = String::new();
        let mut until = async |words: &str| {
            while !told.contains(words) {
                let chunk = tokio::time::timeout(PATIENCE, stream.chunk()).await.expect("silence");
                told += std::str::from_utf8(&chunk.unwrap().expect("the stream ended")).unwrap();
            }
        };
        until("event: hello").await;
        let mut tx = behind.farm.app.db.begin().await.unwrap();
        let event = Event::new(EventKind::QueueChanged, "test");
        events::append(&mut tx, event, behind.farm.now()).await.unwrap();
        tx.commit().await.unwrap();
        until("event: change").await;
        // A comment without words: the stream is idle and lives.
        until("\n:\n").await;
    }

    async fn a_waiting_claim_gets_the_job_that_comes(kind: Kind) {
        let behind = Behind::start(kind).await;
        let worker = behind.farm.register("one").await;
        let claim = behind
            .request_as(&worker.key, Method::POST, "/api/worker/claim")
            .json(&json!({ "boot_id": worker.boot, "wait_seconds": 20 }));
        let waiting = tokio::spawn(claim.send());
        while behind.farm.app.waiters.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let job = behind.farm.upload("clip.mp4".as_bytes()).await;
        let reply: Value = waiting.await.unwrap().unwrap().json().await.unwrap();
        assert_eq!(reply["job"]["job_id"], job.header("framefarm-job-id"), "{reply}");
    }
}
