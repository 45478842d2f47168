//! Long queues.

use super::Farm;

impl Farm {
    /// Videos with pending jobs of three priorities, as many as it takes, in three statements.
    pub async fn fill_queue(&self, count: i64) {
        let (uuid, at, numbers) = if self.app.db.is_sqlite() {
            let numbers =
                format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})");
            ("randomblob(16)", "'2026-09-01T00:00:00+00:00'", numbers)
        } else {
            let numbers = format!("WITH n(i) AS (SELECT generate_series(1, {count}))");
            ("gen_random_uuid()", "timestamptz '2026-09-01'", numbers)
        };
        self.sql(&format!(
            "INSERT INTO video (id, slug, title, status, source_name, source_size, source_sha256, identity, \
             last_generation, created_at) {numbers} SELECT {uuid}, 'v' || i, 'v' || i, 'pending', 'v' || i, 1, 'x', \
             'i' || i, 1, {at} FROM n"
        ))
        .await;
        self.sql(&format!(
            "INSERT INTO generation (video_id, number, created_at) SELECT id, 1, {at} FROM video"
        ))
        .await;
        self.sql(&format!(
            "INSERT INTO job (id, video_id, queue_type, identity, priority, sort_at, enqueued_at, claimable_at, \
             generation, max_attempts, max_lost) SELECT {uuid}, id, 'transcode', identity, \
             100 * (CAST(substr(identity, 2) AS integer) % 3 - 1), {at}, {at}, {at}, 1, 3, 3 FROM video"
        ))
        .await;
    }

    /// A quarter each waits, is completed, failed and was cancelled, with its video in the state that belongs to it.
    pub async fn fill_mixed_queue(&self, count: i64) {
        self.fill_queue(count).await;
        for sql in [
            "UPDATE job SET status = 'completed', finished_at = enqueued_at, progress_percent = 100 \
             WHERE number % 4 = 1",
            "UPDATE job SET status = 'failed', finished_at = enqueued_at, error = 'no', error_class = 'storage' \
             WHERE number % 4 = 2",
            "UPDATE job SET status = 'cancelled', finished_at = enqueued_at WHERE number % 4 = 3",
            "UPDATE video SET status = 'ready', generation = 1, ready_at = created_at WHERE id IN \
             (SELECT video_id FROM job WHERE status = 'completed')",
            "UPDATE video SET status = 'failed', error_message = 'no' WHERE id IN \
             (SELECT video_id FROM job WHERE status IN ('failed', 'cancelled'))",
            // Not all tables: those of the tests beside this one are too many for one transaction.
            "ANALYZE job",
            "ANALYZE video",
        ] {
            self.sql(sql).await;
        }
    }
}
