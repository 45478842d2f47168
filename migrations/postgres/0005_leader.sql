-- Which API instance does what needs doing once. The term tells one time of leading from the next.
CREATE TABLE leader (
    duty      text PRIMARY KEY,
    instance  uuid NOT NULL,
    term      bigint NOT NULL,
    until     timestamptz NOT NULL
);
