//! How a stream begins, lives and ends.

use std::time::Duration;

use framefarm_api::auth::{Scope, token};
use framefarm_api::db::credentials;
use framefarm_api::db::events::{self, Event};
use framefarm_api::testing::TestDatabase;
use framefarm_shared::wire::event::EventKind;

use super::Watched;

#[tokio::test]
async fn a_stream_says_how_to_come_back_then_hello_then_what_happens() {
    let site = Watched::sqlite().await;
    site.happens().await;
    let response = site.get("", None).await;
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache, no-transform"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(response.headers()[name], value);
    }
    let mut watcher = site.watch("", None).await;
    let first = watcher.block().await.unwrap();
    assert_eq!((first.retry, first.event.as_str(), first.id), (Some(3000), "", None));
    let hello = watcher.block().await.unwrap();
    assert_eq!((hello.event.as_str(), hello.data["last_id"].as_i64()), ("hello", Some(site.newest().await)));
    site.happens().await;
    let change = watcher.block().await.unwrap();
    assert_eq!((change.event.as_str(), change.id), ("change", Some(site.newest().await)));
    assert_eq!((&change.data["kind"], &change.data["actor"]), (&"queue_changed".into(), &"test".into()));
}

#[tokio::test]
async fn who_may_not_see_the_audit_is_told_that_it_happened_and_no_more() {
    let mut site = Watched::sqlite().await;
    let app = site.farm.app.clone();
    let upload = site.farm.upload("secret.mp4").await;
    token::create(&app, "secret", Scope::Read, "admin").await.unwrap();
    let mut tx = app.db.begin().await.unwrap();
    let data = serde_json::json!({ "path": "/secret", "fence": 3, "attempt": 1, "status": "failed" });
    let event = Event::of_video(EventKind::JobFailed, "token:secret", upload.video.id).because("at /secret");
    events::append(&mut tx, event.with(data), site.farm.now()).await.unwrap();
    tx.commit().await.unwrap();
    for (scope, sees) in [(Scope::Read, false), (Scope::Upload, false), (Scope::Admin, true)] {
        site.token = token::create(&app, "watcher", scope, "admin").await.unwrap().1;
        let mut watcher = site.watch("", Some(0)).await;
        loop {
            let block = watcher.block().await.unwrap();
            let text = block.data.to_string();
            assert!(sees || !text.contains("secret"), "{scope} sees {text}");
            if block.data["kind"] == "job_failed" {
                assert_eq!(block.data["actor_kind"], "token");
                assert_eq!(
                    (&block.data["data"]["fence"], &block.data["video_id"]),
                    (&3.into(), &upload.video.id.to_string().into())
                );
                assert_eq!(text.contains("token:secret"), sees);
                break;
            }
        }
    }
}

#[tokio::test]
async fn an_idle_stream_gives_signs_of_life() {
    let site = Watched::on(TestDatabase::sqlite(), |settings| settings.sse_heartbeat = 1).await;
    let mut watcher = site.watch("", None).await;
    watcher.hello().await;
    for _ in 0..2 {
        assert!(watcher.block().await.unwrap().comment);
    }
}

#[tokio::test]
async fn a_stream_ends_with_the_server_and_does_not_hold_it_up() {
    let site = Watched::sqlite().await;
    let mut watcher = site.watch("", None).await;
    watcher.hello().await;
    site.shutdown().cancel();
    assert!(watcher.block().await.is_none());
}

#[tokio::test]
async fn a_stream_ends_soon_after_its_token() {
    let site = Watched::on(TestDatabase::sqlite(), |settings| settings.sse_heartbeat = 1).await;
    let mut watcher = site.watch("", None).await;
    watcher.hello().await;
    let id = credentials::tokens(&site.farm.app.db).await.unwrap()[0].id;
    token::revoke(&site.farm.app, id, "admin").await.unwrap();
    let end = async { while watcher.block().await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(20), end).await.expect("it goes on");
}

#[tokio::test]
async fn who_may_only_read_does_not_hear_of_tokens() {
    let site = Watched::sqlite().await;
    let before = site.newest().await;
    let (made, _) = token::create(&site.farm.app, "secret plans", Scope::Admin, "admin").await.unwrap();
    token::revoke(&site.farm.app, made.id, "admin").await.unwrap();
    site.happens().await;
    for last in [None, Some(before)] {
        let mut watcher = site.watch("", last).await;
        watcher.hello().await;
        site.happens().await;
        let change = watcher.next("change").await;
        assert_eq!(change.data["kind"], "queue_changed", "{last:?}");
    }
}

#[tokio::test]
async fn nobody_watches_without_being_known_and_nonsense_is_refused() {
    let site = Watched::sqlite().await;
    let status = async |query: &str| site.get(query, None).await.status().as_u16();
    assert_eq!(status("?topics=videos,nonsense").await, 400);
    assert_eq!(status("?last_event_id=-1").await, 400);
    assert_eq!(site.get("", Some(-7)).await.status(), 400);
    assert_eq!(status("?unknown=1").await, 400);
    let unknown = reqwest::get(&site.url).await.unwrap();
    assert_eq!(unknown.status(), 401);
}

#[tokio::test]
async fn a_watcher_hears_of_its_topics_alone() {
    let site = Watched::sqlite().await;
    let one = site.farm.upload("one.mp4").await;
    let mut of_video = site.watch(&format!("?topics=videos:{}", one.video.id), None).await;
    let mut of_workers = site.watch("?topics=workers", None).await;
    let mut of_queue = site.watch("?topics=queue", None).await;
    for watcher in [&mut of_video, &mut of_workers, &mut of_queue] {
        watcher.hello().await;
    }
    site.farm.upload("two.mp4").await;
    let worker = site.farm.worker("w1").await;
    worker.claim_this(one.job.id).await.unwrap();
    site.happens().await;

    assert_eq!(of_video.next("change").await.data["kind"], "job_claimed");
    assert_eq!(of_workers.next("change").await.data["kind"], "worker_registered");
    let kinds = [of_queue.next("change").await, of_queue.next("change").await, of_queue.next("change").await];
    assert_eq!(
        kinds.map(|block| block.data["kind"].clone()),
        ["job_enqueued", "job_claimed", "queue_changed"]
    );
}

/// What happened while nobody watched, and before, is no news to who comes next.
async fn nothing_old(database: TestDatabase) {
    let site = Watched::on(database, |_| {}).await;
    for _ in 0..3 {
        site.happens().await;
    }
    for round in 0..3 {
        let mut watcher = site.watch("", None).await;
        watcher.hello().await;
        site.happens().await;
        let newest = site.newest().await;
        assert_eq!(watcher.next("change").await.id, Some(newest), "round {round}");
        drop(watcher);
        while site.farm.app.events.subscribers() > 0 {
            tokio::task::yield_now().await;
        }
        for _ in 0..40 {
            site.happens().await;
        }
    }
}

#[tokio::test]
async fn whoever_comes_hears_nothing_old_on_sqlite() {
    nothing_old(TestDatabase::sqlite()).await;
}

#[tokio::test]
async fn whoever_comes_hears_nothing_old_on_postgres() {
    nothing_old(TestDatabase::postgres().await).await;
}
