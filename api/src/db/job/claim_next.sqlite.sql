-- Takes the best due job of an open queue.
--
-- $1 worker, $2 now, $3 end of the lease, $4 name of the worker, $5 queue, $6 time before which a job must have become
-- claimable, whatever it needs, $7 whether the caller counted the running jobs of a queue with a limit, $8 what a job is
-- assumed to need before its source was probed, $9 what the GPUs of the better worker can do
--
-- SQLite has no row locks: the transaction holds the whole database.
WITH open_queue AS MATERIALIZED (
    SELECT 1 FROM queue
    WHERE queue_type = $5
    AND /* rule: queue_is_open */ NOT paused AND (max_running IS NULL OR $7) /* end */
), next AS MATERIALIZED (
    SELECT j.number
    FROM job j JOIN video v ON v.id = j.video_id
    WHERE EXISTS (SELECT 1 FROM open_queue) AND j.queue_type = $5
    AND /* rule: job_is_due */
        j.status = 'pending' AND j.retry_after IS NULL
        AND (j.claimable_at <= $6
            OR (j.claimable_at <= $2 AND (COALESCE(j.gpu_needs, $8) & $9 = 0 OR j.encoder_failures >= 2)))
        /* end */
    AND /* rule: video_can_begin */
        v.deleted_at IS NULL
        AND (v.status = 'pending'
            OR (v.status = 'ready' AND (j.retranscode IS NOT NULL OR j.queue_type <> 'transcode')))
        /* end */
    /* rule: order */ ORDER BY j.priority DESC, j.sort_at, j.number LIMIT 1 /* end */
)
UPDATE job SET
    /* rule: grant */
    status = 'running', fence = fence + 1, worker_id = $1, claimed_at = $2, claim_expires_at = $3,
    attempt_number = attempt_number + 1, attempt_started_at = $2, started_at = COALESCE(started_at, $2),
    progressed_at = $2, last_checkpoint = NULL, current_step = NULL, progress_percent = 0, eta_seconds = NULL,
    retry_after = NULL, absent_since = NULL, processed_by_worker_id = $1,
    /* end */
    processed_by_worker_name = $4
WHERE number IN (SELECT number FROM next) AND status = 'pending'
RETURNING *
