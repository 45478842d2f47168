//! Table `event`.

use framefarm_api::db::events::{self, Event, EventFilter};
use framefarm_shared::wire::event::EventKind;
use serde_json::json;

use super::world::{INSTANT, a_running_job};

fn tick() -> Event {
    Event::new(EventKind::QueuePaused, "test")
}

framefarm_api::on_both_engines! {
    async fn an_event_comes_back_as_it_was_written(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        let data = json!({ "größe": [1, 2.5, -7, null, true], "big": i64::MAX, "quote": "\"'\\%", "nested": {} });
        let event = Event::of_job(EventKind::LateReport, "wörker ☃", &job).because("日本").with(data.clone());
        farm.wait(INSTANT);
        commit!(farm, |tx| events::append(tx, event, farm.now()));
        let found = events::of_job(&farm.app.db, job.id).await.unwrap();
        let [event] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((event.kind, event.at), (EventKind::LateReport, farm.now()));
        assert_eq!((event.job_id, event.video_id), (Some(job.id), Some(job.video_id)));
        assert_eq!(event.worker_id, Some(worker.id));
        assert_eq!((event.actor.as_str(), event.reason.as_deref()), ("wörker ☃", Some("日本")));
        assert_eq!(event.data.as_ref().unwrap().0, data);
    }

    async fn an_event_need_not_be_about_anything(farm: Farm) {
        commit!(farm, |tx| events::append(tx, tick(), farm.now()));
        let event = events::list(&farm.app.db, None, 1).await.unwrap().remove(0);
        assert_eq!((event.job_id, event.video_id, event.worker_id), (None, None, None));
        assert!(event.reason.is_none() && event.data.is_none());
    }

    async fn a_null_of_json_is_not_an_absent_value(farm: Farm) {
        commit!(farm, |tx| events::append(tx, tick().with(json!(null)), farm.now()));
        let event = events::list(&farm.app.db, None, 1).await.unwrap().remove(0);
        assert_eq!(event.data.map(|data| data.0), Some(json!(null)));
    }

    async fn every_kind_of_event_can_be_stored(farm: Farm) {
        for kind in EventKind::ALL {
            commit!(farm, |tx| events::append(tx, Event::new(*kind, "test"), farm.now()));
        }
        let mut kinds: Vec<EventKind> =
            events::list(&farm.app.db, None, 100).await.unwrap().iter().map(|event| event.kind).collect();
        kinds.reverse();
        assert_eq!(kinds, EventKind::ALL);
    }

    async fn the_events_of_a_job_are_listed_oldest_first_and_no_others(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let (other, _) = a_running_job(&farm, "another").await;
        for kind in [EventKind::JobClaimed, EventKind::JobLost, EventKind::JobClaimed] {
            commit!(farm, |tx| events::append(tx, Event::of_job(kind, "test", &job), farm.now()));
            commit!(farm, |tx| events::append(tx, Event::of_job(kind, "test", &other), farm.now()));
        }
        let listed = events::of_job(&farm.app.db, job.id).await.unwrap();
        let kinds: Vec<EventKind> = listed.iter().map(|event| event.kind).collect();
        assert_eq!(kinds, [EventKind::JobClaimed, EventKind::JobLost, EventKind::JobClaimed]);
        assert!(listed.is_sorted_by_key(|event| event.id));
    }

    async fn the_last_entrance_of_a_job_is_found_and_nobody_elses(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let (other, _) = a_running_job(&farm, "another").await;
        let mut tx = farm.app.db.begin().await.unwrap();
        assert!(events::entrance(&mut tx, job.id).await.unwrap().is_none());
        let story = [EventKind::JobEnqueued, EventKind::JobRequeued, EventKind::JobClaimed];
        for (kind, of) in story.map(|kind| (kind, &job)).into_iter().chain([(EventKind::JobImported, &other)]) {
            farm.wait(INSTANT);
            events::append(&mut tx, Event::of_job(kind, "test", of), farm.now()).await.unwrap();
        }
        let [found, others] = [job.id, other.id];
        let found = events::entrance(&mut tx, found).await.unwrap().unwrap();
        assert_eq!((found.kind, found.at), (EventKind::JobRequeued, farm.now() - INSTANT * 2));
        assert_eq!(events::entrance(&mut tx, others).await.unwrap().unwrap().kind, EventKind::JobImported);
    }

    async fn of_a_very_long_story_the_end_is_told(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let mut tx = farm.app.db.begin().await.unwrap();
        for number in 0..=1000 {
            let event = Event::of_job(EventKind::PartDelivered, "test", &job).because(number.to_string());
            events::append(&mut tx, event, farm.now()).await.unwrap();
        }
        tx.commit().await.unwrap();
        let listed = events::of_job(&farm.app.db, job.id).await.unwrap();
        let reasons = [listed.first(), listed.last()].map(|event| event.and_then(|event| event.reason.as_deref()));
        assert_eq!((listed.len(), reasons), (1000, [Some("1"), Some("1000")]));
    }

    async fn pages_of_events_visit_each_once_newest_first(farm: Farm) {
        for _ in 0..7 {
            commit!(farm, |tx| events::append(tx, tick(), farm.now()));
        }
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = events::list(&farm.app.db, before, 3).await.unwrap();
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            seen.extend(page.iter().map(|event| event.id));
            // What happens meanwhile is newer than every page to come.
            commit!(farm, |tx| events::append(tx, tick(), farm.now()));
        }
        assert_eq!(seen.len(), 7);
        assert!(seen.is_sorted_by(|one, next| one > next));
    }

    async fn of_the_events_only_those_that_match_are_listed(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "Harbour 100%.mp4").await;
        let before = events::range(&farm.app.db).await.unwrap().map_or(0, |(_, newest)| newest);
        for event in [
            Event::of_job(EventKind::JobFailed, &worker.name, &job).because("storage: No space left"),
            Event::of_job(EventKind::PartDelivered, &worker.name, &job).because("720p: segments 0 to 3"),
            Event::new(EventKind::QueuePaused, "token:Night shift"),
            Event::new(EventKind::QueuePaused, "admin"),
            Event::of_worker(EventKind::WorkerDisabled, "admin", worker.id),
        ] {
            commit!(farm, |tx| events::append(tx, event, farm.now()));
        }
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let all = EventFilter::default();
        let cases = [
            (all.clone(), 5),
            (EventFilter { kind: Some(EventKind::QueuePaused), ..all.clone() }, 2),
            (EventFilter { without: &[EventKind::PartDelivered, EventKind::JobFailed], ..all.clone() }, 3),
            (EventFilter { actor: Some("admin".to_owned()), ..all.clone() }, 2),
            (EventFilter { actor: Some("token:Night shift".to_owned()), ..all.clone() }, 1),
            (EventFilter { by_people: true, ..all.clone() }, 3),
            (EventFilter { words: words("space"), ..all.clone() }, 1),
            (EventFilter { words: words("job failed"), ..all.clone() }, 1),
            (EventFilter { words: words("night"), ..all.clone() }, 1),
            // The title of the video, and the name of its worker.
            (EventFilter { words: words("harbour 100%"), ..all.clone() }, 3),
            (EventFilter { words: words("harbour job_"), ..all.clone() }, 1),
            (EventFilter { words: words("100%r"), ..all.clone() }, 0),
            (EventFilter { words: vec![worker.name.to_lowercase()], ..all.clone() }, 3),
            (EventFilter { words: words("paused space"), ..all }, 0),
        ];
        for (filter, count) in cases {
            let listed = events::list_matching(&farm.app.db, &filter, None, 100).await.unwrap();
            let listed: Vec<_> = listed.iter().filter(|event| event.id > before).collect();
            assert_eq!(listed.len(), count, "{filter:?}: {listed:?}");
        }
    }

    async fn events_after_another_come_oldest_first(farm: Farm) {
        assert_eq!(events::range(&farm.app.db).await.unwrap(), None);
        for _ in 0..4 {
            commit!(farm, |tx| events::append(tx, tick(), farm.now()));
        }
        farm.app.db.event_appended().await;
        farm.app.db.event_to_tell().await;
        farm.app.db.event_was_appended();
        farm.app.db.event_appended().await;
        let (oldest, newest) = events::range(&farm.app.db).await.unwrap().unwrap();
        assert_eq!(newest - oldest, 3);
        let ids = async |after, limit| {
            let rows = events::after(&farm.app.db, after, limit).await.unwrap();
            rows.iter().map(|row| row.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(oldest, 2).await, [oldest + 1, oldest + 2]);
        assert_eq!(ids(newest - 1, 9).await, [newest]);
        assert!(ids(newest, 9).await.is_empty());
    }

    async fn a_transaction_that_runs_is_known_to_run(farm: Farm) {
        let db = &farm.app.db;
        if db.is_sqlite() {
            assert_eq!(events::first_running(db).await.unwrap(), None);
            assert_eq!(events::next_transaction(db).await.unwrap(), None);
            return;
        }
        let mut tx = db.begin().await.unwrap();
        events::append(&mut tx, tick(), farm.now()).await.unwrap();
        let next = events::next_transaction(db).await.unwrap().unwrap();
        assert!(events::first_running(db).await.unwrap().unwrap() < next);
        tx.commit().await.unwrap();
        // Other databases of the server may be busy as well; ours is not what is waited for any more.
        while events::first_running(db).await.unwrap().unwrap() < next {
            tokio::task::yield_now().await;
        }
    }

    async fn events_older_than_an_instant_go_in_batches(farm: Farm) {
        let instant = farm.now();
        for at in [instant - INSTANT, instant - INSTANT, instant - INSTANT, instant, instant + INSTANT] {
            commit!(farm, |tx| events::append(tx, tick(), at));
        }
        assert_eq!(events::count_before(&farm.app.db, instant).await.unwrap(), 3);
        assert_eq!(commit!(farm, |tx| events::delete_before(tx, instant, 2)), 2);
        assert_eq!(commit!(farm, |tx| events::delete_before(tx, instant, 2)), 1);
        assert_eq!(unchanged!(farm, |tx| events::delete_before(tx, instant, 2)), 0);
        assert_eq!(events::list(&farm.app.db, None, 10).await.unwrap().len(), 2);
    }

    async fn the_number_of_a_removed_event_is_not_used_again(farm: Farm) {
        commit!(farm, |tx| events::append(tx, tick(), farm.now()));
        let old = events::list(&farm.app.db, None, 1).await.unwrap()[0].id;
        commit!(farm, |tx| events::delete_before(tx, farm.now() + INSTANT, 10));
        commit!(farm, |tx| events::append(tx, tick(), farm.now()));
        assert!(events::list(&farm.app.db, None, 1).await.unwrap()[0].id > old);
    }
}
