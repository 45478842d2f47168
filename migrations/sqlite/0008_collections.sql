-- Collections with rules of their own, and other ways in than an upload.

-- How its videos are encoded, written as the setting `ladder`; null is the farm's ladder.
ALTER TABLE collection ADD COLUMN ladder text;
-- The priority of jobs whose uploader names none.
ALTER TABLE collection ADD COLUMN priority integer NOT NULL DEFAULT 0 CHECK (priority BETWEEN -1000 AND 1000);
-- Days until its finished jobs leave the history; null is the setting `completed_retention_days`.
ALTER TABLE collection ADD COLUMN completed_retention_days integer CHECK (completed_retention_days BETWEEN 0 AND 36500);
-- What becomes of its sources: `keep`, `delete_after_ready`, or days as a number; null is the farm's setting.
ALTER TABLE collection ADD COLUMN source_retention text;
CREATE INDEX video_of_collection ON video (collection_id) WHERE collection_id IS NOT NULL;

-- Files that the farm brings in by itself. Who fetches one has a turn; `due_at` is when it may be taken (again): for one
-- that is being fetched, the end of a lease that its holder renews.
CREATE TABLE intake (
    id            blob PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN ('url', 'path', 'watch')),
    place         text NOT NULL,
    identity      text NOT NULL,
    request       text NOT NULL,
    actor         text NOT NULL,
    state         text NOT NULL CHECK (state IN ('waiting', 'fetching', 'done', 'failed', 'cancelled')),
    attempts      integer NOT NULL DEFAULT 0,
    due_at        text NOT NULL,
    turn          integer NOT NULL DEFAULT 0,
    size          integer,
    received      integer NOT NULL DEFAULT 0,
    version       text,
    upload_id     blob,
    video_id      blob,
    job_id        blob,
    deduplicated  integer,
    error_code    text,
    error         text,
    created_at    text NOT NULL,
    ended_at      text,
    CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled'))),
    CHECK (state <> 'failed' OR error IS NOT NULL),
    CHECK (state <> 'done' OR video_id IS NOT NULL)
) STRICT;
-- The same file for the same work comes in once at a time.
CREATE UNIQUE INDEX intake_live_identity ON intake (identity) WHERE state IN ('waiting', 'fetching');
CREATE INDEX intake_due ON intake (due_at) WHERE state IN ('waiting', 'fetching');
CREATE INDEX intake_newest ON intake (created_at DESC, id DESC);
CREATE INDEX intake_upload ON intake (upload_id) WHERE upload_id IS NOT NULL;
CREATE INDEX intake_ended ON intake (ended_at) WHERE ended_at IS NOT NULL;

-- What was taken out of the watch folder, by path, size and time of change. Rows of files that stay there stay as
-- well: a folder that is away for a while must not be taken again as a whole.
CREATE TABLE watched_file (
    path        text PRIMARY KEY,
    size        integer NOT NULL,
    changed_ns  integer NOT NULL,
    state       text NOT NULL CHECK (state IN ('taken', 'done', 'failed')),
    intake_id   blob NOT NULL,
    error       text,
    taken_at    text NOT NULL
) STRICT;
CREATE INDEX watched_file_intake ON watched_file (intake_id);
