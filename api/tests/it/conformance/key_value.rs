//! Table `fact`.

use framefarm_api::db::key_value;

framefarm_api::on_both_engines! {
    async fn a_fact_is_unknown_until_it_is_set(farm: Farm) {
        assert_eq!(key_value::get(&farm.app.db, key_value::LAST_TICK).await.unwrap(), None);
        commit!(farm, |tx| key_value::set(tx, key_value::LAST_TICK, "1"));
        commit!(farm, |tx| key_value::set(tx, key_value::LAST_TICK, "zwölf ☃"));
        assert_eq!(key_value::get(&farm.app.db, key_value::LAST_TICK).await.unwrap().as_deref(), Some("zwölf ☃"));
        assert_eq!(key_value::get(&farm.app.db, key_value::GRACE_UNTIL).await.unwrap(), None);
    }

    async fn a_known_fact_is_not_set_anew(farm: Farm) {
        assert!(commit!(farm, |tx| key_value::set_if_unknown(tx, key_value::ADMIN_PASSWORD, "first")));
        assert!(!unchanged!(farm, |tx| key_value::set_if_unknown(tx, key_value::ADMIN_PASSWORD, "second")));
    }

    async fn a_fact_is_swapped_only_while_it_is_what_was_read(farm: Farm) {
        assert!(!unchanged!(farm, |tx| key_value::swap_if(tx, key_value::LAST_TICK, "", "1")));
        commit!(farm, |tx| key_value::set(tx, key_value::LAST_TICK, "1"));
        assert!(commit!(farm, |tx| key_value::swap_if(tx, key_value::LAST_TICK, "1", "2")));
        assert!(!unchanged!(farm, |tx| key_value::swap_if(tx, key_value::LAST_TICK, "1", "3")));
        assert_eq!(key_value::get(&farm.app.db, key_value::LAST_TICK).await.unwrap().as_deref(), Some("2"));
    }
}
