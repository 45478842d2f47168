//! Table `video`: lists, counts and searches.

use std::collections::BTreeMap;

use chrono::Duration;
use framefarm_api::db::collections;
use framefarm_api::db::videos::{self, NewVideo, VideoFilter};
use framefarm_api::testing::Farm;
use framefarm_shared::id::{CollectionId, VideoId};
use framefarm_shared::state::VideoStatus;

use super::world::{INSTANT, a_ready_video, a_video, new_video};

async fn search(farm: &Farm, text: &str) -> Vec<String> {
    let filter = VideoFilter { search: Some(text.to_owned()), ..VideoFilter::default() };
    let mut titles: Vec<String> = videos::list(&farm.app.db, &filter, None, 100)
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.title)
        .collect();
    titles.sort();
    titles
}

framefarm_api::on_both_engines! {
    async fn pages_of_videos_visit_each_once_newest_first(farm: Farm) {
        for number in 0..10 {
            a_video(&farm, "clip").await;
            // Some in the same instant, some a microsecond or a whole second apart.
            farm.wait([Duration::zero(), INSTANT, Duration::zero(), Duration::seconds(1)][number % 4]);
        }
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = videos::list(&farm.app.db, &VideoFilter::default(), before, 3).await.unwrap();
            let Some(last) = page.last() else { break };
            before = Some((last.created_at, last.id));
            seen.extend(page.iter().map(|video| (video.created_at, video.id)));
            farm.wait(Duration::seconds(1));
            a_video(&farm, "added meanwhile").await;
        }
        assert_eq!(seen.len(), 10);
        assert!(seen.is_sorted_by(|one, next| one > next), "{seen:?}");
    }

    async fn a_filter_means_status_and_collection_together(farm: Farm) {
        let id = CollectionId::new(&farm.clock);
        commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        let (pending, ready) = (a_video(&farm, "pending").await.id, a_ready_video(&farm, "ready").await.id);
        commit!(farm, |tx| videos::set_collection(tx, ready, Some(id)));
        let deleted = a_video(&farm, "deleted").await.id;
        commit!(farm, |tx| videos::delete_softly(tx, deleted, farm.now()));
        let (status, collection) = (Some(VideoStatus::Pending), Some(id));
        for (filter, expected) in [
            (VideoFilter { status, ..VideoFilter::default() }, vec![pending]),
            (VideoFilter { collection, ..VideoFilter::default() }, vec![ready]),
            (VideoFilter { status, collection, ..VideoFilter::default() }, vec![]),
        ] {
            let found = videos::list(&farm.app.db, &filter, None, 10).await.unwrap();
            assert_eq!(found.iter().map(|video| video.id).collect::<Vec<VideoId>>(), expected, "{filter:?}");
        }
        assert_eq!(videos::list(&farm.app.db, &VideoFilter::default(), None, 10).await.unwrap().len(), 2);
    }

    async fn a_search_finds_parts_of_titles_in_any_case(farm: Farm) {
        for title in ["Holiday in ÖSTERREICH", "öl auf leinwand", "ЩИТ", "日本の夏", "plain"] {
            a_video(&farm, title).await;
        }
        assert_eq!(search(&farm, "HOLI").await, ["Holiday in ÖSTERREICH"]);
        assert_eq!(search(&farm, "österr").await, ["Holiday in ÖSTERREICH"]);
        assert_eq!(search(&farm, "Öl").await, ["öl auf leinwand"]);
        assert_eq!(search(&farm, "щит").await, ["ЩИТ"]);
        assert_eq!(search(&farm, "の").await, ["日本の夏"]);
        assert_eq!(search(&farm, "ol auf").await, [""; 0], "an umlaut is a letter of its own");
    }

    async fn a_search_takes_wildcards_for_what_they_are(farm: Farm) {
        for title in ["100% real", "100 percent", "snake_case", "snakeXcase", "back\\slash", "it's"] {
            a_video(&farm, title).await;
        }
        for (text, found) in [
            ("100%", "100% real"), ("%", "100% real"), ("e_c", "snake_case"), ("_", "snake_case"),
            ("\\", "back\\slash"), ("k\\s", "back\\slash"), ("t's", "it's"),
        ] {
            assert_eq!(search(&farm, text).await, [found], "{text}");
        }
        assert_eq!(search(&farm, "\\%").await, [""; 0]);
        assert_eq!(search(&farm, "").await.len(), 6);
    }

    async fn a_renamed_video_is_found_by_its_new_title_alone(farm: Farm) {
        let video = a_video(&farm, "OLD").await;
        commit!(farm, |tx| videos::rename(tx, video.id, "NÉW"));
        assert_eq!(search(&farm, "old").await, [""; 0]);
        assert_eq!(search(&farm, "néw").await, ["NÉW"]);
    }

    async fn the_newest_video_of_an_identity_is_the_one_not_deleted(farm: Farm) {
        let mut made = Vec::new();
        for _ in 0..3 {
            let new = NewVideo { identity: "same".to_owned(), ..new_video(&farm, "clip") };
            made.push(commit!(farm, |tx| videos::insert(tx, new, farm.now())).id);
            farm.wait(INSTANT);
        }
        a_video(&farm, "another").await;
        commit!(farm, |tx| videos::delete_softly(tx, made[2], farm.now()));
        let newest = commit!(farm, |tx| videos::newest_by_identity(tx, "same"));
        assert_eq!(newest.map(|video| video.id), Some(made[1]));
        assert!(commit!(farm, |tx| videos::newest_by_identity(tx, "unknown")).is_none());
    }

    async fn videos_are_counted_by_status_without_deleted_ones(farm: Farm) {
        assert!(videos::count_by_status(&farm.app.db).await.unwrap().is_empty());
        a_ready_video(&farm, "ready").await;
        a_video(&farm, "one").await;
        a_video(&farm, "two").await;
        let deleted = a_video(&farm, "deleted").await;
        commit!(farm, |tx| videos::delete_softly(tx, deleted.id, farm.now()));
        let counts: BTreeMap<_, _> = videos::count_by_status(&farm.app.db).await.unwrap().into_iter().collect();
        assert_eq!(counts, BTreeMap::from([(VideoStatus::Pending, 2), (VideoStatus::Ready, 1)]));
    }

    async fn videos_deleted_by_an_instant_are_listed_oldest_first(farm: Farm) {
        let mut deleted = Vec::new();
        for _ in 0..3 {
            let video = a_video(&farm, "clip").await;
            farm.wait(INSTANT);
            commit!(farm, |tx| videos::delete_softly(tx, video.id, farm.now()));
            deleted.push(video.id);
        }
        a_video(&farm, "kept").await;
        let until = farm.now() - INSTANT;
        assert_eq!(videos::deleted_by(&farm.app.db, until, 10).await.unwrap(), deleted[..2]);
        assert_eq!(videos::deleted_by(&farm.app.db, until, 1).await.unwrap(), deleted[..1]);
    }
}
