//! Table `collection`.

use framefarm_api::db::collections;
use framefarm_shared::id::CollectionId;

use super::world::INSTANT;

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
}
