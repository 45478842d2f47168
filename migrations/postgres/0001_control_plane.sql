-- Videos, jobs, qualities, workers: the truth about the farm.

CREATE TABLE collection (
    id          uuid PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    created_at  timestamptz NOT NULL
);

CREATE TABLE video (
    id              uuid PRIMARY KEY,
    slug            text NOT NULL UNIQUE,
    title           text NOT NULL,
    search_title    text NOT NULL DEFAULT '',
    collection_id   uuid REFERENCES collection (id) ON DELETE SET NULL,
    status          text NOT NULL CHECK (status IN ('pending', 'processing', 'ready', 'failed')),
    source_name     text NOT NULL,
    source_size     bigint NOT NULL,
    source_sha256   text NOT NULL,
    identity        text NOT NULL,
    wanted          jsonb,
    generation      integer NOT NULL DEFAULT 0,
    last_generation integer NOT NULL DEFAULT 0,
    duration_us     bigint,
    width           integer,
    height          integer,
    renditions      jsonb,
    error_message   text,
    created_at      timestamptz NOT NULL,
    ready_at        timestamptz,
    deleted_at      timestamptz,
    CHECK (status <> 'failed' OR error_message IS NOT NULL),
    CHECK (status <> 'ready' OR generation > 0)
);
CREATE INDEX video_newest ON video (created_at DESC, id DESC);
CREATE INDEX video_identity ON video (identity);
CREATE INDEX video_deleted ON video (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE worker (
    id              uuid PRIMARY KEY,
    name            text NOT NULL,
    worker_type     text NOT NULL CHECK (worker_type IN ('local', 'remote')),
    status          text NOT NULL CHECK (status IN ('active', 'idle', 'busy', 'offline', 'disabled')),
    draining        boolean NOT NULL DEFAULT false,
    boot_id         uuid,
    has_gpu         boolean NOT NULL DEFAULT false,
    capabilities    jsonb NOT NULL,
    metadata        jsonb NOT NULL,
    current_job_id  uuid,
    registered_at   timestamptz NOT NULL,
    last_heartbeat  timestamptz
);

CREATE TABLE worker_api_key (
    id            uuid PRIMARY KEY,
    worker_id     uuid NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    key_hash      bytea NOT NULL,
    key_prefix    text NOT NULL,
    hash_version  integer NOT NULL,
    created_at    timestamptz NOT NULL,
    revoked_at    timestamptz
);
CREATE INDEX worker_api_key_prefix ON worker_api_key (key_prefix);

CREATE TABLE queue (
    queue_type   text PRIMARY KEY CHECK (queue_type IN ('transcode', 'preview', 'captions')),
    paused       boolean NOT NULL DEFAULT false,
    max_running  integer CHECK (max_running > 0),
    retry_mode   text NOT NULL CHECK (retry_mode IN ('auto', 'manual'))
);

CREATE TABLE job (
    number                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                        uuid NOT NULL UNIQUE,
    video_id                  uuid NOT NULL REFERENCES video (id) ON DELETE CASCADE,
    collection_id             uuid REFERENCES collection (id) ON DELETE CASCADE,
    queue_type                text NOT NULL REFERENCES queue (queue_type),
    identity                  text NOT NULL,
    status                    text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
    priority                  integer NOT NULL DEFAULT 0,
    sort_at                   timestamptz NOT NULL,
    enqueued_at               timestamptz NOT NULL,
    claimable_at              timestamptz NOT NULL,
    retry_after               timestamptz,
    generation                integer NOT NULL,
    retranscode               jsonb,
    fence                     bigint NOT NULL DEFAULT 0,
    worker_id                 uuid REFERENCES worker (id) ON DELETE SET NULL,
    claimed_at                timestamptz,
    claim_expires_at          timestamptz,
    attempt_number            integer NOT NULL DEFAULT 0,
    attempt_started_at        timestamptz,
    failure_count             integer NOT NULL DEFAULT 0,
    lost_count                integer NOT NULL DEFAULT 0,
    max_attempts              integer NOT NULL,
    max_lost                  integer NOT NULL,
    requeue_count             integer NOT NULL DEFAULT 0,
    encoder_failures          integer NOT NULL DEFAULT 0,
    current_step              text CHECK (current_step IN ('probe', 'thumbnail', 'transcode', 'master_playlist', 'finalize')),
    progress_percent          double precision NOT NULL DEFAULT 0 CHECK (progress_percent BETWEEN 0 AND 100),
    last_checkpoint           timestamptz,
    progressed_at             timestamptz,
    started_at                timestamptz,
    finished_at               timestamptz,
    error                     text,
    error_class               text,
    results                   jsonb,
    processed_by_worker_id    uuid,
    processed_by_worker_name  text,
    CHECK ((status = 'running') = (claimed_at IS NOT NULL)),
    CHECK ((claimed_at IS NULL) = (claim_expires_at IS NULL)),
    CHECK ((finished_at IS NOT NULL) = (status IN ('completed', 'failed', 'cancelled'))),
    CHECK (status <> 'failed' OR error IS NOT NULL)
);
-- The claim reads the head of this index: no sort, and jobs that wait for their time are not in it.
CREATE INDEX job_claimable ON job (queue_type, priority DESC, sort_at, number)
    WHERE status = 'pending' AND retry_after IS NULL;
CREATE INDEX job_waiting ON job (retry_after) WHERE status = 'pending' AND retry_after IS NOT NULL;
CREATE INDEX job_running ON job (claim_expires_at) WHERE status = 'running';
CREATE INDEX job_held ON job (worker_id) WHERE status = 'running';
CREATE INDEX job_by_status ON job (queue_type, status);
CREATE INDEX job_by_collection ON job (collection_id, status);
CREATE INDEX job_of_video ON job (video_id);
CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;
-- One live job per identity and kind; `status` is no part of the key, or a pending and a running one could coexist.
CREATE UNIQUE INDEX job_live_identity ON job (identity, queue_type) WHERE status IN ('pending', 'running');

CREATE TABLE attempt (
    job_id       uuid NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    fence        bigint NOT NULL,
    number       integer NOT NULL,
    worker_id    uuid NOT NULL,
    worker_name  text NOT NULL,
    started_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    outcome      text,
    error_class  text,
    error        text,
    PRIMARY KEY (job_id, fence)
);

-- One output of a video. It outlives the job that makes it: the history may be cleared, what plays stays known.
CREATE TABLE generation (
    video_id    uuid NOT NULL REFERENCES video (id) ON DELETE CASCADE,
    number      integer NOT NULL,
    plan        jsonb,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (video_id, number)
);

CREATE TABLE quality (
    video_id            uuid NOT NULL,
    generation          integer NOT NULL,
    name                text NOT NULL,
    position            integer NOT NULL,
    kind                text NOT NULL CHECK (kind IN ('video', 'audio')),
    status              text NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed', 'skipped')),
    carried_from        integer,
    width               integer NOT NULL,
    height              integer NOT NULL,
    bitrate_kbps        integer NOT NULL,
    segments_total      integer NOT NULL,
    segments_completed  integer NOT NULL DEFAULT 0,
    progress_percent    double precision NOT NULL DEFAULT 0 CHECK (progress_percent BETWEEN 0 AND 100),
    init_sha256         bytea,
    init_size           bigint,
    timescale           bigint,
    codecs              text,
    started_at          timestamptz,
    completed_at        timestamptz,
    error_message       text,
    PRIMARY KEY (video_id, generation, name),
    FOREIGN KEY (video_id, generation) REFERENCES generation (video_id, number) ON DELETE CASCADE,
    CHECK (segments_completed BETWEEN 0 AND segments_total),
    CHECK (status <> 'completed' OR segments_completed = segments_total),
    CHECK (status <> 'failed' OR error_message IS NOT NULL)
);

CREATE TABLE segment (
    video_id        uuid NOT NULL,
    generation      integer NOT NULL,
    quality         text NOT NULL,
    position        integer NOT NULL,
    sha256          bytea NOT NULL,
    size            bigint NOT NULL,
    start_ticks     bigint NOT NULL,
    duration_ticks  bigint NOT NULL,
    PRIMARY KEY (video_id, generation, quality, position),
    FOREIGN KEY (video_id, generation, quality)
        REFERENCES quality (video_id, generation, name) ON DELETE CASCADE
);

CREATE TABLE event (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL,
    kind       text NOT NULL,
    video_id   uuid,
    job_id     uuid,
    worker_id  uuid,
    actor      text NOT NULL,
    reason     text,
    data       jsonb
);
CREATE INDEX event_of_job ON event (job_id, id);
CREATE INDEX event_of_video ON event (video_id, id);
CREATE INDEX event_by_time ON event (at);

CREATE TABLE upload (
    id            uuid PRIMARY KEY,
    status        text NOT NULL CHECK (status IN ('open', 'sealed')),
    length        bigint NOT NULL,
    received      bigint NOT NULL DEFAULT 0,
    metadata      text NOT NULL,
    request       jsonb NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    video_id      uuid,
    job_id        uuid,
    deduplicated  boolean,
    CHECK (received BETWEEN 0 AND length)
);
CREATE INDEX upload_expiry ON upload (expires_at);

-- Prefixes in the storage that nothing refers to any more; the cleaner removes them.
CREATE TABLE garbage (
    prefix      text PRIMARY KEY,
    reason      text NOT NULL,
    created_at  timestamptz NOT NULL
);

CREATE TABLE api_token (
    id            uuid PRIMARY KEY,
    name          text NOT NULL,
    scope         text NOT NULL CHECK (scope IN ('admin', 'upload', 'read')),
    token_hash    bytea NOT NULL UNIQUE,
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz
);

CREATE TABLE session (
    token_hash  bytea PRIMARY KEY,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL
);

-- Small facts the farm keeps about itself: the admin's password hash, the last tick of a live API, the grace.
CREATE TABLE fact (
    name   text PRIMARY KEY,
    value  text NOT NULL
);

-- Finished jobs per day and outcome; survives the deletion of the jobs.
CREATE TABLE job_total (
    day         text NOT NULL,
    queue_type  text NOT NULL,
    status      text NOT NULL,
    count       bigint NOT NULL,
    PRIMARY KEY (day, queue_type, status)
);

ALTER TABLE job SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, fillfactor = 80);
ALTER TABLE worker SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, fillfactor = 50);
