-- What decides whether a worker may take a job of a queue.
--
-- $1 worker, $2 queue, $3 now, $4 a worker with a GPU that was silent since then is not waited for
--
-- Better is by a quarter at least, since two measurements of one kind of GPU differ by less.
SELECT w.*, q.paused, q.max_running, b.name AS better, b.gpu_abilities AS better_abilities,
    COALESCE(/* rule: first_due */
    (SELECT retry_after FROM job
        WHERE status = 'pending' AND retry_after IS NOT NULL
        ORDER BY retry_after LIMIT 1)
    /* end */ <= $3, false) AS any_due
FROM worker w
CROSS JOIN queue q
LEFT JOIN worker b ON b.id = (
    SELECT g.id FROM worker g
    WHERE /* rule: is_better */
        g.gpu_abilities <> 0 AND g.status = 'idle' AND NOT g.draining AND g.last_heartbeat >= $4
        AND (w.gpu_abilities = 0 OR g.gpu_speed > w.gpu_speed * 1.25) AND g.id <> w.id
        /* end */
    ORDER BY g.gpu_speed DESC, g.name LIMIT 1
)
WHERE w.id = $1 AND q.queue_type = $2
