-- Since when a worker's heartbeats do not name a claim that it was given: the reply was lost on its way.
ALTER TABLE job ADD COLUMN absent_since timestamptz;
-- Room on each page for the next version of a row, so that a renewal writes to no index.
ALTER TABLE job SET (fillfactor = 80);

-- Until now a retry could bring an old job back beside a newer one of its video. The one that runs stays, or the newest.
UPDATE job SET status = 'cancelled', finished_at = claimable_at, retry_after = NULL, claimed_at = NULL,
    claim_expires_at = NULL, worker_id = NULL, eta_seconds = NULL
WHERE status IN ('pending', 'running') AND EXISTS (
    SELECT 1 FROM job other
    WHERE other.video_id = job.video_id AND other.queue_type = job.queue_type
        AND other.status IN ('pending', 'running')
        AND (CASE WHEN other.status = 'running' THEN 1 ELSE 0 END, other.number)
            > (CASE WHEN job.status = 'running' THEN 1 ELSE 0 END, job.number)
);
