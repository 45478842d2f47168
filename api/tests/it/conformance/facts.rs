//! Table `fact`.

use framefarm_api::db::facts;

framefarm_api::on_both_engines! {
    async fn a_fact_is_unknown_until_it_is_set(farm: Farm) {
        assert_eq!(facts::get(&farm.app.db, facts::LAST_TICK).await.unwrap(), None);
        commit!(farm, |tx| facts::set(tx, facts::LAST_TICK, "1"));
        commit!(farm, |tx| facts::set(tx, facts::LAST_TICK, "zwölf ☃"));
        assert_eq!(facts::get(&farm.app.db, facts::LAST_TICK).await.unwrap().as_deref(), Some("zwölf ☃"));
        assert_eq!(facts::get(&farm.app.db, facts::GRACE_UNTIL).await.unwrap(), None);
    }

    async fn a_known_fact_is_not_set_anew(farm: Farm) {
        assert!(commit!(farm, |tx| facts::set_if_unknown(tx, facts::ADMIN_PASSWORD, "first")));
        assert!(!unchanged!(farm, |tx| facts::set_if_unknown(tx, facts::ADMIN_PASSWORD, "second")));
    }

    async fn a_fact_is_swapped_only_while_it_is_what_was_read(farm: Farm) {
        assert!(!unchanged!(farm, |tx| facts::swap_if(tx, facts::LAST_TICK, "", "1")));
        commit!(farm, |tx| facts::set(tx, facts::LAST_TICK, "1"));
        assert!(commit!(farm, |tx| facts::swap_if(tx, facts::LAST_TICK, "1", "2")));
        assert!(!unchanged!(farm, |tx| facts::swap_if(tx, facts::LAST_TICK, "1", "3")));
        assert_eq!(facts::get(&farm.app.db, facts::LAST_TICK).await.unwrap().as_deref(), Some("2"));
    }
}
