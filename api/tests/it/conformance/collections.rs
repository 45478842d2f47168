//! Table `collection`.

use framefarm_api::db::collections::{self, Rules};
use framefarm_shared::id::CollectionId;
use framefarm_shared::state::JobStatus;

use super::count;
use super::world::INSTANT;

fn some_rules() -> Rules {
    Rules {
        ladder: Some("720p:2500,360p:600".to_owned()),
        priority: -100,
        completed_retention_days: Some(7),
        source_retention: Some("delete_after_ready".to_owned()),
    }
}

framefarm_api::on_both_engines! {
    async fn a_collection_is_made_once_for_each_name(farm: Farm) {
        let first = CollectionId::new(&farm.clock);
        let made = commit!(farm, |tx| collections::ensure(tx, first, "Übung 日本 %_", farm.now()));
        assert_eq!((made.id, made.name.as_str(), made.created_at), (first, "Übung 日本 %_", farm.now()));
        farm.wait(INSTANT);
        let again = CollectionId::new(&farm.clock);
        let found = unchanged!(farm, |tx| collections::ensure(tx, again, "Übung 日本 %_", farm.now()));
        assert_eq!((found.id, found.created_at), (first, made.created_at));
    }

    async fn names_that_differ_in_case_are_two_collections(farm: Farm) {
        for name in ["news", "News"] {
            let id = CollectionId::new(&farm.clock);
            commit!(farm, |tx| collections::ensure(tx, id, name, farm.now()));
        }
        assert_eq!(collections::all(&farm.app.db).await.unwrap().len(), 2);
    }

    async fn a_collection_is_found_by_its_exact_name(farm: Farm) {
        let id = CollectionId::new(&farm.clock);
        commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        assert_eq!(collections::by_name(&farm.app.db, "news").await.unwrap().map(|row| row.id), Some(id));
        for other in ["News", "new_", "%", ""] {
            assert!(collections::by_name(&farm.app.db, other).await.unwrap().is_none(), "{other}");
        }
    }

    async fn collections_are_listed_by_name(farm: Farm) {
        for name in ["b", "a", "c"] {
            let id = CollectionId::new(&farm.clock);
            commit!(farm, |tx| collections::ensure(tx, id, name, farm.now()));
        }
        let names: Vec<String> =
            collections::all(&farm.app.db).await.unwrap().into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }

    async fn a_collection_is_deleted_once(farm: Farm) {
        let id = CollectionId::new(&farm.clock);
        commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        assert!(commit!(farm, |tx| collections::delete(tx, id)));
        assert!(!unchanged!(farm, |tx| collections::delete(tx, id)));
        assert!(collections::all(&farm.app.db).await.unwrap().is_empty());
    }

    async fn a_collection_without_rules_follows_the_farm(farm: Farm) {
        let id = CollectionId::new(&farm.clock);
        let made = commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        assert_eq!(made.rules(), Rules::default());
    }

    async fn a_collection_is_made_with_rules_if_its_name_is_free(farm: Farm) {
        let (id, rules) = (CollectionId::new(&farm.clock), some_rules());
        let made = commit!(farm, |tx| collections::insert_if_free(tx, id, "news", &rules, farm.now())).unwrap();
        assert_eq!((made.id, made.rules()), (id, rules.clone()));
        let other = CollectionId::new(&farm.clock);
        let taken = unchanged!(farm, |tx| collections::insert_if_free(tx, other, "news", &rules, farm.now()));
        assert!(taken.is_none());
    }

    async fn rules_are_set_as_a_whole(farm: Farm) {
        let (id, other) = (CollectionId::new(&farm.clock), CollectionId::new(&farm.clock));
        commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        commit!(farm, |tx| collections::ensure(tx, other, "sport", farm.now()));
        let row = commit!(farm, |tx| collections::set_rules(tx, id, &some_rules())).unwrap();
        assert_eq!(row.rules(), some_rules());
        let row = commit!(farm, |tx| collections::get_in(tx, other)).unwrap();
        assert_eq!(row.rules(), Rules::default());
        commit!(farm, |tx| collections::set_rules(tx, id, &Rules::default()));
        let row = commit!(farm, |tx| collections::lock_by_name(tx, "news")).unwrap();
        assert_eq!((row.id, row.rules()), (id, Rules::default()));
        assert_eq!(commit!(farm, |tx| collections::by_name_in(tx, "sport")).map(|row| row.id), Some(other));
        assert!(unchanged!(farm, |tx| collections::by_name_in(tx, "nobody")).is_none());
        let nobody = CollectionId::new(&farm.clock);
        assert!(unchanged!(farm, |tx| collections::set_rules(tx, nobody, &some_rules())).is_none());
        assert!(unchanged!(farm, |tx| collections::get_in(tx, nobody)).is_none());
        assert!(unchanged!(farm, |tx| collections::lock_by_name(tx, "News")).is_none());
    }

    async fn a_collection_counts_its_videos_and_jobs_and_lets_jobs_go(farm: Farm) {
        for (clip, collection) in [("a", Some("news")), ("b", Some("news")), ("c", Some("sport")), ("d", None)] {
            farm.upload_with(clip, |request| request.collection = collection.map(str::to_owned)).await;
        }
        let db = &farm.app.db;
        let id = collections::by_name(db, "news").await.unwrap().unwrap().id;
        let videos = collections::video_counts(db).await.unwrap();
        assert_eq!((videos.len(), videos.contains(&(id, 2))), (2, true));
        let jobs = collections::job_counts(db).await.unwrap();
        assert_eq!((jobs.len(), jobs.contains(&(id, JobStatus::Pending, 2))), (2, true));
        assert_eq!(commit!(farm, |tx| collections::let_jobs_go(tx, id)), 2);
        assert_eq!(unchanged!(farm, |tx| collections::let_jobs_go(tx, id)), 0);
        assert_eq!(collections::job_counts(db).await.unwrap().len(), 1);
        assert!(commit!(farm, |tx| collections::delete(tx, id)));
        assert_eq!(count(&farm, "job").await, 4);
    }
}
