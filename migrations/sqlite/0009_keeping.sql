-- Originals that are gone.
ALTER TABLE video ADD COLUMN source_deleted_at text;
