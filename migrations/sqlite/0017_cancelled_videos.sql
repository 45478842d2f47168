-- A video that was cancelled before it could be played says so in a column, not in a sentence.
ALTER TABLE video ADD COLUMN cancelled integer NOT NULL DEFAULT 0;
