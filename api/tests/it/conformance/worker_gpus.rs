//! Table `worker_gpu`.

use framefarm_api::db::worker_gpus::{self, StoredGpu};
use framefarm_api::testing::a_gpu;
use framefarm_shared::gpu::{Gpu, GpuState};

use super::world::a_worker;

framefarm_api::on_both_engines! {
    async fn gpus_come_back_as_they_were_told_and_in_that_order(farm: Farm) {
        let (one, two) = (a_worker(&farm, "w1").await.id, a_worker(&farm, "w2").await.id);
        let told = [Gpu { state: GpuState::Lost, reason: Some("Größe ☃".to_owned()), ..a_gpu("z") }, a_gpu("a")];
        commit!(farm, |tx| worker_gpus::replace(tx, one, &told));
        commit!(farm, |tx| worker_gpus::replace(tx, two, &[a_gpu("a")]));
        let mut found = worker_gpus::of_workers(&farm.app.db, &[one]).await.unwrap();
        assert_eq!(found.iter().map(|(worker, _)| *worker).collect::<Vec<_>>(), [one, one]);
        assert_eq!(found.drain(..).map(|(_, gpu)| gpu).collect::<Vec<_>>(), told);
        assert_eq!(worker_gpus::of_workers(&farm.app.db, &[one, two]).await.unwrap().len(), 3);
        assert!(worker_gpus::of_workers(&farm.app.db, &[]).await.unwrap().is_empty());
        let states = unchanged!(farm, |tx| worker_gpus::states(tx, one));
        let state = |gpu: &str, state| StoredGpu { id: gpu.to_owned(), state };
        assert_eq!(states, [state("z", GpuState::Lost), state("a", GpuState::Ready)]);
    }

    async fn only_gpus_of_workers_that_are_there_are_shown(farm: Farm) {
        for (name, status) in [("there", None), ("gone", Some("offline")), ("off", Some("disabled"))] {
            let worker = a_worker(&farm, name).await.id;
            commit!(farm, |tx| worker_gpus::replace(tx, worker, &[a_gpu("b"), a_gpu("a")]));
            if let Some(status) = status {
                farm.sql(&format!("UPDATE worker SET status = '{status}' WHERE name = '{name}'")).await;
            }
        }
        let found = worker_gpus::of_present_workers(&farm.app.db, 10).await.unwrap();
        let names: Vec<_> = found.iter().map(|(worker, gpu)| (worker.as_str(), gpu.id.as_str())).collect();
        assert_eq!(names, [("there", "b"), ("there", "a")]);
        assert_eq!(worker_gpus::of_present_workers(&farm.app.db, 1).await.unwrap().len(), 1);
    }

    async fn what_is_not_told_any_more_is_forgotten(farm: Farm) {
        let worker = a_worker(&farm, "w1").await.id;
        commit!(farm, |tx| worker_gpus::replace(tx, worker, &[a_gpu("a"), a_gpu("b")]));
        commit!(farm, |tx| worker_gpus::replace(tx, worker, &[a_gpu("b")]));
        assert_eq!(commit!(farm, |tx| worker_gpus::states(tx, worker)).len(), 1);
        commit!(farm, |tx| worker_gpus::replace(tx, worker, &[]));
        unchanged!(farm, |tx| worker_gpus::replace(tx, worker, &[]));
        assert!(commit!(farm, |tx| worker_gpus::states(tx, worker)).is_empty());
    }
}
