-- Files are named by the whole digest of their content. Generations that were begun before keep the names they have.
ALTER TABLE generation ADD COLUMN short_names integer NOT NULL DEFAULT 0;
UPDATE generation SET short_names = 1;
