//! The outbox: once, by one instance at a time, and nobody waits for anybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::StatusCode;
use axum::response::IntoResponse;
use chrono::Duration;
use framefarm_api::alerts::{deliverer, log};
use framefarm_api::db::alert_endpoints;
use framefarm_api::testing::Farm;
use framefarm_shared::alert::{AlertType, DeliveryStatus, EndpointKind};
use framefarm_shared::id::BootId;

use super::{Receiver, endpoint, look, open, outbox, send};

const STARTS: Option<&[AlertType]> = Some(&[AlertType::WorkerStartup]);

async fn starts(farm: &Farm, count: usize) {
    for _ in 0..count {
        farm.wait(Duration::seconds(300));
        farm.worker("north").await.beat(&[]).await.unwrap();
        look(farm).await;
    }
}

framefarm_api::on_both_engines! {
    async fn two_instances_deliver_each_message_once(farm: Farm) {
        let farm = open(farm).await;
        let other = farm.beside(|_| {}).await;
        let receivers = [Receiver::content().await, Receiver::content().await];
        for receiver in &receivers {
            endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        }
        starts(&farm, 10).await;
        let runs = (0..4).flat_map(|_| [farm.app.clone(), other.clone()]).map(deliverer::run_once);
        let tried: u64 = futures::future::join_all(runs).await.into_iter().map(|counts| counts.unwrap()[0].1).sum();
        assert_eq!(tried, 20);
        for receiver in &receivers {
            let mut ids: Vec<String> =
                receiver.heard().iter().map(|heard| heard.header("webhook-id").to_owned()).collect();
            ids.sort();
            ids.dedup();
            assert_eq!((ids.len(), receiver.heard().len()), (10, 10));
        }
        assert!(outbox(&farm).await.iter().all(|row| row.status == DeliveryStatus::Delivered));
    }

    async fn what_was_written_before_a_crash_is_sent_after_it(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::content().await;
        let id = endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        starts(&farm, 1).await;
        // A process died with the endpoint in its hands, before or after it had sent.
        let mut tx = farm.app.db.begin().await.unwrap();
        let until = farm.now() + Duration::seconds(30);
        let dead = BootId::new(&farm.clock);
        alert_endpoints::hold_if_free_or_mine(&mut tx, id, dead, farm.now(), until).await.unwrap().unwrap();
        tx.commit().await.unwrap();
        let farm = farm.restarted(|_| {}).await;
        assert_eq!(send(&farm).await, 0, "it may still be at it");
        farm.wait(Duration::seconds(30));
        assert_eq!((send(&farm).await, receiver.heard().len()), (1, 1));
    }

    async fn a_hanging_receiver_delays_neither_jobs_nor_other_receivers(farm: Farm) {
        // The clock stands still, so that the hold of the stuck receiver does not end.
        let farm = open(farm).await;
        let farm = farm.restarted(|settings| {
            settings.alerts.alert_webhook_timeout = 60;
            settings.alerts.alert_rate_limit_seconds = 0;
        }).await;
        let a_worker_starts = async || {
            farm.worker("north").await.beat(&[]).await.unwrap();
            look(&farm).await;
        };
        let (stuck, quick) = (Receiver::hanging(|_| None).await, Receiver::content().await);
        for receiver in [&stuck, &quick] {
            endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        }
        let service = tokio::spawn(deliverer::run(farm.app.clone()));
        a_worker_starts().await;
        stuck.until(1).await;
        // From here on one receiver holds on to its request; everything else goes on.
        a_worker_starts().await;
        a_worker_starts().await;
        quick.until(3).await;
        let worker = farm.worker("south").await;
        farm.upload("clip").await;
        let job = worker.claim().await;
        worker.beat(&[&job]).await.unwrap();
        assert_eq!(stuck.heard().len(), 1);
        farm.app.shutdown.cancel();
        service.await.unwrap();
    }

    async fn a_replay_is_a_new_delivery_under_the_same_webhook_id(farm: Farm) {
        let farm = open(farm).await;
        let well = Arc::new(AtomicBool::new(false));
        let now_well = well.clone();
        let receiver = Receiver::start(move |_| {
            if now_well.load(Ordering::SeqCst) { StatusCode::OK } else { StatusCode::NOT_FOUND }.into_response()
        }).await;
        endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        starts(&farm, 1).await;
        let first = outbox(&farm).await[0].id;
        assert_eq!(log::replay(&farm.app, first, "test").await.unwrap_err().code, "still_pending");
        for _ in 0..3 {
            send(&farm).await;
            farm.wait(Duration::hours(1));
        }
        assert_eq!(outbox(&farm).await[0].status, DeliveryStatus::Failed);
        well.store(true, Ordering::SeqCst);
        let again = log::replay(&farm.app, first, "test").await.unwrap();
        assert_eq!(again.replay_of, Some(first));
        send(&farm).await;
        let rows = outbox(&farm).await;
        assert_eq!((rows[0].status, rows[1].status), (DeliveryStatus::Failed, DeliveryStatus::Delivered));
        let heard = receiver.heard();
        assert_eq!(heard.len(), 4);
        assert!(heard.iter().all(|one| one.header("webhook-id") == again.webhook_id));
        assert_eq!(heard[0].body, heard[3].body);
    }

    async fn nobody_is_told_of_what_is_a_day_old_and_the_log_forgets_after_a_month(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::start(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response()).await;
        endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        starts(&farm, 1).await;
        send(&farm).await;
        farm.wait(Duration::hours(25));
        assert_eq!(send(&farm).await, 0);
        assert_eq!(outbox(&farm).await[0].status, DeliveryStatus::Failed);
        farm.wait(Duration::days(29));
        farm.clean().await;
        assert_eq!(outbox(&farm).await.len(), 1);
        farm.wait(Duration::days(2));
        farm.clean().await;
        assert!(outbox(&farm).await.is_empty());
    }
}
