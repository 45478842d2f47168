//! Tables `alert_delivery` and `alert_attempt`.

use chrono::{DateTime, Duration, Utc};
use framefarm_api::db::alert_deliveries::{
    self, AttemptRow, DeliveryFilter, DeliveryRow, NewDelivery, Tried,
};
use framefarm_api::db::alert_endpoints;
use framefarm_api::testing::Farm;
use framefarm_shared::alert::{AlertType, DeliveryStatus};
use framefarm_shared::id::{DeliveryId, EndpointId};
use serde_json::json;
use sqlx::error::ErrorKind;

use super::alert_endpoints::an_endpoint;
use super::world::INSTANT;
use super::{count, refused_sql};

async fn a_delivery(farm: &Farm, endpoint: EndpointId, next_at: DateTime<Utc>) -> DeliveryRow {
    let id = DeliveryId::new(&farm.clock);
    let message = json!({ "text": "x" });
    let alert_type = Some(AlertType::DiskLow);
    let new =
        NewDelivery { id, webhook_id: id, endpoint, alert_type, message: &message, next_at, replay_of: None };
    commit!(farm, |tx| alert_deliveries::insert(tx, &new, farm.now()))
}

fn tried(row: &DeliveryRow, status: DeliveryStatus, now: DateTime<Utc>) -> Tried {
    let next_at = (status == DeliveryStatus::Pending).then(|| now + Duration::seconds(5));
    Tried { id: row.id, after: row.attempts, status, next_at, now }
}

