-- Tokens that only upload or manage, that are bound to a collection, and that end by themselves.

ALTER TABLE api_token ADD COLUMN expires_at timestamptz;
ALTER TABLE api_token ADD COLUMN collection text;
ALTER TABLE api_token DROP CONSTRAINT api_token_scope_check;
ALTER TABLE api_token ADD CONSTRAINT api_token_scope_check
    CHECK (scope IN ('admin', 'manage', 'upload', 'upload_only', 'read'));
