-- What the end of a claim writes beside its job, for PostgreSQL. The job has left by now.
--
-- $1 job, $2 fence, $3 now, $4 outcome of the attempt, $5 error class, $6 error, $7 worker, $8 kind of the event,
-- $9 video, $10 actor, $11 reason, $12 data
WITH ended_attempt AS (
    UPDATE attempt
    /* rule: attempt_ends */
    SET ended_at = $3, outcome = $4, error_class = $5, error = $6
    WHERE job_id = $1 AND fence = $2 AND ended_at IS NULL
    /* end */
), freed_worker AS (
    UPDATE worker
    /* rule: worker_is_freed */
    SET current_job_id = (
            SELECT id FROM job WHERE worker_id = $7 AND status = 'running' ORDER BY claimed_at DESC LIMIT 1
        ),
        status = CASE
            WHEN status IN ('offline', 'disabled') THEN status
            WHEN EXISTS (SELECT 1 FROM job WHERE worker_id = $7 AND status = 'running') THEN 'busy'
            ELSE 'idle'
        END
    WHERE id = $7
    /* end */
)
INSERT INTO event (at, kind, video_id, job_id, worker_id, actor, reason, data)
VALUES ($3, $8, $9, $1, $7, $10, $11, $12)
