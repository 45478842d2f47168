//! Tables `alert` and `alert_incident`.

use chrono::Duration;
use framefarm_api::db::alerts;
use framefarm_shared::alert::AlertType;
use serde_json::json;

use super::world::INSTANT;

const KIND: AlertType = AlertType::WorkerOffline;

framefarm_api::on_both_engines! {
    async fn a_type_is_counted_and_held_back_until_it_was_quiet_for_long_enough(farm: Farm) {
        let (start, text) = (farm.now(), "it happened");
        assert_eq!(commit!(farm, |tx| alerts::count(tx, KIND, text, start)).total, 1);
        assert!(commit!(farm, |tx| alerts::send_if_quiet_since(tx, KIND, start, start)), "never sent before");
        let again = commit!(farm, |tx| alerts::count(tx, KIND, "again", start));
        assert_eq!((again.total, again.suppressed, again.last_text.as_deref()), (2, 0, Some("again")));
        assert!(!unchanged!(farm, |tx| alerts::send_if_quiet_since(tx, KIND, start - INSTANT, start)));
        commit!(farm, |tx| alerts::hold_back(tx, KIND, Some(&json!({ "a": 1 }))));
        commit!(farm, |tx| alerts::hold_back(tx, KIND, Some(&json!({ "a": 2 }))));
        let row = commit!(farm, |tx| alerts::get_held(tx, KIND)).unwrap();
        assert_eq!((row.suppressed, row.held_back.unwrap().0), (2, json!({ "a": 2 })));
        assert!(alerts::holding_back_since(&farm.app.db, start - INSTANT).await.unwrap().is_empty());
        assert_eq!(alerts::holding_back_since(&farm.app.db, start).await.unwrap(), [KIND]);
        let later = start + Duration::seconds(300);
        assert!(commit!(farm, |tx| alerts::send_if_quiet_since(tx, KIND, start, later)));
        let rows = alerts::all(&farm.app.db).await.unwrap();
        assert_eq!((rows.len(), rows[0].suppressed, rows[0].last_sent_at), (1, 0, Some(later)));
        assert!(rows[0].held_back.is_none());
        assert!(commit!(farm, |tx| alerts::get_held(tx, AlertType::DiskLow)).is_none());
    }

    async fn an_incident_begins_once_is_told_and_ends_once(farm: Farm) {
        let message = json!({ "text": "gone" });
        let begin = |subject: &'static str| (subject, &message);
        let (subject, value) = begin("w1");
        assert!(commit!(farm, |tx| alerts::begin_unless_going_on(tx, KIND, subject, value, farm.now())));
        let later = farm.now() + Duration::seconds(1);
        assert!(!unchanged!(farm, |tx| alerts::begin_unless_going_on(tx, KIND, subject, value, later)));
        assert!(commit!(farm, |tx| alerts::begin_unless_going_on(tx, KIND, "w1/card", value, later)));
        assert!(commit!(farm, |tx| alerts::begin_unless_going_on(tx, AlertType::DiskLow, "w1", value, later)));
        assert_eq!(commit!(farm, |tx| alerts::untold(tx, KIND)).len(), 2);
        commit!(farm, |tx| alerts::count(tx, KIND, "x", farm.now()));
        commit!(farm, |tx| alerts::send_if_quiet_since(tx, KIND, farm.now(), farm.now()));
        assert_eq!(alerts::holding_back_since(&farm.app.db, farm.now()).await.unwrap(), [KIND], "two are untold");
        commit!(farm, |tx| alerts::mark_told(tx, KIND, "w1"));
        let untold = commit!(farm, |tx| alerts::untold(tx, KIND));
        assert_eq!((untold.len(), untold[0].subject.as_str()), (1, "w1/card"));
        assert_eq!(commit!(farm, |tx| alerts::subjects_below(tx, KIND, "w1/")), ["w1/card"]);
        assert_eq!(alerts::subjects(&farm.app.db, KIND).await.unwrap(), ["w1", "w1/card"]);
        let ended = commit!(farm, |tx| alerts::end_if_going_on(tx, KIND, "w1")).unwrap();
        assert!(ended.told && ended.message.0 == message && ended.since == farm.now());
        assert!(unchanged!(farm, |tx| alerts::end_if_going_on(tx, KIND, "w1")).is_none());
        assert_eq!(alerts::incidents(&farm.app.db).await.unwrap().len(), 2);
    }
}
