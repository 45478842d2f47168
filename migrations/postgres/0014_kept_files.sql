-- Files that are kept for players although nothing refers to them, and those that are being removed.
ALTER TABLE garbage ADD COLUMN keep_until timestamptz;
ALTER TABLE garbage ADD COLUMN removing_since timestamptz;

-- Who began an upload; nobody knows of those that were begun before.
ALTER TABLE upload ADD COLUMN owner text;
