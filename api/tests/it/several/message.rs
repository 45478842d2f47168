//! What happens at one instance is seen by who watches another.

use framefarm_api::config::Settings;
use framefarm_api::events::{Message, Subscription, Topics};
use framefarm_api::testing::{RedisVersion, TestRedis, a_plan};
use framefarm_shared::wire::event::EventKind;
use futures::StreamExt as _;

use super::{PATIENCE, Several, through_postgres, through_redis};

/// The first message that is looked for.
async fn heard<T>(watcher: &mut Subscription, what: &str, mut is_it: impl FnMut(&Message) -> Option<T>) -> T {
    tokio::time::timeout(PATIENCE, async {
        loop {
            let message = watcher.next().await.unwrap().expect("it goes on");
            if let Some(found) = is_it(&message) {
                return found;
            }
        }
    })
    .await
    .unwrap_or_else(|_| panic!("{what} was not heard"))
}

async fn all_is_seen_from_the_other_side(change: impl Fn(&mut Settings)) {
    let several = Several::with(change).await;
    let (farm, other) = (&several.farm, &several.other);
    let mut watcher = other.events.subscribe(other, Topics::default(), None).await.unwrap();
    let upload = farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    let change = |kind: EventKind| {
        move |message: &Message| matches!(message, Message::Change(event) if event.kind == kind).then_some(())
    };
    heard(&mut watcher, "the upload", change(EventKind::JobEnqueued)).await;
    worker.progress(&job, 12.5).await.unwrap();
    let percent = heard(&mut watcher, "the progress", |message| match message {
        Message::Progress(progress) if progress.video_id == upload.video.id => Some(progress.percent),
        _ => None,
    })
    .await;
    assert!((percent - 12.5).abs() < 1e-9);
    worker.beat(&[&job]).await.unwrap();
    heard(&mut watcher, "the worker", |message| {
        matches!(message, Message::Worker(sign) if sign.id == worker.id).then_some(())
    })
    .await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    heard(&mut watcher, "the end", change(EventKind::JobCompleted)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_is_seen_from_another_instance_through_redis_7() {
    let redis = TestRedis::start(RedisVersion::V7).await;
    Box::pin(all_is_seen_from_the_other_side(through_redis(&redis))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_is_seen_from_another_instance_through_redis_6() {
    let redis = TestRedis::start(RedisVersion::V6).await;
    Box::pin(all_is_seen_from_the_other_side(through_redis(&redis))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_is_seen_from_another_instance_through_postgres() {
    Box::pin(all_is_seen_from_the_other_side(through_postgres)).await;
}

/// The names that others may subscribe to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_completion_and_workers_have_channels_of_their_own() {
    let redis = TestRedis::start(RedisVersion::V7).await;
    let several = Several::with(through_redis(&redis)).await;
    let farm = &several.farm;
    let client = redis::Client::open(redis.url()).unwrap();
    let mut listener = client.get_async_pubsub().await.unwrap();
    listener.psubscribe("*").await.unwrap();
    let upload = farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.beat(&[&job]).await.unwrap();
    worker.progress(&job, 50.0).await.unwrap();
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    let video = upload.video.id;
    let mut missing = vec![
        "{framefarm}:worker_status".to_owned(),
        format!("{{framefarm}}:transcode_progress:{video}"),
        format!("{{framefarm}}:transcode_complete:{video}"),
    ];
    let mut messages = listener.on_message();
    tokio::time::timeout(PATIENCE, async {
        while !missing.is_empty() {
            let message = messages.next().await.unwrap();
            missing.retain(|channel| channel != message.get_channel_name());
        }
    })
    .await
    .unwrap_or_else(|_| panic!("nothing came to {missing:?}"));
}
