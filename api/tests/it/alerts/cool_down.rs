//! What is held back, counted and told later.

use chrono::Duration;
use framefarm_api::alerts::status;
use framefarm_api::testing::Farm;
use framefarm_shared::alert::{AlertType, EndpointKind};
use framefarm_shared::failure::ErrorClass;

use super::{ear, endpoint, guard, look, outbox, texts, told};

async fn a_worker_starts(farm: &Farm, name: &str) {
    farm.worker(name).await.beat(&[]).await.unwrap();
    look(farm).await;
}

async fn suppressed(farm: &Farm, kind: AlertType) -> i64 {
    let all = status::all(&farm.app).await.unwrap();
    all.items.iter().find(|item| item.alert_type == kind).unwrap().suppressed
}

framefarm_api::on_both_engines! {
    async fn within_299_seconds_they_are_counted_and_at_300_told(farm: Farm) {
        ear(&farm).await;
        a_worker_starts(&farm, "first").await;
        for name in ["second", "third"] {
            a_worker_starts(&farm, name).await;
        }
        farm.wait(Duration::seconds(299));
        a_worker_starts(&farm, "fourth").await;
        assert_eq!(told(&farm).await.len(), 1);
        assert_eq!(suppressed(&farm, AlertType::WorkerStartup).await, 3);
        farm.wait(Duration::seconds(1));
        a_worker_starts(&farm, "fifth").await;
        let all = outbox(&farm).await;
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].message.0["suppressed"], 0);
        assert_eq!(all[1].message.0["suppressed"], 3);
        assert_eq!(suppressed(&farm, AlertType::WorkerStartup).await, 0);
    }

    async fn other_types_are_not_held_back_with_it(farm: Farm) {
        ear(&farm).await;
        a_worker_starts(&farm, "first").await;
        farm.worker("second").await.stop().await.unwrap();
        look(&farm).await;
        assert_eq!(told(&farm).await, ["worker_startup happened", "worker_shutdown happened"]);
    }

    async fn what_was_held_back_is_told_by_itself_when_the_time_is_over(farm: Farm) {
        ear(&farm).await;
        for name in ["first", "second", "third"] {
            a_worker_starts(&farm, name).await;
        }
        farm.wait(Duration::seconds(299));
        guard(&farm).await;
        assert_eq!(outbox(&farm).await.len(), 1);
        farm.wait(Duration::seconds(1));
        guard(&farm).await;
        guard(&farm).await;
        let all = outbox(&farm).await;
        assert_eq!(all.len(), 2);
        assert_eq!(all[1].message.0["text"], "third started.");
        assert_eq!(all[1].message.0["suppressed"], 1, "beside the one that it tells");
        farm.wait(Duration::seconds(300));
        guard(&farm).await;
        assert_eq!(outbox(&farm).await.len(), 2);
    }

    async fn an_end_is_told_exactly_when_its_beginning_was(farm: Farm) {
        ear(&farm).await;
        let (north, south) = (farm.worker("north").await, farm.worker("south").await);
        let fall_silent = async |seconds: i64| {
            farm.wait(Duration::seconds(seconds));
            farm.reap().await;
            look(&farm).await;
        };
        north.beat(&[]).await.unwrap();
        look(&farm).await;
        let before = told(&farm).await.len();
        fall_silent(3_600).await;
        assert_eq!(told(&farm).await[before..], ["worker_offline raised"], "one of two, the other is held back");
        // South comes back before anybody heard that it was gone.
        south.beat(&[]).await.unwrap();
        look(&farm).await;
        north.beat(&[]).await.unwrap();
        look(&farm).await;
        let lines = told(&farm).await;
        let ends = lines.iter().filter(|line| *line == "worker_offline recovered").count();
        assert_eq!(ends, 1, "{lines:?}");
    }

    async fn what_goes_on_when_the_time_is_over_is_told_then(farm: Farm) {
        ear(&farm).await;
        farm.worker("north").await;
        farm.worker("south").await;
        farm.wait(Duration::hours(1));
        farm.reap().await;
        look(&farm).await;
        assert_eq!(told(&farm).await, ["worker_offline raised"]);
        farm.wait(Duration::seconds(300));
        guard(&farm).await;
        guard(&farm).await;
        assert_eq!(told(&farm).await, ["worker_offline raised", "worker_offline raised"]);
        let texts = texts(&farm).await;
        assert_ne!(texts[0], texts[1], "each of the two workers once");
    }

    async fn programs_hear_of_every_video_and_people_of_the_first(farm: Farm) {
        let only = Some(&[AlertType::VideoFailed][..]);
        let program = endpoint(&farm, "https://example.org/hook", EndpointKind::Generic, only).await;
        let people = endpoint(&farm, "https://hooks.slack.com/services/x", EndpointKind::Slack, only).await;
        let worker = farm.worker("north").await;
        for name in ["a", "b", "c"] {
            farm.upload(name).await;
            let job = worker.claim().await;
            worker.fail(&job, ErrorClass::InputInvalid, "no video").await.unwrap();
        }
        look(&farm).await;
        let count = async |id| outbox(&farm).await.iter().filter(|row| row.endpoint_id == id).count();
        assert_eq!((count(program).await, count(people).await), (3, 1));
        farm.wait(Duration::seconds(300));
        guard(&farm).await;
        assert_eq!((count(program).await, count(people).await), (3, 2), "the rest in one");
    }
}
