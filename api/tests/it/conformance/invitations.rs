//! Table `invitation`.

use chrono::Duration;
use framefarm_api::db::invitations;

use super::world::INSTANT;

framefarm_api::on_both_engines! {
    async fn an_invitation_is_good_once(farm: Farm) {
        let expires = farm.now() + Duration::hours(1);
        commit!(farm, |tx| invitations::insert(tx, b"hash", farm.now(), expires));
        assert!(!unchanged!(farm, |tx| invitations::use_if_open(tx, b"another", farm.now())));
        assert_eq!(invitations::was_used(&farm.app.db, b"hash").await.unwrap(), Some(false));
        assert!(commit!(farm, |tx| invitations::use_if_open(tx, b"hash", farm.now())));
        assert!(!unchanged!(farm, |tx| invitations::use_if_open(tx, b"hash", farm.now())));
        assert_eq!(invitations::was_used(&farm.app.db, b"hash").await.unwrap(), Some(true));
        assert_eq!(invitations::was_used(&farm.app.db, b"another").await.unwrap(), None);
    }

    async fn an_invitation_ends_at_its_instant_and_is_forgotten_later(farm: Farm) {
        let expires = farm.now() + Duration::hours(1);
        commit!(farm, |tx| invitations::insert(tx, b"one", farm.now(), expires));
        commit!(farm, |tx| invitations::insert(tx, b"two", farm.now(), expires));
        assert!(commit!(farm, |tx| invitations::use_if_open(tx, b"one", expires - INSTANT)));
        assert!(!unchanged!(farm, |tx| invitations::use_if_open(tx, b"two", expires)));
        assert_eq!(unchanged!(farm, |tx| invitations::delete_expired(tx, expires)), 0);
        assert_eq!(commit!(farm, |tx| invitations::delete_expired(tx, expires + INSTANT)), 2);
    }
}
