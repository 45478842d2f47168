//! That the database of a test rejects illegal moves, since no other test would notice if it did not.

use std::fmt::Display;

use framefarm_api::db::videos;
use framefarm_api::testing::Farm;
use framefarm_shared::state::{JobStatus, QualityStatus, VideoStatus, WorkerStatus};
use framefarm_shared::state_machine::{JOB_MOVES, Move, QUALITY_MOVES, VIDEO_MOVES, WORKER_MOVES, allows};

use super::world::{a_generation, a_job, a_ready_video, a_running_job, a_video, a_worker, an_ended_job};

/// Every move of a row that is in `from`, legal or not. `row` is a condition.
async fn moves_from<S: Copy + Display + PartialEq>(
    farm: &Farm,
    table: &str,
    row: &str,
    from: S,
    all: &[S],
    moves: &[Move<S>],
) {
    for to in all.iter().filter(|to| **to != from) {
        let told = farm.attempted_sql(&format!("UPDATE {table} SET status = '{to}' WHERE {row}")).await;
        let is_rejected = told.as_ref().is_err_and(|error| error.to_string().contains("illegal move"));
        assert_eq!(is_rejected, !allows(moves, &from, to), "{table}: {from} -> {to}: {told:?}");
    }
}

framefarm_api::on_both_engines! {
    async fn the_database_of_a_test_rejects_every_illegal_move_of_a_job(farm: Farm) {
        let mut rows = vec![(JobStatus::Pending, a_job(&farm, "pending").await)];
        rows.push((JobStatus::Running, a_running_job(&farm, "running").await.0));
        for ended in [JobStatus::Completed, JobStatus::Failed, JobStatus::Cancelled] {
            rows.push((ended, an_ended_job(&farm, ended.as_str(), ended).await));
        }
        assert_eq!(rows.len(), JobStatus::ALL.len());
        for (from, job) in rows {
            let row = format!("number = {}", job.number);
            moves_from(&farm, "job", &row, from, JobStatus::ALL, JOB_MOVES).await;
        }
    }

    async fn the_database_of_a_test_rejects_every_illegal_move_of_a_video(farm: Farm) {
        let begun = a_video(&farm, "processing").await;
        commit!(farm, |tx| videos::begin_if_pending(tx, begun.id)).unwrap();
        let failed = a_video(&farm, "failed").await;
        assert!(commit!(farm, |tx| videos::cancel_if_unpublished(tx, failed.id)));
        let rows = [
            (VideoStatus::Pending, a_video(&farm, "pending").await),
            (VideoStatus::Processing, begun),
            (VideoStatus::Ready, a_ready_video(&farm, "ready").await),
            (VideoStatus::Failed, failed),
        ];
        assert_eq!(rows.len(), VideoStatus::ALL.len());
        for (from, video) in rows {
            let row = format!("slug = '{}'", video.slug);
            moves_from(&farm, "video", &row, from, VideoStatus::ALL, VIDEO_MOVES).await;
        }
    }

    async fn the_database_of_a_test_rejects_every_illegal_move_of_a_quality_and_a_worker(farm: Farm) {
        a_generation(&farm, &["720p"]).await;
        for from in QualityStatus::ALL {
            let whole = "segments_completed = segments_total, error_message = 'said'";
            farm.sql(&format!("UPDATE quality SET status = '{from}', {whole}")).await;
            moves_from(&farm, "quality", "name = '720p'", *from, QualityStatus::ALL, QUALITY_MOVES).await;
        }
        a_worker(&farm, "w").await;
        for from in WorkerStatus::ALL {
            farm.sql(&format!("UPDATE worker SET status = '{from}'")).await;
            moves_from(&farm, "worker", "name = 'w'", *from, WorkerStatus::ALL, WORKER_MOVES).await;
        }
    }
}
