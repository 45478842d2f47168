//! Table `alert_endpoint`.

use chrono::Duration;
use framefarm_api::db::alert_endpoints::{self, Change, EndpointRow, NewEndpoint};
use framefarm_api::testing::Farm;
use framefarm_shared::alert::{AlertType, EndpointKind};
use framefarm_shared::id::{BootId, EndpointId};

use super::world::INSTANT;

pub(super) fn new_endpoint(farm: &Farm) -> NewEndpoint {
    NewEndpoint {
        id: EndpointId::new(&farm.clock),
        name: "hook".to_owned(),
        kind: EndpointKind::Generic,
        url: "https://example.org/hook".to_owned(),
        secret: Some("whsec_1".to_owned()),
        alert_types: vec![AlertType::DiskLow],
        enabled: true,
        from_settings: false,
    }
}

pub(super) async fn an_endpoint(farm: &Farm) -> EndpointRow {
    commit!(farm, |tx| alert_endpoints::put(tx, &new_endpoint(farm), farm.now()))
}

async fn read(farm: &Farm, id: EndpointId) -> EndpointRow {
    alert_endpoints::get(&farm.app.db, id).await.unwrap().unwrap()
}

framefarm_api::on_both_engines! {
    async fn an_endpoint_is_put_listed_and_put_again(farm: Farm) {
        let new = new_endpoint(&farm);
        let row = commit!(farm, |tx| alert_endpoints::put(tx, &new, farm.now()));
        assert_eq!((row.alert_types.0.clone(), row.failures, row.enabled), (vec!["disk_low".to_owned()], 0, true));
        let other = NewEndpoint { name: "other".to_owned(), secret: None, enabled: false, ..new };
        commit!(farm, |tx| alert_endpoints::put(tx, &other, farm.now() + INSTANT));
        let all = alert_endpoints::all(&farm.app.db).await.unwrap();
        assert_eq!((all.len(), all[0].name.as_str(), all[0].secret.clone()), (1, "other", None));
        assert_eq!(all[0].created_at, farm.now(), "it is still the same one");
        assert!(commit!(farm, |tx| alert_endpoints::enabled_in(tx)).is_empty());
    }

    async fn a_change_names_what_it_changes_and_spares_the_one_of_the_settings(farm: Farm) {
        let row = an_endpoint(&farm).await;
        commit!(farm, |tx| alert_endpoints::note_failure(tx, row.id, true, "no", farm.now()));
        commit!(farm, |tx| alert_endpoints::pause(tx, row.id, farm.now()));
        let change = Change { name: Some("new".to_owned()), ..Change::default() };
        let changed = commit!(farm, |tx| alert_endpoints::change_unless_from_settings(tx, row.id, &change)).unwrap();
        assert_eq!((changed.name.as_str(), changed.url == row.url, changed.failures), ("new", true, 1));
        let change = Change { url: Some("https://example.org/2".to_owned()), ..Change::default() };
        let changed = commit!(farm, |tx| alert_endpoints::change_unless_from_settings(tx, row.id, &change)).unwrap();
        assert_eq!((changed.failures, changed.paused_until), (0, None), "another address begins anew");
        commit!(farm, |tx| alert_endpoints::disable_if_enabled(tx, row.id, "gone"));
        let change = Change { enabled: Some(true), alert_types: Some(vec![]), ..Change::default() };
        let changed = commit!(farm, |tx| alert_endpoints::change_unless_from_settings(tx, row.id, &change)).unwrap();
        assert_eq!((changed.enabled, changed.disabled_reason, changed.alert_types.0.len()), (true, None, 0));

        let settings = NewEndpoint { from_settings: true, ..new_endpoint(&farm) };
        commit!(farm, |tx| alert_endpoints::put(tx, &settings, farm.now()));
        assert!(unchanged!(farm, |tx| alert_endpoints::change_unless_from_settings(tx, settings.id, &change)).is_none());
        assert!(!unchanged!(farm, |tx| alert_endpoints::delete_unless_from_settings(tx, settings.id)));
        assert!(unchanged!(farm, |tx| alert_endpoints::rotate_if_signed(tx, settings.id, "x", farm.now())).is_none());
        assert_eq!(commit!(farm, |tx| alert_endpoints::delete_from_settings(tx)), 1);
        assert!(commit!(farm, |tx| alert_endpoints::delete_unless_from_settings(tx, row.id)));
        assert!(alert_endpoints::get(&farm.app.db, row.id).await.unwrap().is_none());
    }

    async fn a_new_secret_stands_beside_the_old_one(farm: Farm) {
        let row = an_endpoint(&farm).await;
        let until = farm.now() + Duration::hours(1);
        let new = commit!(farm, |tx| alert_endpoints::rotate_if_signed(tx, row.id, "whsec_2", until)).unwrap();
        assert_eq!((new.secret.as_deref(), new.old_secret.as_deref()), (Some("whsec_2"), Some("whsec_1")));
        assert_eq!(new.old_secret_until, Some(until));
        let unsigned = NewEndpoint { secret: None, ..new_endpoint(&farm) };
        commit!(farm, |tx| alert_endpoints::put(tx, &unsigned, farm.now()));
        assert!(unchanged!(farm, |tx| alert_endpoints::rotate_if_signed(tx, unsigned.id, "x", until)).is_none());
    }

    async fn one_task_at_a_time_holds_an_endpoint(farm: Farm) {
        let row = an_endpoint(&farm).await;
        let (one, two) = (BootId::new(&farm.clock), BootId::new(&farm.clock));
        let (now, until) = (farm.now(), farm.now() + Duration::seconds(30));
        let hold = |by, at| (row.id, by, at, until + Duration::seconds(30));
        assert!(commit!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, row.id, one, now, until)).is_some());
        let (id, by, at, end) = hold(two, until - INSTANT);
        assert!(unchanged!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, id, by, at, end)).is_none());
        assert!(commit!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, id, one, at, until)).is_some());
        unchanged!(farm, |tx| alert_endpoints::let_go_if_mine(tx, id, two));
        assert!(commit!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, id, by, until, end)).is_some());
        unchanged!(farm, |tx| alert_endpoints::let_go_if_mine(tx, id, one));
        commit!(farm, |tx| alert_endpoints::let_go_if_mine(tx, id, two));
        assert!(commit!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, id, one, now, until)).is_some());
    }

    async fn a_paused_or_disabled_endpoint_is_held_by_nobody(farm: Farm) {
        let row = an_endpoint(&farm).await;
        let (by, now, until) = (BootId::new(&farm.clock), farm.now(), farm.now() + Duration::seconds(30));
        commit!(farm, |tx| alert_endpoints::pause(tx, row.id, until));
        let early = until - INSTANT;
        assert!(unchanged!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, row.id, by, early, until)).is_none());
        assert!(commit!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, row.id, by, until, until)).is_some());
        assert!(commit!(farm, |tx| alert_endpoints::disable_if_enabled(tx, row.id, "gone")));
        assert!(!unchanged!(farm, |tx| alert_endpoints::disable_if_enabled(tx, row.id, "again")));
        assert!(unchanged!(farm, |tx| alert_endpoints::hold_if_free_or_mine(tx, row.id, by, until, until)).is_none());
        assert_eq!(read(&farm, row.id).await.disabled_reason.as_deref(), Some("gone"));
        assert!(alert_endpoints::with_due(&farm.app.db, now).await.unwrap().is_empty());
    }

    async fn failures_are_counted_until_a_success(farm: Farm) {
        let row = an_endpoint(&farm).await;
        for (counts, failures) in [(true, 1), (false, 1), (true, 2)] {
            assert_eq!(commit!(farm, |tx| alert_endpoints::note_failure(tx, row.id, counts, "no", farm.now())), Some(failures));
        }
        commit!(farm, |tx| alert_endpoints::pause(tx, row.id, farm.now()));
        commit!(farm, |tx| alert_endpoints::note_success(tx, row.id, farm.now()));
        let row = read(&farm, row.id).await;
        assert_eq!((row.failures, row.paused_until, row.last_success_at), (0, None, Some(farm.now())));
        assert_eq!((row.last_failure_at, row.last_error.as_deref()), (Some(farm.now()), Some("no")));
        let unknown = EndpointId::new(&farm.clock);
        assert_eq!(unchanged!(farm, |tx| alert_endpoints::note_failure(tx, unknown, true, "no", farm.now())), None);
    }
}
