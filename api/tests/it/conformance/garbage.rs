//! Table `garbage`.

use framefarm_api::db::garbage;

use super::world::INSTANT;

framefarm_api::on_both_engines! {
    async fn a_prefix_is_garbage_once_and_since_the_first_time(farm: Farm) {
        let first = farm.now();
        commit!(farm, |tx| garbage::add(tx, "videos/a/", "its video was deleted", first));
        unchanged!(farm, |tx| garbage::add(tx, "videos/a/", "another reason", first + INSTANT));
        assert_eq!(garbage::due(&farm.app.db, first, 10).await.unwrap(), ["videos/a/"]);
    }

    async fn garbage_is_due_from_its_instant_oldest_first(farm: Farm) {
        let now = farm.now();
        for (prefix, at) in [("c", now), ("a", now), ("b", now - INSTANT), ("d", now + INSTANT)] {
            commit!(farm, |tx| garbage::add(tx, prefix, "test", at));
        }
        assert_eq!(garbage::due(&farm.app.db, now, 10).await.unwrap(), ["b", "a", "c"]);
        assert_eq!(garbage::due(&farm.app.db, now, 2).await.unwrap(), ["b", "a"]);
    }

    async fn garbage_is_known_by_its_whole_prefix(farm: Farm) {
        commit!(farm, |tx| garbage::add(tx, "videos/a", "test", farm.now()));
        assert!(garbage::is_known(&farm.app.db, "videos/a").await.unwrap());
        for other in ["videos/a/g1", "videos", "videos/b"] {
            assert!(!garbage::is_known(&farm.app.db, other).await.unwrap(), "{other}");
        }
    }

    async fn removed_garbage_is_due_no_more(farm: Farm) {
        for prefix in ["a", "b"] {
            commit!(farm, |tx| garbage::add(tx, prefix, "test", farm.now()));
        }
        commit!(farm, |tx| garbage::remove(tx, "a"));
        unchanged!(farm, |tx| garbage::remove(tx, "a"));
        assert_eq!(garbage::due(&farm.app.db, farm.now(), 10).await.unwrap(), ["b"]);
    }
}
