-- After a job left: busy with another one, or idle. Offline and disabled workers stay so.
--
-- $1 worker
UPDATE worker
/* rule: worker_is_freed */
SET current_job_id = (
        SELECT id FROM job WHERE worker_id = $1 AND status = 'running' ORDER BY claimed_at DESC LIMIT 1
    ),
    status = CASE
        WHEN status IN ('offline', 'disabled') THEN status
        WHEN EXISTS (SELECT 1 FROM job WHERE worker_id = $1 AND status = 'running') THEN 'busy'
        ELSE 'idle'
    END
WHERE id = $1
/* end */
