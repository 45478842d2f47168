-- A video that was cancelled before it could be played says so in a column, not in a sentence.
ALTER TABLE video ADD COLUMN cancelled boolean NOT NULL DEFAULT false;
UPDATE video SET cancelled = true WHERE status = 'failed' AND error_message = 'Cancelled.';
