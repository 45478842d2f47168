-- Tokens that only upload or manage, that are bound to a collection, and that end by themselves.

CREATE TABLE new_api_token (
    id            blob PRIMARY KEY,
    name          text NOT NULL,
    scope         text NOT NULL CHECK (scope IN ('admin', 'manage', 'upload', 'upload_only', 'read')),
    token_hash    blob NOT NULL UNIQUE,
    created_at    text NOT NULL,
    last_used_at  text,
    expires_at    text,
    collection    text
) STRICT;
INSERT INTO new_api_token (id, name, scope, token_hash, created_at, last_used_at)
    SELECT id, name, scope, token_hash, created_at, last_used_at FROM api_token;
DROP TABLE api_token;
ALTER TABLE new_api_token RENAME TO api_token;
