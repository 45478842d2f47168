//! What the schema itself refuses, on both engines, and that it knows every word of the program.

use framefarm_api::testing::Farm;
use framefarm_shared::extra_file::{ExtraFile, ExtraKind};
use framefarm_shared::ladder::{MediaKind, VideoCodec};
use framefarm_shared::queue::{QueueType, RetryMode};
use framefarm_shared::state::{JobStatus, QualityStatus, Step, VideoStatus, WorkerStatus};
use framefarm_shared::wire::worker_api::WorkerType;
use sqlx::error::ErrorKind;

use super::refused_sql;
use super::world::{
    a_generation, a_job, a_ready_video, a_running_job, a_video, a_worker, an_ended_job, an_extra_file,
};

async fn is_refused(farm: &Farm, statements: &[&str]) {
    for sql in statements {
        assert_eq!(refused_sql(farm, sql).await, ErrorKind::CheckViolation, "{sql}");
    }
}

framefarm_api::on_both_engines! {
    async fn a_job_is_in_one_of_five_states(farm: Farm) {
        a_job(&farm, "clip").await;
        is_refused(&farm, &[
            "UPDATE job SET status = 'waiting'",
            "UPDATE job SET status = 'PENDING'",
            "UPDATE job SET status = ''",
            "UPDATE job SET current_step = 'sleep'",
        ]).await;
        assert_eq!(refused_sql(&farm, "UPDATE job SET status = NULL").await, ErrorKind::NotNullViolation);
    }

    async fn progress_goes_from_zero_to_a_hundred(farm: Farm) {
        a_job(&farm, "clip").await;
        a_generation(&farm, &["720p"]).await;
        for table in ["job", "quality"] {
            for percent in ["-0.001", "100.001", "1e300"] {
                is_refused(&farm, &[&format!("UPDATE {table} SET progress_percent = {percent}")]).await;
            }
            farm.sql(&format!("UPDATE {table} SET progress_percent = 0.0")).await;
            farm.sql(&format!("UPDATE {table} SET progress_percent = 100.0")).await;
        }
    }

    async fn a_job_has_a_claim_exactly_while_it_runs(farm: Farm) {
        a_job(&farm, "clip").await;
        is_refused(&farm, &[
            "UPDATE job SET status = 'running'",
            "UPDATE job SET claimed_at = enqueued_at, claim_expires_at = enqueued_at",
            "UPDATE job SET claim_expires_at = enqueued_at",
        ]).await;
        a_running_job(&farm, "running").await;
        is_refused(&farm, &[
            "UPDATE job SET claim_expires_at = NULL WHERE status = 'running'",
            "UPDATE job SET claimed_at = NULL WHERE status = 'running'",
            "UPDATE job SET claimed_at = NULL, claim_expires_at = NULL WHERE status = 'running'",
            "UPDATE job SET status = 'pending' WHERE status = 'running'",
        ]).await;
    }

    async fn a_job_has_an_end_exactly_when_it_ended(farm: Farm) {
        a_job(&farm, "clip").await;
        is_refused(&farm, &[
            "UPDATE job SET finished_at = enqueued_at",
            "UPDATE job SET status = 'completed'",
            "UPDATE job SET status = 'cancelled'",
            "UPDATE job SET status = 'failed', error = 'no'",
        ]).await;
        for status in [JobStatus::Completed, JobStatus::Failed, JobStatus::Cancelled] {
            an_ended_job(&farm, "clip", status).await;
            let sql = format!("UPDATE job SET finished_at = NULL WHERE status = '{status}'");
            is_refused(&farm, &[&sql]).await;
        }
    }

    async fn a_failure_says_why(farm: Farm) {
        an_ended_job(&farm, "clip", JobStatus::Failed).await;
        a_generation(&farm, &["720p"]).await;
        is_refused(&farm, &[
            "UPDATE job SET error = NULL",
            "UPDATE video SET status = 'failed'",
            "UPDATE quality SET status = 'failed'",
        ]).await;
    }

    async fn a_video_plays_a_generation_and_a_quality_counts_its_segments(farm: Farm) {
        a_ready_video(&farm, "clip").await;
        a_generation(&farm, &["720p"]).await;
        is_refused(&farm, &[
            "UPDATE video SET status = 'done'",
            "UPDATE video SET generation = 0 WHERE status = 'ready'",
            "UPDATE quality SET status = 'done'",
            "UPDATE quality SET kind = 'text'",
            "UPDATE quality SET codec = 'mpeg2'",
            "UPDATE quality SET speed = -0.1",
            "UPDATE quality SET segments_completed = 4",
            "UPDATE quality SET segments_completed = -1",
            "UPDATE quality SET status = 'completed'",
        ]).await;
    }

    async fn an_extra_file_is_an_image_or_a_subtitle_and_not_empty(farm: Farm) {
        let key = a_generation(&farm, &[]).await;
        an_extra_file(&farm, key, ExtraFile::Subtitle(0)).await;
        is_refused(&farm, &["UPDATE extra_file SET kind = 'sound'", "UPDATE extra_file SET size = 0"]).await;
    }

    async fn workers_and_queues_have_closed_sets_of_words(farm: Farm) {
        a_worker(&farm, "w1").await;
        is_refused(&farm, &[
            "UPDATE worker SET status = 'asleep'",
            "UPDATE worker SET worker_type = 'cloud'",
            "UPDATE queue SET queue_type = 'thumbnails' WHERE queue_type = 'captions'",
            "UPDATE queue SET retry_mode = 'never'",
            "UPDATE queue SET max_running = 0",
            "INSERT INTO queue (queue_type, retry_mode) VALUES ('upload', 'auto')",
        ]).await;
    }

    async fn a_job_belongs_to_a_declared_queue(farm: Farm) {
        a_job(&farm, "clip").await;
        for sql in ["UPDATE job SET queue_type = 'upload'", "DELETE FROM queue WHERE queue_type = 'transcode'"] {
            assert_eq!(refused_sql(&farm, sql).await, ErrorKind::ForeignKeyViolation, "{sql}");
        }
    }

    async fn the_schema_knows_every_word_of_the_program(farm: Farm) {
        a_video(&farm, "clip").await;
        a_job(&farm, "clip").await;
        a_worker(&farm, "w1").await;
        let key = a_generation(&farm, &["720p"]).await;
        an_extra_file(&farm, key, ExtraFile::Subtitle(0)).await;
        farm.sql("UPDATE video SET generation = 1, error_message = 'no'").await;
        farm.sql("UPDATE quality SET segments_completed = segments_total, error_message = 'no'").await;
        let mut statements = Vec::new();
        let mut accepts = |set: &str, words: Vec<&str>| {
            statements.extend(words.iter().map(|word| format!("UPDATE {set} = '{word}'")));
        };
        accepts("video SET status", VideoStatus::ALL.iter().map(|word| word.as_str()).collect());
        accepts("worker SET status", WorkerStatus::ALL.iter().map(|word| word.as_str()).collect());
        accepts("worker SET worker_type", WorkerType::ALL.iter().map(|word| word.as_str()).collect());
        accepts("quality SET status", QualityStatus::ALL.iter().map(|word| word.as_str()).collect());
        accepts("quality SET kind", MediaKind::ALL.iter().map(|word| word.as_str()).collect());
        accepts("quality SET codec", VideoCodec::ALL.iter().map(|word| word.as_str()).collect());
        accepts("extra_file SET kind", ExtraKind::ALL.iter().map(|word| word.as_str()).collect());
        accepts("queue SET retry_mode", RetryMode::ALL.iter().map(|word| word.as_str()).collect());
        accepts("job SET queue_type", QueueType::ALL.iter().map(|word| word.as_str()).collect());
        accepts("job SET current_step", Step::ALL.iter().map(|word| word.as_str()).collect());
        for sql in statements {
            farm.sql(&sql).await;
        }
    }
}
