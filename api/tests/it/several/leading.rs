//! One instance leads; the next takes over when it falls silent or resigns.

use chrono::Duration;
use framefarm_api::on_both_engines;
use framefarm_api::services::leader::{lead, resign};

on_both_engines! {
    async fn one_instance_leads_and_another_follows_when_it_is_silent(farm: Farm) {
        let other = farm.beside(|_| {}).await;
        assert_eq!(lead(&farm.app).await.unwrap(), Some(1));
        assert_eq!(lead(&other).await.unwrap(), None);
        farm.wait(Duration::seconds(14));
        assert_eq!(lead(&farm.app).await.unwrap(), Some(1), "the same term goes on");
        farm.wait(Duration::seconds(14));
        assert_eq!(lead(&other).await.unwrap(), None, "it was renewed");
        farm.wait(Duration::seconds(1));
        assert_eq!(lead(&other).await.unwrap(), Some(2), "a new term");
        assert_eq!(lead(&farm.app).await.unwrap(), None, "who slept through its term has lost it");
    }

    async fn who_stops_lets_the_next_one_lead_at_once(farm: Farm) {
        let other = farm.beside(|_| {}).await;
        lead(&farm.app).await.unwrap();
        resign(&other).await.unwrap();
        assert_eq!(lead(&other).await.unwrap(), None, "only the leader can resign");
        resign(&farm.app).await.unwrap();
        assert_eq!(lead(&other).await.unwrap(), Some(2));
    }

    async fn of_many_who_want_to_lead_one_does(farm: Farm) {
        let mut instances = vec![farm.app.clone()];
        for _ in 0..4 {
            instances.push(farm.beside(|_| {}).await);
        }
        for term in 1..=5 {
            let asked = futures::future::join_all(instances.iter().map(lead)).await;
            let leading: Vec<i64> = asked.into_iter().filter_map(|term| term.unwrap()).collect();
            assert_eq!(leading.len(), 1);
            assert!(leading[0] <= term);
            farm.wait(Duration::seconds(15));
        }
    }
}
