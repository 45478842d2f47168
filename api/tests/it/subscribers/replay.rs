//! Whoever comes back hears what happened meanwhile: everything, once, in order.

use chrono::Duration;
use framefarm_api::db::events::{self, Event};
use framefarm_api::testing::TestDatabase;
use framefarm_shared::wire::event::EventKind;

use super::{Watched, Watcher};

/// Many at once write while one watcher comes and goes.
async fn a_hundred_reconnects(database: TestDatabase) {
    const WRITERS: usize = 4;
    const EACH: usize = 150;
    let site = Watched::on(database, |_| {}).await;
    let mut watcher = site.watch("", None).await;
    let begin = watcher.hello().await.data["last_id"].as_i64().unwrap();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (db, now) = (site.farm.app.db.clone(), site.farm.now());
            tokio::spawn(async move {
                for number in 0..EACH {
                    let mut tx = db.begin().await.unwrap();
                    let event = Event::new(EventKind::JobCompleted, &format!("{writer}/{number}"));
                    events::append(&mut tx, event, now).await.unwrap();
                    // Some are rolled back, and leave a hole in the numbers.
                    if number % 10 == 3 { tx.rollback().await } else { tx.commit().await }.unwrap();
                }
            })
        })
        .collect();
    let (mut seen, mut last, mut connections) = (Vec::new(), begin, 0);
    let kept = WRITERS * EACH * 9 / 10;
    while seen.len() < kept || connections < 100 {
        if seen.len() == kept {
            site.happens().await;
        }
        let block = watcher.next("change").await;
        last = block.id.unwrap();
        if block.data["kind"] == "job_completed" {
            seen.push((last, block.data["actor"].as_str().unwrap().to_owned()));
        }
        // Cut off in the middle of things, again and again.
        if connections < 100 && seen.len() % 5 == 0 {
            connections += 1;
            drop(watcher);
            watcher = site.watch("", Some(last)).await;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(connections >= 100);
    assert!(seen.is_sorted_by(|one, next| one.0 < next.0), "in order, and none twice");
    let all = events::after(&site.farm.app.db, begin, 10_000).await.unwrap();
    let expected: Vec<_> = all
        .into_iter()
        .filter(|row| row.kind == EventKind::JobCompleted)
        .map(|row| (row.id, row.actor))
        .collect();
    assert_eq!((expected.len(), &seen), (kept, &expected), "every one of them");
    assert!(last <= site.newest().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_reconnects_lose_nothing_and_repeat_nothing_on_sqlite() {
    Box::pin(a_hundred_reconnects(TestDatabase::sqlite())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_reconnects_lose_nothing_and_repeat_nothing_on_postgres() {
    Box::pin(a_hundred_reconnects(TestDatabase::postgres().await)).await;
}

async fn ids(watcher: &mut Watcher, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    while ids.len() < count {
        ids.push(watcher.next("change").await.id.unwrap());
    }
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_whose_transaction_is_slow_comes_before_those_after_it() {
    let site = Watched::on(TestDatabase::postgres().await, |_| {}).await;
    let mut watcher = site.watch("", None).await;
    let begin = watcher.hello().await.data["last_id"].as_i64().unwrap();
    let mut slow = site.farm.app.db.begin().await.unwrap();
    let event = Event::new(EventKind::QueuePaused, "slow");
    events::append(&mut slow, event, site.farm.now()).await.unwrap();
    // A later id is there first, and another watcher comes while it is.
    site.happens().await;
    let mut second = site.watch("", Some(begin)).await;
    second.hello().await;
    slow.commit().await.unwrap();
    for watcher in [&mut watcher, &mut second] {
        assert_eq!(ids(watcher, 2).await, [begin + 1, begin + 2]);
    }
}

#[tokio::test]
async fn whoever_comes_back_is_told_what_was_missed_by_header_or_by_query() {
    let site = Watched::sqlite().await;
    for _ in 0..3 {
        site.happens().await;
    }
    let newest = site.newest().await;
    let mut by_header = site.watch("", Some(newest - 2)).await;
    assert_eq!(ids(&mut by_header, 2).await, [newest - 1, newest]);
    let mut by_query = site.watch(&format!("?last_event_id={}", newest - 2), None).await;
    assert_eq!(ids(&mut by_query, 2).await, [newest - 1, newest]);
}

#[tokio::test]
async fn whoever_missed_more_than_is_kept_is_told_to_look_at_everything() {
    let site = Watched::sqlite().await;
    for _ in 0..3 {
        site.happens().await;
    }
    let later = site.farm.now() + Duration::seconds(1);
    let mut tx = site.farm.app.db.begin().await.unwrap();
    events::delete_before(&mut tx, later, 3).await.unwrap();
    tx.commit().await.unwrap();
    let newest = site.newest().await;
    // The one before the oldest that is left has missed nothing.
    let mut lucky = site.watch("", Some(newest - 1)).await;
    assert_eq!(ids(&mut lucky, 1).await, [newest]);
    for unknown in [newest - 2, newest + 1_000] {
        let mut watcher = site.watch("", Some(unknown)).await;
        watcher.hello().await;
        assert_eq!(watcher.block().await.unwrap().event, "reset", "{unknown}");
        site.happens().await;
        assert_eq!(watcher.block().await.unwrap().id, Some(site.newest().await));
    }
}

#[tokio::test]
async fn whoever_saw_what_a_restored_farm_has_forgotten_is_told_to_look_at_everything() {
    let site = Watched::sqlite().await;
    site.happens().await;
    let newest = site.newest().await;
    framefarm_api::lifecycle::restored::settle(&site.farm.app, None).await.unwrap();
    for forgotten in [newest + 1, newest + 500] {
        let mut watcher = site.watch("", Some(forgotten)).await;
        watcher.hello().await;
        assert_eq!(watcher.block().await.unwrap().event, "reset", "{forgotten}");
    }
}
