-- A quality may change its encoder on its way; a segment that does not go with its quality's init segment names its own.
ALTER TABLE segment ADD COLUMN init_sha256 blob;

-- What a worker's ready cards can do, as bits, and how fast the fastest is; 0: none is ready.
ALTER TABLE worker ADD COLUMN gpu_abilities integer NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN gpu_speed real NOT NULL DEFAULT 0;
-- What the qualities of a job need of a card, as the same bits; null until the source was probed.
ALTER TABLE job ADD COLUMN gpu_needs integer;

-- Apart from its worker's row, which every claim reads.
CREATE TABLE worker_gpu (
    worker_id  blob NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    position   integer NOT NULL,
    card       text NOT NULL,
    state      text NOT NULL CHECK (state IN ('ready', 'yielding', 'quarantined', 'lost', 'unusable')),
    report     text NOT NULL,
    PRIMARY KEY (worker_id, card)
) STRICT;