framefarm_api::on_both_engines! {
    async fn the_oldest_that_is_due_comes_first_and_its_endpoint_is_named(farm: Farm) {
        let (here, there) = (an_endpoint(&farm).await.id, an_endpoint(&farm).await.id);
        let (now, later) = (farm.now(), farm.now() + Duration::seconds(1));
        let waiting = a_delivery(&farm, here, later).await;
        let due = a_delivery(&farm, here, now).await;
        a_delivery(&farm, here, now).await;
        assert_eq!(alert_endpoints::with_due(&farm.app.db, now).await.unwrap(), [here]);
        assert!(alert_endpoints::with_due(&farm.app.db, now - INSTANT).await.unwrap().is_empty());
        assert_eq!(commit!(farm, |tx| alert_deliveries::next_due(tx, here, now)).unwrap().id, due.id);
        assert_eq!(commit!(farm, |tx| alert_deliveries::next_due(tx, here, later)).unwrap().id, waiting.id);
        assert!(commit!(farm, |tx| alert_deliveries::next_due(tx, there, later)).is_none());
    }

    async fn a_try_counts_once_and_only_for_what_is_pending(farm: Farm) {
        let endpoint = an_endpoint(&farm).await.id;
        let row = a_delivery(&farm, endpoint, farm.now()).await;
        let first = tried(&row, DeliveryStatus::Pending, farm.now());
        assert!(commit!(farm, |tx| alert_deliveries::tried_if_unchanged(tx, &first)));
        assert!(!unchanged!(farm, |tx| alert_deliveries::tried_if_unchanged(tx, &first)), "somebody else was quicker");
        let row = alert_deliveries::get(&farm.app.db, row.id).await.unwrap().unwrap();
        assert_eq!((row.attempts, row.next_at, row.finished_at), (1, Some(farm.now() + Duration::seconds(5)), None));
        let second = tried(&row, DeliveryStatus::Delivered, farm.now());
        assert!(commit!(farm, |tx| alert_deliveries::tried_if_unchanged(tx, &second)));
        let row = alert_deliveries::get(&farm.app.db, row.id).await.unwrap().unwrap();
        assert_eq!((row.status, row.next_at, row.finished_at), (DeliveryStatus::Delivered, None, Some(farm.now())));
        let third = tried(&row, DeliveryStatus::Failed, farm.now());
        assert!(!unchanged!(farm, |tx| alert_deliveries::tried_if_unchanged(tx, &third)), "it has ended");
    }

    async fn tries_are_listed_and_go_with_their_delivery(farm: Farm) {
        let endpoint = an_endpoint(&farm).await.id;
        let row = a_delivery(&farm, endpoint, farm.now()).await;
        for number in [2, 1] {
            let (delivery_id, at, error) = (row.id, farm.now(), Some("no".to_owned()));
            let attempt = AttemptRow { delivery_id, number, at, duration_ms: 7, status_code: Some(500), error };
            commit!(farm, |tx| alert_deliveries::add_attempt(tx, &attempt));
        }
        let found = alert_deliveries::attempts_of(&farm.app.db, &[row.id]).await.unwrap();
        assert_eq!(found.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2]);
        assert!(alert_deliveries::attempts_of(&farm.app.db, &[]).await.unwrap().is_empty());
        assert!(commit!(farm, |tx| alert_endpoints::delete_unless_from_settings(tx, endpoint)));
        assert_eq!((count(&farm, "alert_delivery").await, count(&farm, "alert_attempt").await), (0, 0));
    }

    async fn what_waits_is_given_up_by_endpoint_or_by_age(farm: Farm) {
        let (here, there) = (an_endpoint(&farm).await.id, an_endpoint(&farm).await.id);
        let now = farm.now();
        a_delivery(&farm, here, now).await;
        a_delivery(&farm, there, now).await;
        assert_eq!(commit!(farm, |tx| alert_deliveries::fail_pending_of(tx, here, now)), 1);
        assert_eq!(unchanged!(farm, |tx| alert_deliveries::fail_pending_of(tx, here, now)), 0);
        assert!(!alert_deliveries::any_pending_before(&farm.app.db, now).await.unwrap());
        assert_eq!(unchanged!(farm, |tx| alert_deliveries::fail_pending_before(tx, now, now)), 0);
        let later = now + INSTANT;
        assert!(alert_deliveries::any_pending_before(&farm.app.db, later).await.unwrap());
        assert_eq!(commit!(farm, |tx| alert_deliveries::fail_pending_before(tx, later, later)), 1);
    }

    async fn the_log_is_listed_newest_first_filtered_and_forgotten_in_batches(farm: Farm) {
        let (here, there) = (an_endpoint(&farm).await.id, an_endpoint(&farm).await.id);
        let now = farm.now();
        for endpoint in [here, there, here] {
            a_delivery(&farm, endpoint, now).await;
        }
        let list = async |filter, before| alert_deliveries::list(&farm.app.db, filter, before, 2).await.unwrap();
        let all = list(DeliveryFilter::default(), None).await;
        assert_eq!((all.len(), all[0].endpoint_id, all[1].endpoint_id), (2, here, there));
        assert_eq!(list(DeliveryFilter::default(), Some(all[1].number)).await.len(), 1);
        let own = DeliveryFilter { endpoint: Some(here), status: Some(DeliveryStatus::Pending) };
        assert_eq!(list(own, None).await.len(), 2);
        commit!(farm, |tx| alert_deliveries::fail_pending_of(tx, here, now));
        assert!(list(own, None).await.is_empty());
        assert_eq!(unchanged!(farm, |tx| alert_deliveries::delete_finished_before(tx, now, 10)), 0);
        assert_eq!(alert_deliveries::count_finished_before(&farm.app.db, now).await.unwrap(), 0);
        for left in [2, 1, 1] {
            commit!(farm, |tx| alert_deliveries::delete_finished_before(tx, now + INSTANT, 1));
            assert_eq!(count(&farm, "alert_delivery").await, left, "what is pending stays");
        }
    }

    async fn a_delivery_has_a_next_time_exactly_while_it_is_pending(farm: Farm) {
        let endpoint = an_endpoint(&farm).await.id;
        a_delivery(&farm, endpoint, farm.now()).await;
        for sql in [
            "UPDATE alert_delivery SET status = 'sent'",
            "UPDATE alert_delivery SET status = 'failed'",
            "UPDATE alert_delivery SET next_at = NULL",
            "UPDATE alert_delivery SET finished_at = created_at",
            "UPDATE alert_endpoint SET kind = 'fax'",
        ] {
            assert_eq!(refused_sql(&farm, sql).await, ErrorKind::CheckViolation, "{sql}");
        }
    }
}
