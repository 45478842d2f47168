//! Many at once: the constraints hold, readers go on, writers wait.

use std::time::Duration;

use framefarm_api::db::job;

use framefarm_api::db::job::NewJob;
use framefarm_api::db::key_value;
use framefarm_api::db::videos::{self, VideoFilter};
use framefarm_api::lifecycle::retry::requeue;
use framefarm_api::testing::Farm;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;

use super::world::{a_job, a_video, a_worker, an_ended_job, claimed, left, new_job, new_video};
use super::{count, dump};

/// Tries to add a hundred jobs of one identity at once. Returns how many were added.
async fn add_a_hundred(farm: &Farm, kind: QueueType) -> usize {
    let video = a_video(farm, "clip").await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (db, now) = (farm.app.db.clone(), farm.now());
        let new = NewJob { identity: "same".to_owned(), ..new_job(farm, &video, kind) };
        tasks.spawn(async move {
            let mut tx = db.begin().await.unwrap();
            let added = job::insert_unless_live(&mut tx, new, now).await.unwrap();
            tx.commit().await.unwrap();
            usize::from(added.is_some())
        });
    }
    tasks.join_all().await.into_iter().sum()
}

framefarm_api::on_both_engines! {
    async fn of_a_hundred_equal_jobs_one_is_queued(farm: Farm) {
        assert_eq!(add_a_hundred(&farm, QueueType::Transcode).await, 1);
        assert_eq!(add_a_hundred(&farm, QueueType::Transcode).await, 0);
        assert_eq!(add_a_hundred(&farm, QueueType::Preview).await, 1, "another kind is other work");
        assert_eq!(count(&farm, "job").await, 2);
    }

    async fn one_live_job_of_an_identity_whatever_its_status(farm: Farm) {
        let worker = a_worker(&farm, "w1").await;
        for round in 0..3 {
            assert_eq!(add_a_hundred(&farm, QueueType::Transcode).await, 1, "round {round}");
            let live = commit!(farm, |tx| job::live_by_identity(tx, "same", QueueType::Transcode)).unwrap();
            let running = claimed(&farm, live.id, &worker).await;
            assert_eq!(add_a_hundred(&farm, QueueType::Transcode).await, 0, "running, round {round}");
            left(&farm, &running, JobStatus::ALL[2 + round]).await;
        }
        assert_eq!(count(&farm, "job").await, 3);
    }

    async fn a_retry_that_meets_the_same_work_on_its_way_in_is_skipped(farm: Farm) {
        let ended = an_ended_job(&farm, "clip", JobStatus::Failed).await;
        let twin = new_job(&farm, &farm.video(ended.video_id).await, QueueType::Transcode);
        let mut tx = farm.app.db.begin().await.unwrap();
        job::insert_unless_live(&mut tx, twin, farm.now()).await.unwrap();
        let app = farm.app.clone();
        let mut retry = tokio::spawn(async move { requeue(&app, ended.id, "test").await });
        assert!(tokio::time::timeout(Duration::from_millis(100), &mut retry).await.is_err(), "did not wait");
        tx.commit().await.unwrap();
        assert!(!retry.await.unwrap().unwrap());
        assert_eq!(farm.job(ended.id).await.status, JobStatus::Failed);
    }

    async fn of_many_that_set_or_swap_a_fact_one_succeeds(farm: Farm) {
        commit!(farm, |tx| key_value::set(tx, "other", "old"));
        let mut tasks = tokio::task::JoinSet::new();
        for name in 0..20 {
            let db = farm.app.db.clone();
            tasks.spawn(async move {
                let mut tx = db.begin().await.unwrap();
                let first = key_value::set_if_unknown(&mut tx, "name", &name.to_string()).await.unwrap();
                tx.commit().await.unwrap();
                let mut tx = db.begin().await.unwrap();
                let swapped = key_value::swap_if(&mut tx, "other", "old", &name.to_string()).await.unwrap();
                tx.commit().await.unwrap();
                (usize::from(first), usize::from(swapped))
            });
        }
        let (first, swapped): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().unzip();
        assert_eq!((first.iter().sum::<usize>(), swapped.iter().sum::<usize>()), (1, 1));
    }

    async fn readers_do_not_wait_for_an_open_write(farm: Farm) {
        a_job(&farm, "before").await;
        let mut writing = farm.app.db.begin().await.unwrap();
        videos::insert(&mut writing, new_video(&farm, "not yet"), farm.now()).await.unwrap();
        let titles = || async {
            let filter = VideoFilter::default();
            let list = videos::list(&farm.app.db, &filter, None, 10);
            let rows = tokio::time::timeout(Duration::from_secs(5), list).await.expect("a reader was blocked");
            rows.unwrap().into_iter().map(|row| row.title).collect::<Vec<_>>()
        };
        assert_eq!(titles().await, ["before"]);
        writing.commit().await.unwrap();
        assert_eq!(titles().await.len(), 2);
    }

    async fn a_change_that_is_rolled_back_or_dropped_never_was(farm: Farm) {
        let before = dump(&farm).await;
        let mut tx = farm.app.db.begin().await.unwrap();
        videos::insert(&mut tx, new_video(&farm, "clip"), farm.now()).await.unwrap();
        tx.rollback().await.unwrap();
        let mut tx = farm.app.db.begin().await.unwrap();
        videos::insert(&mut tx, new_video(&farm, "clip"), farm.now()).await.unwrap();
        drop(tx);
        assert_eq!(dump(&farm).await, before);
    }

    async fn a_step_of_one_statement_is_committed_like_any_other(farm: Farm) {
        let mut tx = farm.app.db.begin_single().await.unwrap();
        key_value::set(&mut tx, "name", "one").await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(key_value::get(&farm.app.db, "name").await.unwrap().as_deref(), Some("one"));
        let mut tx = farm.app.db.begin_single().await.unwrap();
        key_value::set(&mut tx, "name", "two").await.unwrap();
        tx.rollback().await.unwrap();
        // PostgreSQL has committed it by then.
        let kept = if farm.app.db.is_sqlite() { "one" } else { "two" };
        assert_eq!(key_value::get(&farm.app.db, "name").await.unwrap().as_deref(), Some(kept));
    }

    async fn a_closed_database_says_so(farm: Farm) {
        let db = &farm.app.db;
        db.ping().await.unwrap();
        assert_eq!(db.server_time().await.unwrap().is_some(), db.name() == "postgres");
        db.close().await;
        assert!(matches!(db.ping().await, Err(sqlx::Error::PoolClosed)));
        assert!(matches!(db.begin().await, Err(sqlx::Error::PoolClosed)));
    }
}
