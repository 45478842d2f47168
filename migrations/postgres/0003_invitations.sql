-- One-time permissions to register a worker; kept until they expire, so that the second use can be told from a wrong one.
CREATE TABLE invitation (
    token_hash  bytea PRIMARY KEY,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    used_at     timestamptz
);
CREATE INDEX invitation_expiry ON invitation (expires_at);
