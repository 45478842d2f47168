-- Alerts: what is going on, where it is told, and what was told.

-- One row a type: how often, and what the cool-down holds back.
CREATE TABLE alert (
    alert_type    text PRIMARY KEY,
    total         bigint NOT NULL DEFAULT 0,
    last_at       timestamptz,
    last_text     text,
    last_sent_at  timestamptz,
    suppressed    bigint NOT NULL DEFAULT 0,
    -- The newest message that was held back.
    held_back     jsonb
);

-- What began and is not over; `told` if its beginning was sent.
CREATE TABLE alert_incident (
    alert_type  text NOT NULL,
    subject     text NOT NULL,
    since       timestamptz NOT NULL,
    told        boolean NOT NULL,
    message     jsonb NOT NULL,
    PRIMARY KEY (alert_type, subject)
);

CREATE TABLE alert_endpoint (
    id                uuid PRIMARY KEY,
    name              text NOT NULL,
    kind              text NOT NULL CHECK (kind IN ('slack', 'discord', 'generic')),
    url               text NOT NULL,
    secret            text,
    old_secret        text,
    old_secret_until  timestamptz,
    alert_types       jsonb NOT NULL,
    enabled           boolean NOT NULL,
    disabled_reason   text,
    from_settings     boolean NOT NULL,
    created_at        timestamptz NOT NULL,
    -- Failed tries in a row; while it is paused none is made.
    failures          integer NOT NULL DEFAULT 0,
    paused_until      timestamptz,
    last_success_at   timestamptz,
    last_failure_at   timestamptz,
    last_error        text,
    -- One API instance at a time sends to it.
    held_by           uuid,
    held_until        timestamptz
);

-- The outbox and the log: one message to one endpoint.
CREATE TABLE alert_delivery (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           uuid NOT NULL UNIQUE,
    webhook_id   uuid NOT NULL,
    endpoint_id  uuid NOT NULL REFERENCES alert_endpoint (id) ON DELETE CASCADE,
    alert_type   text,
    message      jsonb NOT NULL,
    status       text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts     integer NOT NULL DEFAULT 0,
    next_at      timestamptz,
    created_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    replay_of    uuid,
    CHECK ((status = 'pending') = (next_at IS NOT NULL)),
    CHECK ((status = 'pending') = (finished_at IS NULL))
);
CREATE INDEX alert_delivery_due ON alert_delivery (endpoint_id, next_at) WHERE status = 'pending';
CREATE INDEX alert_delivery_of_endpoint ON alert_delivery (endpoint_id, number);
CREATE INDEX alert_delivery_finished ON alert_delivery (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE alert_attempt (
    delivery_id  uuid NOT NULL REFERENCES alert_delivery (id) ON DELETE CASCADE,
    number       integer NOT NULL,
    at           timestamptz NOT NULL,
    duration_ms  bigint NOT NULL,
    status_code  integer,
    error        text,
    PRIMARY KEY (delivery_id, number)
);
