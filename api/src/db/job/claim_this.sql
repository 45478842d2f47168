-- Takes this job if it is due.
--
-- $1 worker, $2 now, $3 end of the lease, $4 name of the worker, $5 job, $6 time before which a job must have become
-- claimable, whatever it needs, $7 what a job is assumed to need before its source was probed, $8 what the GPUs of the
-- better worker can do
UPDATE job AS j SET
    /* rule: grant */
    status = 'running', fence = fence + 1, worker_id = $1, claimed_at = $2, claim_expires_at = $3,
    attempt_number = attempt_number + 1, attempt_started_at = $2, started_at = COALESCE(started_at, $2),
    progressed_at = $2, last_checkpoint = NULL, current_step = NULL, progress_percent = 0, eta_seconds = NULL,
    retry_after = NULL, absent_since = NULL, processed_by_worker_id = $1,
    /* end */
    processed_by_worker_name = $4
WHERE j.id = $5
AND /* rule: job_is_due */
        j.status = 'pending' AND j.retry_after IS NULL
        AND (j.claimable_at <= $6
            OR (j.claimable_at <= $2 AND (COALESCE(j.gpu_needs, $7) & $8 = 0 OR j.encoder_failures >= 2)))
        /* end */
AND EXISTS (
    SELECT 1 FROM video v
    WHERE v.id = j.video_id
    AND /* rule: video_can_begin */
        v.deleted_at IS NULL
        AND (v.status = 'pending'
            OR (v.status = 'ready' AND (j.retranscode IS NOT NULL OR j.queue_type <> 'transcode')))
        /* end */
)
RETURNING *
