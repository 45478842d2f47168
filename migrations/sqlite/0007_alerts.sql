-- Alerts: what is going on, where it is told, and what was told.

-- One row a type: how often, and what the cool-down holds back.
CREATE TABLE alert (
    alert_type    text PRIMARY KEY,
    total         integer NOT NULL DEFAULT 0,
    last_at       text,
    last_text     text,
    last_sent_at  text,
    suppressed    integer NOT NULL DEFAULT 0,
    -- The newest message that was held back.
    held_back     text
) STRICT;

-- What began and is not over; `told` if its beginning was sent.
CREATE TABLE alert_incident (
    alert_type  text NOT NULL,
    subject     text NOT NULL,
    since       text NOT NULL,
    told        integer NOT NULL,
    message     text NOT NULL,
    PRIMARY KEY (alert_type, subject)
) STRICT;

CREATE TABLE alert_endpoint (
    id                blob PRIMARY KEY,
    name              text NOT NULL,
    kind              text NOT NULL CHECK (kind IN ('slack', 'discord', 'generic')),
    url               text NOT NULL,
    secret            text,
    old_secret        text,
    old_secret_until  text,
    alert_types       text NOT NULL,
    enabled           integer NOT NULL,
    disabled_reason   text,
    from_settings     integer NOT NULL,
    created_at        text NOT NULL,
    -- Failed tries in a row; while it is paused none is made.
    failures          integer NOT NULL DEFAULT 0,
    paused_until      text,
    last_success_at   text,
    last_failure_at   text,
    last_error        text,
    -- One API instance at a time sends to it.
    held_by           blob,
    held_until        text
) STRICT;

-- The outbox and the log: one message to one endpoint.
CREATE TABLE alert_delivery (
    number       integer PRIMARY KEY AUTOINCREMENT,
    id           blob NOT NULL UNIQUE,
    webhook_id   blob NOT NULL,
    endpoint_id  blob NOT NULL REFERENCES alert_endpoint (id) ON DELETE CASCADE,
    alert_type   text,
    message      text NOT NULL,
    status       text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts     integer NOT NULL DEFAULT 0,
    next_at      text,
    created_at   text NOT NULL,
    finished_at  text,
    replay_of    blob,
    CHECK ((status = 'pending') = (next_at IS NOT NULL)),
    CHECK ((status = 'pending') = (finished_at IS NULL))
) STRICT;
CREATE INDEX alert_delivery_due ON alert_delivery (endpoint_id, next_at) WHERE status = 'pending';
CREATE INDEX alert_delivery_of_endpoint ON alert_delivery (endpoint_id, number);
CREATE INDEX alert_delivery_finished ON alert_delivery (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE alert_attempt (
    delivery_id  blob NOT NULL REFERENCES alert_delivery (id) ON DELETE CASCADE,
    number       integer NOT NULL,
    at           text NOT NULL,
    duration_ms  integer NOT NULL,
    status_code  integer,
    error        text,
    PRIMARY KEY (delivery_id, number)
) STRICT;
