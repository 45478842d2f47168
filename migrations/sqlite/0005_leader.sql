-- Which API instance does what needs doing once. The term tells one time of leading from the next.
CREATE TABLE leader (
    duty      text PRIMARY KEY,
    instance  blob NOT NULL,
    term      integer NOT NULL,
    until     text NOT NULL
) STRICT;
