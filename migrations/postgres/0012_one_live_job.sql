-- no-transaction
-- A video has one live job of each kind; of two, the one that ends last would undo the other.
CREATE UNIQUE INDEX CONCURRENTLY job_live_video ON job (video_id, queue_type)
    WHERE status IN ('pending', 'running');
