-- One-time permissions to register a worker; kept until they expire, so that the second use can be told from a wrong one.
CREATE TABLE invitation (
    token_hash  blob PRIMARY KEY,
    created_at  text NOT NULL,
    expires_at  text NOT NULL,
    used_at     text
) STRICT;
CREATE INDEX invitation_expiry ON invitation (expires_at);
