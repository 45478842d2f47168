-- Originals that are gone, and a vacuum for busy tables before a fifth of them is dead, as `job` and `worker` have it.
ALTER TABLE video ADD COLUMN source_deleted_at timestamptz;

ALTER TABLE event SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE segment SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE attempt SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- Every progress call changes a row in place: some room on each page keeps it there.
ALTER TABLE quality SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, fillfactor = 80);
