-- Uploads that continue on another instance: who holds one, and what of it an object store has.
ALTER TABLE upload ADD COLUMN turn integer NOT NULL DEFAULT 0;
ALTER TABLE upload ADD COLUMN source_id blob;
ALTER TABLE upload ADD COLUMN multipart text;
ALTER TABLE upload ADD COLUMN part_size integer;
ALTER TABLE upload ADD COLUMN next_part integer NOT NULL DEFAULT 0;
ALTER TABLE upload ADD COLUMN rest_turn integer;
ALTER TABLE upload ADD COLUMN digest blob;
CREATE INDEX upload_source ON upload (source_id) WHERE source_id IS NOT NULL;

-- Numbers are reserved by the holder and never given twice, so some may be missing.
CREATE TABLE upload_part (
    upload_id  blob NOT NULL REFERENCES upload (id) ON DELETE CASCADE,
    number     integer NOT NULL CHECK (number >= 0),
    size       integer NOT NULL CHECK (size > 0),
    tag        text NOT NULL,
    PRIMARY KEY (upload_id, number)
) STRICT;
