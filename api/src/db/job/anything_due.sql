-- 1 if a job of a queue can be claimed, or if the time of any job has come.
--
-- $1 queue, $2 now
--
-- The first of an index, not EXISTS: PostgreSQL expects a third of all rows to be before an instant that it does not
-- know, and would look through the whole table for one where none is.
SELECT CASE WHEN (
    SELECT j.number
    FROM job j JOIN video v ON v.id = j.video_id
    WHERE j.queue_type = $1 AND j.status = 'pending' AND j.retry_after IS NULL
    AND EXISTS (
        SELECT 1 FROM queue
        WHERE queue_type = $1 AND NOT paused
        AND (max_running IS NULL
            OR max_running > (SELECT count(*) FROM job r WHERE r.queue_type = $1 AND r.status = 'running'))
    )
    AND /* rule: video_can_begin */
        v.deleted_at IS NULL
        AND (v.status = 'pending'
            OR (v.status = 'ready' AND (j.retranscode IS NOT NULL OR j.queue_type <> 'transcode')))
        /* end */
    ORDER BY j.queue_type, j.priority DESC, j.sort_at, j.number LIMIT 1
) IS NOT NULL
OR /* rule: first_due */
    (SELECT retry_after FROM job
        WHERE status = 'pending' AND retry_after IS NOT NULL
        ORDER BY retry_after LIMIT 1)
    /* end */ <= $2
THEN 1 ELSE 0 END
