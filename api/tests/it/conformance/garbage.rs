//! Table `garbage`.

use framefarm_api::db::garbage;

use super::world::INSTANT;

framefarm_api::on_both_engines! {
    async fn a_prefix_is_garbage_once_and_since_the_first_time(farm: Farm) {
        let first = farm.now();
        commit!(farm, |tx| garbage::add(tx, "videos/a/", "its video was deleted", first));
        unchanged!(farm, |tx| garbage::add(tx, "videos/a/", "another reason", first + INSTANT));
        assert_eq!(garbage::due(&farm.app.db, first, first, 10).await.unwrap(), ["videos/a/"]);
    }

    async fn garbage_is_due_from_its_instant_oldest_first(farm: Farm) {
        let now = farm.now();
        for (prefix, at) in [("c", now), ("a", now), ("b", now - INSTANT), ("d", now + INSTANT)] {
            commit!(farm, |tx| garbage::add(tx, prefix, "test", at));
        }
        assert_eq!(garbage::due(&farm.app.db, now, now, 10).await.unwrap(), ["b", "a", "c"]);
        assert_eq!(garbage::due(&farm.app.db, now, now, 2).await.unwrap(), ["b", "a"]);
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
        assert_eq!(garbage::due(&farm.app.db, farm.now(), farm.now(), 10).await.unwrap(), ["b"]);
    }

    async fn what_is_kept_for_players_is_due_when_they_are_done(farm: Farm) {
        let (now, later) = (farm.now(), farm.now() + INSTANT);
        commit!(farm, |tx| garbage::add_kept_until(tx, "a", "test", now, later));
        unchanged!(farm, |tx| garbage::begin_removal_if_due(tx, "a", now));
        assert!(garbage::due(&farm.app.db, now, now, 10).await.unwrap().is_empty());
        assert_eq!(garbage::due(&farm.app.db, now, later, 10).await.unwrap(), ["a"]);
        assert!(commit!(farm, |tx| garbage::begin_removal_if_due(tx, "a", later)));
    }

    async fn what_is_being_removed_can_be_neither_kept_nor_forgotten(farm: Farm) {
        let (now, later) = (farm.now(), farm.now() + INSTANT);
        for prefix in ["going", "waiting"] {
            commit!(farm, |tx| garbage::add(tx, prefix, "test", now));
        }
        assert!(commit!(farm, |tx| garbage::begin_removal_if_due(tx, "going", now)));
        let both = ["going".to_owned(), "waiting".to_owned()];
        commit!(farm, |tx| garbage::keep_unless_removing(tx, &both, later));
        assert_eq!(garbage::due(&farm.app.db, now, now, 10).await.unwrap(), ["going"]);
        assert_eq!(commit!(farm, |tx| garbage::removing(tx, &both)), ["going"]);
        commit!(farm, |tx| garbage::forget(tx, &both));
        assert_eq!(garbage::known(&farm.app.db, &both).await.unwrap(), ["going"]);
    }
}
