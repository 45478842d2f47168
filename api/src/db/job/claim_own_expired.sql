-- The holder of an expired claim that nobody took yet goes on under a new fence.
--
-- $1 worker, $2 now, $3 end of the lease, $4 name of the worker, $5 job
UPDATE job SET
    /* rule: grant */
    status = 'running', fence = fence + 1, worker_id = $1, claimed_at = $2, claim_expires_at = $3,
    attempt_number = attempt_number + 1, attempt_started_at = $2, started_at = COALESCE(started_at, $2),
    progressed_at = $2, last_checkpoint = NULL, current_step = NULL, progress_percent = 0, eta_seconds = NULL,
    retry_after = NULL, absent_since = NULL, processed_by_worker_id = $1,
    /* end */
    processed_by_worker_name = $4
WHERE id = $5 AND status = 'running' AND worker_id = $1 AND claim_expires_at <= $2
RETURNING *
