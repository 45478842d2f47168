-- The claim of an ordinary job, with everything it writes, for PostgreSQL.
--
-- $1 worker, $2 now, $3 end of the lease, $4 a worker with a GPU that was silent since then is not waited for, $5 queue,
-- $6 time before which a job must have become claimable, whatever it needs, $7 whether the caller counted the running
-- jobs of a queue with a limit, $8 what a job is assumed to need before its source was probed, $9 what the GPUs of the
-- better worker can do, $10 whether jobs of this queue make generations, $11 process of the worker, $12 kind of the event
--
-- For a worker that has no other business here (its process is known, no job's time has come, no better GPU is free), so
-- that nothing has to be asked before.
--
-- Rows are locked in the order of the general path: queue, job, video, worker. Each lock is asked for only if those
-- before it were had, and what is written depends on the last one: all of it or nothing. Afterwards nothing else can hold
-- a row back, since each one that is written was locked as it is now.
--
-- A job that brings more with it (a plan to go on with, a generation to replace) is left at the head of the queue.
WITH open_queue AS MATERIALIZED (
    SELECT 1 FROM queue
    WHERE queue_type = $5
    AND /* rule: queue_is_open */ NOT paused AND (max_running IS NULL OR $7) /* end */
    AND COALESCE(/* rule: first_due */
    (SELECT retry_after FROM job
        WHERE status = 'pending' AND retry_after IS NOT NULL
        ORDER BY retry_after LIMIT 1)
    /* end */ > $2, true)
    AND EXISTS (
        SELECT 1 FROM worker w
        WHERE w.id = $1 AND w.boot_id = $11
        AND NOT ($10 AND EXISTS (
            SELECT 1 FROM worker g
            WHERE /* rule: is_better */
            g.gpu_abilities <> 0 AND g.status = 'idle' AND NOT g.draining AND g.last_heartbeat >= $4
            AND (w.gpu_abilities = 0 OR g.gpu_speed > w.gpu_speed * 1.25) AND g.id <> w.id
            /* end */
        ))
    )
    FOR SHARE
), next AS MATERIALIZED (
    SELECT j.number, j.video_id, j.generation, j.fence, j.retranscode
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
    FOR UPDATE OF j SKIP LOCKED
), chosen_video AS MATERIALIZED (
    SELECT v.id, v.source_name, v.source_size, v.source_sha256, g.plan
    FROM next
    JOIN video v ON v.id = next.video_id
    LEFT JOIN generation g ON g.video_id = next.video_id AND g.number = next.generation
    WHERE v.deleted_at IS NULL
    AND (NOT $10 OR (v.status = 'pending' AND next.fence = 0 AND next.retranscode IS NULL AND g.plan IS NULL))
    FOR NO KEY UPDATE OF v
), claimer AS MATERIALIZED (
    SELECT name FROM worker
    WHERE id = $1 AND status <> 'disabled' AND NOT draining AND boot_id = $11
    AND EXISTS (SELECT 1 FROM chosen_video)
    FOR NO KEY UPDATE
), granted AS (
    UPDATE job SET
    /* rule: grant */
    status = 'running', fence = fence + 1, worker_id = $1, claimed_at = $2, claim_expires_at = $3,
    attempt_number = attempt_number + 1, attempt_started_at = $2, started_at = COALESCE(started_at, $2),
    progressed_at = $2, last_checkpoint = NULL, current_step = NULL, progress_percent = 0, eta_seconds = NULL,
    retry_after = NULL, absent_since = NULL, processed_by_worker_id = $1,
    /* end */
    processed_by_worker_name = (SELECT name FROM claimer)
    WHERE number = (SELECT number FROM next) AND status = 'pending' AND EXISTS (SELECT 1 FROM claimer)
    RETURNING *
), moved_video AS (
    UPDATE video SET status = 'processing'
    WHERE $10 AND id = (SELECT video_id FROM granted)
), busy_worker AS (
    UPDATE worker SET status = 'busy', current_job_id = (SELECT id FROM granted)
    WHERE id = $1 AND EXISTS (SELECT 1 FROM granted)
), begun_attempt AS (
    INSERT INTO attempt (job_id, fence, number, worker_id, worker_name, started_at)
    SELECT id, fence, attempt_number, $1, processed_by_worker_name, $2 FROM granted
), appended_event AS (
    INSERT INTO event (at, kind, video_id, job_id, worker_id, actor, reason, data)
    SELECT $2, $12, video_id, id, $1, 'worker:' || processed_by_worker_name,
        'attempt ' || attempt_number || ' by ' || processed_by_worker_name,
        jsonb_build_object('fence', fence, 'attempt', attempt_number, 'status', status)
    FROM granted
)
SELECT granted.*, chosen_video.source_name AS video_name, chosen_video.source_size AS video_size,
    chosen_video.source_sha256 AS video_sha256, chosen_video.plan AS video_plan
FROM granted, chosen_video
