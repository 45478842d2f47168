-- A completion with everything it writes, for PostgreSQL: the attempt is over, the worker is free, the event is appended.
--
-- $1 job, $2 fence, $3 status, $4 now, $5 back in the queue but not before this, $6 a new place in the queue, $7 error
-- class, $8 error, $9 failures, $10 losses, $11 attempts given back, $12 results, $13 worker, $14 kind of the event, $15 its actor,
-- $16 its reason
--
-- Every part of the statement sees the job as it was before, so the job that leaves does not count any more.
WITH done AS (
    UPDATE job SET
    /* rule: job_leaves */
    status = $3, claimed_at = NULL, claim_expires_at = NULL, worker_id = NULL, eta_seconds = NULL,
    current_step = CASE WHEN $3 = 'completed' THEN 'finalize' WHEN $3 = 'pending' THEN NULL ELSE current_step END,
    progress_percent = CASE WHEN $3 = 'completed' THEN 100.0 ELSE progress_percent END,
    finished_at = CASE WHEN $3 = 'pending' THEN NULL ELSE $4 END,
    retry_after = $5, claimable_at = COALESCE($5, $4), sort_at = COALESCE($6, sort_at),
    error_class = CASE WHEN $3 = 'completed' THEN NULL ELSE COALESCE($7, error_class) END,
    error = CASE WHEN $3 = 'completed' THEN NULL ELSE COALESCE($8, error) END,
    failure_count = failure_count + $9, lost_count = lost_count + $10,
    attempt_number = attempt_number - $11,
    encoder_failures = encoder_failures + CASE WHEN $7 = 'encoder' THEN 1 ELSE 0 END,
    results = COALESCE($12, results)
    /* end */
    WHERE id = $1 AND fence = $2 AND status = 'running' AND worker_id = $13 AND claim_expires_at > $4
    RETURNING *
), ended_attempt AS (
    UPDATE attempt SET ended_at = $4, outcome = $3
    WHERE job_id = $1 AND fence = $2 AND ended_at IS NULL AND EXISTS (SELECT 1 FROM done)
), freed_worker AS (
    UPDATE worker SET
        current_job_id = (
            SELECT id FROM job
            WHERE worker_id = $13 AND status = 'running' AND id <> $1
            ORDER BY claimed_at DESC LIMIT 1
        ),
        status = CASE
            WHEN status IN ('offline', 'disabled') THEN status
            WHEN EXISTS (SELECT 1 FROM job WHERE worker_id = $13 AND status = 'running' AND id <> $1) THEN 'busy'
            ELSE 'idle'
        END
    WHERE id = $13 AND EXISTS (SELECT 1 FROM done)
), appended_event AS (
    INSERT INTO event (at, kind, video_id, job_id, worker_id, actor, reason, data)
    SELECT $4, $14, video_id, id, $13, $15, $16,
        jsonb_build_object('fence', fence, 'attempt', attempt_number, 'status', status)
    FROM done
)
SELECT done.*, EXISTS (SELECT 1 FROM job WHERE worker_id = $13 AND status = 'running' AND id <> $1) AS has_others
FROM done
