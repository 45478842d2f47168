//! Table `worker_gpu`.

use framefarm_api::db::worker_gpus::{self, CardState};
use framefarm_api::testing::a_card;
use framefarm_shared::gpu::{Gpu, GpuState};

use super::world::a_worker;

framefarm_api::on_both_engines! {
    async fn cards_come_back_as_they_were_told_and_in_that_order(farm: Farm) {
        let (one, two) = (a_worker(&farm, "w1").await.id, a_worker(&farm, "w2").await.id);
        let told = [Gpu { state: GpuState::Lost, reason: Some("Größe ☃".to_owned()), ..a_card("z") }, a_card("a")];
        commit!(farm, |tx| worker_gpus::replace(tx, one, &told));
        commit!(farm, |tx| worker_gpus::replace(tx, two, &[a_card("a")]));
        let mut found = worker_gpus::of_workers(&farm.app.db, &[one]).await.unwrap();
        assert_eq!(found.iter().map(|(worker, _)| *worker).collect::<Vec<_>>(), [one, one]);
        assert_eq!(found.drain(..).map(|(_, card)| card).collect::<Vec<_>>(), told);
        assert_eq!(worker_gpus::of_workers(&farm.app.db, &[one, two]).await.unwrap().len(), 3);
        assert!(worker_gpus::of_workers(&farm.app.db, &[]).await.unwrap().is_empty());
        let states = unchanged!(farm, |tx| worker_gpus::states(tx, one));
        let state = |card: &str, state| CardState { card: card.to_owned(), state };
        assert_eq!(states, [state("z", GpuState::Lost), state("a", GpuState::Ready)]);
    }

    async fn what_is_not_told_any_more_is_forgotten(farm: Farm) {
        let worker = a_worker(&farm, "w1").await.id;
        commit!(farm, |tx| worker_gpus::replace(tx, worker, &[a_card("a"), a_card("b")]));
        commit!(farm, |tx| worker_gpus::replace(tx, worker, &[a_card("b")]));
        assert_eq!(commit!(farm, |tx| worker_gpus::states(tx, worker)).len(), 1);
        commit!(farm, |tx| worker_gpus::replace(tx, worker, &[]));
        unchanged!(farm, |tx| worker_gpus::replace(tx, worker, &[]));
        assert!(commit!(farm, |tx| worker_gpus::states(tx, worker)).is_empty());
    }
}
