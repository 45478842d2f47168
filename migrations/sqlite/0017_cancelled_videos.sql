-- A video that was cancelled before it could be played says so in a column, not in a sentence.
ALTER TABLE video ADD COLUMN cancelled integer NOT NULL DEFAULT 0;
UPDATE video SET cancelled = 1 WHERE status = 'failed' AND error_message = 'Cancelled.';
