//! Receivers that answer well, badly, elsewhere, or not at all.

use axum::http::StatusCode;
use axum::http::header::{LOCATION, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use chrono::Duration;
use framefarm_api::alerts::endpoints::test;
use framefarm_api::testing::Farm;
use framefarm_shared::alert::{AlertType, DeliveryStatus, EndpointKind};

use super::{Receiver, endpoint, endpoint_row, look, open, outbox, send};

const STARTS: Option<&[AlertType]> = Some(&[AlertType::WorkerStartup]);

/// One message was tried with a receiver, and nobody else hears of it.
async fn tried(farm: &Farm, kind: EndpointKind, receiver: &Receiver) -> framefarm_shared::id::EndpointId {
    farm.sql("UPDATE alert_endpoint SET enabled = FALSE").await;
    let id = endpoint(farm, &receiver.url, kind, STARTS).await;
    farm.wait(Duration::hours(1));
    farm.worker("north").await.beat(&[]).await.unwrap();
    look(farm).await;
    assert_eq!(send(farm).await, 1);
    id
}

/// Seconds until the next try of the newest delivery; `None` if there is none.
async fn next_try(farm: &Farm) -> Option<i64> {
    let newest = outbox(farm).await.pop().unwrap();
    newest.next_at.map(|at| (at - farm.now()).num_seconds())
}

fn code(status: u16) -> Response {
    StatusCode::from_u16(status).unwrap().into_response()
}

framefarm_api::on_both_engines! {
    async fn a_receiver_that_takes_it_gets_it_once(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::content().await;
        let id = tried(&farm, EndpointKind::Generic, &receiver).await;
        let row = outbox(&farm).await.pop().unwrap();
        assert_eq!((row.status, row.attempts), (DeliveryStatus::Delivered, 1));
        farm.wait(Duration::days(1));
        assert_eq!((send(&farm).await, receiver.heard().len()), (0, 1));
        let heard = &receiver.heard()[0];
        assert_eq!(heard.header("content-type"), "application/json");
        assert!(heard.header("user-agent").starts_with("framefarm/"));
        assert_eq!(endpoint_row(&farm, id).await.failures, 0);
    }

    async fn faults_of_a_receiver_are_tried_nine_times_and_then_given_up(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::start(|before| code([500, 502, 503, 504, 408][before % 5])).await;
        tried(&farm, EndpointKind::Generic, &receiver).await;
        let first = next_try(&farm).await.unwrap();
        assert!((4..=6).contains(&first), "{first} s");
        for tries in 2..=9 {
            farm.wait(outbox(&farm).await.pop().unwrap().next_at.unwrap() - farm.now());
            assert_eq!(send(&farm).await, 1, "{tries}");
        }
        let row = outbox(&farm).await.pop().unwrap();
        assert_eq!((row.status, row.attempts, receiver.heard().len()), (DeliveryStatus::Failed, 9, 9));
        let ids: Vec<String> = receiver.heard().iter().map(|heard| heard.header("webhook-id").to_owned()).collect();
        assert!(ids.iter().all(|id| *id == ids[0] && id.starts_with("msg_")), "{ids:?}");
    }

    async fn a_receiver_may_ask_for_time(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::start(|_| (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "120")]).into_response()).await;
        let id = tried(&farm, EndpointKind::Generic, &receiver).await;
        assert_eq!(next_try(&farm).await, Some(120));
        assert_eq!(endpoint_row(&farm, id).await.paused_until, Some(farm.now() + Duration::seconds(120)));
        assert_eq!(endpoint_row(&farm, id).await.failures, 0, "being asked for time is no failure");
        let body = r#"{"message": "slow down", "retry_after": 64993, "global": false}"#;
        let receiver = Receiver::start(move |_| (StatusCode::TOO_MANY_REQUESTS, body).into_response()).await;
        tried(&farm, EndpointKind::Discord, &receiver).await;
        assert_eq!(next_try(&farm).await, Some(600), "clamped");
        assert!(receiver.heard()[0].uri.ends_with("?wait=true"));
        let receiver = Receiver::start(|_| (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "99999999")]).into_response()).await;
        tried(&farm, EndpointKind::Slack, &receiver).await;
        assert_eq!(next_try(&farm).await, Some(3_600), "clamped");
    }

    async fn a_receiver_that_is_gone_is_switched_off(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::start(|_| code(410)).await;
        let id = endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        for _ in 0..3 {
            farm.wait(Duration::hours(1));
            farm.worker("north").await.beat(&[]).await.unwrap();
            look(&farm).await;
        }
        assert_eq!(send(&farm).await, 1, "the others are given up with it");
        let row = endpoint_row(&farm, id).await;
        assert_eq!((row.enabled, row.disabled_reason.as_deref()), (false, Some("The endpoint returned 410 Gone.")));
        assert!(outbox(&farm).await.iter().all(|row| row.status == DeliveryStatus::Failed));
        farm.wait(Duration::hours(1));
        farm.worker("south").await.beat(&[]).await.unwrap();
        look(&farm).await;
        assert_eq!((outbox(&farm).await.len(), receiver.heard().len()), (3, 1));
    }

    async fn refusals_and_redirects_are_tried_three_times_and_no_redirect_is_followed(farm: Farm) {
        let farm = open(farm).await;
        let elsewhere = Receiver::content().await;
        let target = elsewhere.url.clone();
        let redirecting = move |before: usize| {
            let status = [301, 302, 307][before % 3];
            (StatusCode::from_u16(status).unwrap(), [(LOCATION, target.clone())]).into_response()
        };
        for receiver in [Receiver::start(|_| code(404)).await, Receiver::start(redirecting).await] {
            tried(&farm, EndpointKind::Generic, &receiver).await;
            for _ in 0..5 {
                farm.wait(Duration::hours(1));
                send(&farm).await;
            }
            let row = outbox(&farm).await.pop().unwrap();
            assert_eq!((row.status, row.attempts, receiver.heard().len()), (DeliveryStatus::Failed, 3, 3));
        }
        assert!(elsewhere.heard().is_empty());
    }

    async fn an_endpoint_that_fails_five_times_in_a_row_is_left_alone_for_a_while(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::start(|before| code(if before < 6 { 500 } else { 204 })).await;
        let id = endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        for _ in 0..8 {
            farm.wait(Duration::seconds(300));
            farm.worker("north").await.beat(&[]).await.unwrap();
            look(&farm).await;
        }
        assert_eq!(send(&farm).await, 5, "three more wait");
        let row = endpoint_row(&farm, id).await;
        let pause = (row.paused_until.unwrap() - farm.now()).num_seconds();
        assert!((24..=36).contains(&pause), "{pause} s");
        farm.wait(Duration::seconds(20));
        assert_eq!(send(&farm).await, 0);
        farm.wait(Duration::seconds(20));
        assert_eq!(send(&farm).await, 1, "one try, and a longer pause");
        farm.wait(Duration::seconds(80));
        assert_eq!(send(&farm).await, 8, "it works again");
        assert_eq!(endpoint_row(&farm, id).await.failures, 0);
        assert!(outbox(&farm).await.iter().all(|row| row.status == DeliveryStatus::Delivered));
    }

    async fn a_receiver_that_hangs_is_cut_off_and_tried_again(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::hanging(|before| (before > 0).then(|| code(200))).await;
        tried(&farm, EndpointKind::Slack, &receiver).await;
        let row = outbox(&farm).await.pop().unwrap();
        let tries = framefarm_api::db::alert_deliveries::attempts_of(&farm.app.db, &[row.id]).await.unwrap();
        assert_eq!((tries[0].status_code, tries[0].error.as_deref()), (None, Some("No response within 1 s.")));
        assert!((900..5_000).contains(&tries[0].duration_ms), "{tries:?}");
        farm.wait(Duration::seconds(10));
        send(&farm).await;
        assert_eq!(outbox(&farm).await.pop().unwrap().status, DeliveryStatus::Delivered);
    }

    async fn an_endless_answer_is_not_read_to_its_end(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::start(|_| {
            let endless = futures::stream::repeat_with(|| Ok::<_, std::io::Error>(bytes::Bytes::from_static(&[b'x'; 4096])));
            (StatusCode::BAD_REQUEST, axum::body::Body::from_stream(endless)).into_response()
        }).await;
        let id = endpoint(&farm, &receiver.url, EndpointKind::Generic, STARTS).await;
        let detail = test(&farm.app, id, "test").await.unwrap();
        let error = detail.attempts[0].error.clone().unwrap();
        assert!(error.starts_with("The endpoint returned 400 Bad Request: xxx") && error.len() < 300, "{error}");
        assert_eq!(detail.delivery.status, DeliveryStatus::Failed, "a test has one try");
    }

    async fn nobody_there_is_said_without_the_address(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::content().await;
        let url = receiver.url.clone();
        drop(receiver);
        let id = endpoint(&farm, &url, EndpointKind::Generic, STARTS).await;
        let detail = test(&farm.app, id, "test").await.unwrap();
        let error = detail.attempts[0].error.clone().unwrap();
        assert!(error.starts_with("Connection failed") && !error.contains("hook"), "{error}");
    }
}
