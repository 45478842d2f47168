//! Table `leader`.

use chrono::Duration;
use framefarm_api::db::leader;
use framefarm_shared::id::BootId;

use super::world::INSTANT;

framefarm_api::on_both_engines! {
    async fn a_lead_is_kept_by_its_holder_and_taken_by_others_at_its_end(farm: Farm) {
        let (one, two) = (BootId::new(&farm.clock), BootId::new(&farm.clock));
        let until = farm.now() + Duration::seconds(10);
        assert_eq!(commit!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", one, farm.now(), until)), Some(1));
        assert_eq!(unchanged!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", two, until - INSTANT, until)), None);
        assert_eq!(commit!(farm, |tx| leader::lead_if_free_or_mine(tx, "other", two, farm.now(), until)), Some(1));
        let later = until + Duration::seconds(10);
        assert_eq!(commit!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", one, farm.now(), later)), Some(1));
        assert_eq!(unchanged!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", two, until, later)), None);
        assert_eq!(commit!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", two, later, later + INSTANT)), Some(2));
        assert_eq!(unchanged!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", one, later, later + INSTANT)), None);
    }

    async fn only_the_holder_can_give_a_lead_back(farm: Farm) {
        let (one, two) = (BootId::new(&farm.clock), BootId::new(&farm.clock));
        let until = farm.now() + Duration::seconds(10);
        commit!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", one, farm.now(), until));
        unchanged!(farm, |tx| leader::resign_if_mine(tx, "duty", two, farm.now()));
        commit!(farm, |tx| leader::resign_if_mine(tx, "duty", one, farm.now()));
        assert_eq!(commit!(farm, |tx| leader::lead_if_free_or_mine(tx, "duty", two, farm.now(), until)), Some(2));
    }
}
